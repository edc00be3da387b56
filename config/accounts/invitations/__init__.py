"""Invitations: links with which somebody makes their own account.

| Module | What it has |
|---|---|
| `model` | `Invitation` and its states |
| `commands` | making, sending, accepting and revoking one |
| `forms` | making one, accepting one, asking for one by e-mail |
| `views` | the page of admins, and those of who was invited |
"""
