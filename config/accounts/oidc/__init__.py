"""Signing in by OpenID Connect (OpenID Connect Core 1.0), over allauth's client.

| Module | What it has |
|---|---|
| `claims` | what the provider says of a person, as a frozen record |
| `links` | links that were made by address, for admins; their undoing |
| `connection` | the provider's configuration, its tokens and claims, checked |
| `mapping` | what groups of a claim give: roles and groups |
| `adapter` | what allauth calls: who gets an account, linking, the page of an error |
| `views` | the way there and back; linking and unlinking |
"""
