"""Programs that people connect by OAuth 2.1, and what each of them was allowed.

| Module | What it has |
|---|---|
| `models` | a program, a person's connection with it, codes and refresh tokens |
| `commands` | allowing, exchanging, refreshing, ending, each with a row of the audit log |

The endpoints, which programs talk to, are in `api.oauth`.
"""
