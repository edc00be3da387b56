"""Who did what, for admins: one row for each act that a team has to be able to look up later.

| Module | What it has |
|---|---|
| `models` | `Event`, a row, and `Action`, what was done |
| `retention` | deletion of what is older than the log keeps |
| `recording` | `record` writes a row, with the address and the door (page, API …) of a request |
"""
