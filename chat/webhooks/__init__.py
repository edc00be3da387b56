"""Webhooks: other programs are told what happens, by signed requests (Standard Webhooks 1.0.0).

| Module | What it has |
|---|---|
| `known` | whether there are webhooks at all, kept for a moment by each process |
| `outbox` | storing the events of turns, in the transaction in which they happen |
| `sending` | the request: signed, to a checked address, no redirects, read to a bound |
| `deliveries` | the job: taken once, tried again with growing waits, given up, cleaned up |
| `commands` | what people do: make, change, rotate the secret, test, send again, delete |
| `forms`, `views`, `urls` | the pages |

`docs/webhooks.md` is for who receives.
"""
