"""The people of this server, for its admins.

| Module | What it has |
|---|---|
| `listing` | the page of people: who, role, groups, last sign-in, second factor, state |
| `commands` | role, groups, state, sessions, links, second factor and deletion of one person |
| `transfer` | giving what a leaving person made to somebody else |
| `views`, `urls` | the pages |
"""
