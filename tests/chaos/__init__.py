"""The chaos run: conversations of the running product while its processes are killed, decided by a
seed; and the check of what must hold afterwards (`python -m tests.chaos --seed 1`).

| module | has |
|---|---|
| `plan` | what the seed decides: messages, what people do beside them, faults and pauses |
| `seeding`, `payloads` | what runs in the product's settings: servers and models; the evidence |
| `grounds` | the product with its Redis and its database, on a file system that can be full |
| `faults` | what is done to them |
| `people`, `tabs` | who sends the messages; clients that keep what the page keeps |
| `state_machine` | the frames of a conversation against docs/protocol.md |
| `tab_machine` | those of a whole tab: turns, and the turns inside of them |
| `journal` | the ledger of a run, as JSON lines, and how it is read |
| `rows` | what the database says in the end |
| `invariants`, `texts`, `recovery` | what must hold; texts shown and stored; silent turns |
| `report` | the result as text |
| `campaign` | a run from beginning to end |
"""
