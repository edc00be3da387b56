"""E-mail addresses of accounts, compared in Python: each database folds case in its own way (on
PostgreSQL `alıce` equals `alice`)."""

import unicodedata
from collections.abc import Iterator

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User


def normal(address: str) -> str:
    """The address with ASCII letters in lower case: equal ones are the same mailbox."""
    composed = unicodedata.normalize("NFC", address.strip())
    return "".join(letter.lower() if letter.isascii() else letter for letter in composed)


def is_verified(address: str) -> bool:
    """Whether somebody has shown that this address is theirs."""
    return next(_verified_owners(address), None) is not None


def verified_owner(address: str) -> User | None:
    """Who has shown that this address is theirs; None also where several accounts have."""
    owners = list(_verified_owners(address))
    return owners[0] if len(owners) == 1 else None


def is_taken(address: str) -> bool:
    """Whether an account has this address or one that looks like it, verified or not: `ß` as `ss`,
    whatever the case."""
    folded = _folded(address)
    stored = User.objects.values_list("email").union(EmailAddress.objects.values_list("email"))
    return any(_folded(other) == folded for (other,) in stored if other)


def _verified_owners(address: str) -> Iterator[User]:
    rows = EmailAddress.objects.filter(verified=True).select_related("user")
    return (row.user for row in rows if normal(row.email) == normal(address))


def _folded(address: str) -> str:
    return unicodedata.normalize("NFKC", address.strip()).casefold()
