"""A person as a token without the scope `admin` has them: neither staff nor superuser."""

from collections.abc import Iterable
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models.base import ModelBase

RIGHTS = frozenset(("is_staff", "is_superuser"))


class RightsNotStored(Exception):
    """Somebody asked to store the rights of a narrowed person, which are those of a token."""


def narrow(user: User) -> None:
    """Takes the person's rights, in memory alone: whatever saves this object leaves the columns of
    the rights as they are, and what reads it anew reads no rights."""
    user.__class__ = _NarrowedUser
    _take_rights(user)


def _take_rights(user: User) -> None:
    user.is_staff = user.is_superuser = False


def _save(self: User, *args: Any, **kwargs: Any) -> None:
    """Raises `RightsNotStored` if the rights are named."""
    names = ("force_insert", "force_update", "using", "update_fields")
    options = dict(zip(names, args, strict=False)) | kwargs
    named: Iterable[str] | None = options.pop("update_fields", None)
    if named is None:
        named = {one.attname for one in self._meta.local_concrete_fields if not one.primary_key}
        named -= RIGHTS | self.get_deferred_fields()
    elif not RIGHTS.isdisjoint(named := set(named)):
        raise RightsNotStored(", ".join(sorted(RIGHTS & named)))
    User.save(self, **options, update_fields=named)


def _refresh_from_db(self: User, *args: Any, **kwargs: Any) -> None:
    User.refresh_from_db(self, *args, **kwargs)
    _take_rights(self)


def _reduce(self: User) -> tuple[Any, ...]:
    """For copies and for `pickle`: narrowed as well."""
    return _blank, (), User.__reduce__(self)[2]


def _blank() -> User:
    return _NarrowedUser.__new__(_NarrowedUser)


# Made without `ModelBase.__new__`: no model of its own with a content type and permissions, but
# the model User, whose rows behave otherwise.
_METHODS = {"__reduce__": _reduce, "save": _save, "refresh_from_db": _refresh_from_db}
_NarrowedUser = cast(
    type[User],
    type.__new__(ModelBase, "NarrowedUser", (User,), {"__module__": __name__, **_METHODS}),
)
