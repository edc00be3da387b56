"""The second factor: what allauth's pages are told, and who has to have one.

| Module | What it has |
|---|---|
| `adapter` | what allauth calls: encryption of secrets, names, sentences |
| `forms` | codes that work once |
| `enforcement` | who has to have a second factor and has none reaches its set-up alone |
| `recorded` | what allauth tells by its signals, for the audit log |
| `factors` | who of many people has one; its removal by an admin |
"""
