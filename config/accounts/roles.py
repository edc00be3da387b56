"""The roles of people: what they may do beyond their own.

| Role | Rights |
|---|---|
| admin | a superuser: everything |
| member | no rights beyond their own |
| viewer of traces | reads the traces of everybody and the dashboard, changes nothing |
| with own permissions | staff whose permissions were chosen one by one in the admin |

A role is not stored: it follows from Django's columns and permissions, so the admin and this module
cannot contradict each other.
"""

from collections.abc import Iterable

from django.contrib.auth.models import Permission, User
from django.db import models, transaction
from django.db.models import Q, QuerySet

from languages.later import later
from tracing.permissions import VIEW_DASHBOARD, VIEW_TRACE

VIEWER_PERMISSIONS = frozenset({VIEW_TRACE, VIEW_DASHBOARD})


class Role(models.TextChoices):
    ADMIN = "admin", later("Admin")
    MEMBER = "member", later("Member")
    VIEWER = "viewer", later("Viewer of traces")
    # Shown, never chosen.
    CUSTOM = "custom", later("With permissions of their own")


ASSIGNABLE = (Role.MEMBER, Role.VIEWER, Role.ADMIN)
CHOICES = [(role.value, role.label) for role in ASSIGNABLE]
MEANINGS = {
    Role.MEMBER: later("Uses what everybody and their groups have."),
    Role.VIEWER: later("Also reads the traces of everybody and the dashboard; changes nothing."),
    Role.ADMIN: later("Everything: people, models, servers, traces, this deployment."),
}


def with_roles(people: QuerySet[User]) -> QuerySet[User]:
    """The people, with what `role_of` reads of each, in few statements for all of them."""
    return people.prefetch_related(
        "user_permissions__content_type", "groups__permissions__content_type"
    )


def role_of(user: User) -> Role:
    if user.is_superuser:
        return Role.ADMIN
    if not user.is_staff:
        return Role.MEMBER
    own = set(_names(user.user_permissions.all()))
    by_groups = {name for group in user.groups.all() for name in _names(group.permissions.all())}
    return Role.VIEWER if own | by_groups == VIEWER_PERMISSIONS else Role.CUSTOM


def assign(user: User, role: Role) -> bool:
    """Gives a role; whether it was another one. Permissions that somebody had by themselves go;
    those of groups count for staff only, and so for viewers."""
    if role_of(user) == role:
        return False
    with transaction.atomic():
        user.is_superuser, user.is_staff = role == Role.ADMIN, role != Role.MEMBER
        columns = {"is_superuser": user.is_superuser, "is_staff": user.is_staff}
        User.objects.filter(pk=user.pk).update(**columns)
        user.user_permissions.set(_permissions() if role == Role.VIEWER else ())
    return True


def _permissions() -> QuerySet[Permission]:
    chosen = Q()
    for name in VIEWER_PERMISSIONS:
        app, _, codename = name.partition(".")
        chosen |= Q(content_type__app_label=app, codename=codename)
    return Permission.objects.filter(chosen)


def _names(permissions: Iterable[Permission]) -> Iterable[str]:
    return (f"{one.content_type.app_label}.{one.codename}" for one in permissions)
