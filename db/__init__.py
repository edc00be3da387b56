"""What Django lacks for a busy process with SQLite or PostgreSQL. Imports nothing of the apps.

| Module | What it has |
|---|---|
| `fields` | model fields that store any text and any JSON value, exactly or as far as possible |
| `prepared` | statements whose SQL is compiled once; models' managers and querysets use them |
| `threads` | the few threads of a process in which its database work is done |
| `admin` | the base of admin pages whose rows the program makes |
| `public_ids` | ids from addresses, forms and frames |
| `unindexed` | a column that SQLite's planner shall not look up in an index |
| `postgresql` | Django's backend for PostgreSQL with a quicker parser of timestamps |
"""
