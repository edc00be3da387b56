"""What people may do beyond their own: permissions of Django's, each asked for here alone.

They count for staff; superusers have all of them. `is_staff` by itself opens the admin, and nothing
in it. A user object looks up its permissions once, and only for staff: anybody else costs no query.
"""

from django.contrib.auth.models import Permission
from django.db.models import Exists, Q

from db.users import AnyUser
from languages.later import later

VIEW_TRACE = "tracing.view_trace"
DELETE_TRACE = "tracing.delete_trace"
VIEW_DASHBOARD = "tracing.view_dashboard"

# What each means, as the admin says it.
MEANINGS = {
    VIEW_TRACE: later("read the traces of everybody, with what was said and attached in them"),
    DELETE_TRACE: later("delete the traces of everybody, together with tracing.view_trace"),
    VIEW_DASHBOARD: later("see the dashboard, and /metrics without a token"),
}


def holds(user: AnyUser, permission: str) -> bool:
    """Whether this user has a permission, such as `tracing.view_trace`."""
    is_admin = getattr(user, "is_superuser", False) or getattr(user, "is_staff", False)
    return bool(is_admin and user.has_perm(permission))


def holds_within(user: AnyUser, *permissions: str) -> Q:
    """Whether this user has one of these permissions of one app, as a condition within a statement,
    which then needs no further one. It looks at nothing of the user but the key and the two flags.
    """
    nobody = Q(pk__in=())
    if user.is_superuser:
        return ~nobody
    if not user.is_staff:
        return nobody
    app = permissions[0].partition(".")[0]
    granted = Permission.objects.filter(
        Q(user=user.pk) | Q(group__user=user.pk),
        content_type__app_label=app,
        codename__in=[name.partition(".")[2] for name in permissions],
    )
    return Q(Exists(granted.order_by()))


def held(user: AnyUser) -> frozenset[str]:
    """All that this user has; for a superuser one word that stands for all."""
    if user.is_superuser:
        return frozenset({"all"})
    return frozenset({"staff", *user.get_all_permissions()}) if user.is_staff else frozenset()


def may_view_traces(user: AnyUser) -> bool:
    return holds(user, VIEW_TRACE)
