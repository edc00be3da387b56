"""Rows that are given to groups of people: a many-to-many `groups` says to which, none: everybody.

The conditions are parts of one statement each, so that who is in no group pays for none more.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet

Row = TypeVar("Row", bound=models.Model)
# A key of nobody's: None would match groups without members.
NOBODY = 0


def is_given(model: type[models.Model], user: Any, *, at: str = "pk") -> Q:
    """The condition that the row of `model` whose key stands at `at` is for everybody, or for a
    group that has the user with this key."""
    return ~Q(Exists(_grants(model, at))) | is_in_group_of(model, user, at=at)


def is_withheld(model: type[models.Model], user: Any, *, at: str = "pk") -> Q:
    """The opposite: it is for groups, and the user is in none of them."""
    return Q(Exists(_grants(model, at))) & ~is_in_group_of(model, user, at=at)


def is_in_group_of(model: type[models.Model], user: Any, *, at: str = "pk") -> Q:
    """The condition that the row is for a group that has this user."""
    return Q(Exists(_reaching(model, user, at)))


def without_withheld(rows: list[Row], sees_all: Callable[[], bool]) -> list[Row]:
    """Rows annotated with `is_withheld`, without those for which this is true, unless the user may
    see all: which is only asked where there are such."""
    given = [row for row in rows if not cast(Any, row).is_withheld]
    return given if len(given) == len(rows) or not sees_all() else rows


def names_of(row: Any) -> list[str]:
    """The groups that a row is given to, by name; those of prefetched rows cost no statement."""
    return sorted(group.name for group in row.groups.all())


def _grants(model: type[models.Model], at: str) -> QuerySet[Any]:
    field: Any = model._meta.get_field("groups")
    grants: QuerySet[Any] = field.remote_field.through._base_manager.all()
    return grants.filter(**{field.m2m_field_name(): OuterRef(at)})


def _reaching(model: type[models.Model], user: Any, at: str) -> QuerySet[Any]:
    return _grants(model, at).filter(group__user=user)
