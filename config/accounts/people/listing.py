from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Q

from config.accounts.mfa.factors import users_with_factor
from config.accounts.roles import Role, role_of, with_roles
from limits.web import MAX_LISTED_PEOPLE
from tokens.second_factor import is_required


@dataclass(frozen=True)
class Person:
    user: User
    role: Role
    groups: Sequence[str]
    has_factor: bool
    lacks_factor: bool


def people_page(query: str, number: str | None) -> tuple[Page[User], list[Person]]:
    """A page of the people whose name or address has `query`, by name."""
    rows = User.objects.order_by("username")
    if query:
        rows = rows.filter(Q(username__icontains=query) | Q(email__icontains=query))
    page = Paginator(with_roles(rows), MAX_LISTED_PEOPLE).get_page(number)
    users = list(page.object_list)
    secured = users_with_factor([user.pk for user in users])
    return page, [_person(user, user.pk in secured) for user in users]


def person(user: User) -> Person:
    return _person(user, bool(users_with_factor([user.pk])))


def _person(user: User, has_factor: bool) -> Person:
    groups = sorted(group.name for group in user.groups.all())
    return Person(user, role_of(user), groups, has_factor, is_required(user) and not has_factor)
