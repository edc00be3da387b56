"""Nobody gives a permission that they lack, or changes somebody who has more than they have.

A superuser has everything. Of others the permissions count, given to themselves or to their groups;
also of somebody who is not staff, or not active, and would have them as soon as they were.
"""

from collections.abc import Iterable

from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q, QuerySet

from db.users import AnyUser


def givable_permissions(actor: AnyUser) -> QuerySet[Permission]:
    """The permissions that `actor` has."""
    every = Permission.objects.select_related("content_type")
    if actor.is_superuser:
        return every
    own = Q(user=actor.pk or 0) | Q(group__user=actor.pk or 0)
    return every.filter(pk__in=Permission.objects.filter(own).order_by().values("pk"))


def givable_groups(actor: AnyUser) -> QuerySet[Group]:
    """The groups that have no permission beyond those of `actor`."""
    if actor.is_superuser:
        return Group.objects.all()
    return Group.objects.exclude(permissions__in=_lacking(actor))


def may_give(actor: AnyUser, group: Group) -> bool:
    return givable_groups(actor).filter(pk=group.pk).exists()


def changeable_users(actor: AnyUser) -> QuerySet[User]:
    """Those who have nothing that `actor` lacks."""
    if actor.is_superuser:
        return User.objects.all()
    lacking = _lacking(actor).values("pk")
    more = Q(user_permissions__in=lacking) | Q(groups__permissions__in=lacking)
    above = User.objects.filter(more | Q(is_superuser=True)).order_by().values("pk")
    return User.objects.exclude(pk__in=above)


def may_change(actor: AnyUser, user: User) -> bool:
    return changeable_users(actor).filter(pk=user.pk).exists()


def who_has_more(actor: AnyUser, users: Iterable[User]) -> list[User]:
    """Those of the users whom `actor` may not change."""
    named = list(users)
    changeable = set(changeable_users(actor).filter(pk__in=[user.pk for user in named]))
    return [user for user in named if user not in changeable]


def _lacking(actor: AnyUser) -> QuerySet[Permission]:
    return Permission.objects.exclude(pk__in=givable_permissions(actor).order_by().values("pk"))
