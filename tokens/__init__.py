"""Tokens by which other programs act for a person: what they may do, until when.

| Module | What it has |
|---|---|
| `models` | `Token` and its scopes; only the hash of a secret is stored |
| `commands` | making and revoking them |
| `access` | `access_of`: from a secret to who it is and what is allowed; its errors |
| `narrowed` | a person as a token without the scope `admin` has them, whose rights nothing stores |
| `programs` | programs that people connect by OAuth, a Django app of its own |
| `second_factor` | whether somebody has to set up a second factor first |
"""
