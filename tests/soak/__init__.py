"""The soak: mixed load on the running product for half an hour, and what it holds meanwhile
(`python -m tests.soak --minutes 30`).

| module | has |
|---|---|
| `load` | chat turns with tools, the gateway, `/v1`, pages, sockets that come and go |
| `samples` | memory, descriptors, threads, processes, Redis and the database, every five seconds |
| `verdict` | which of these grow, by the slope of a regression after the warm-up |
| `plot` | the picture |
"""
