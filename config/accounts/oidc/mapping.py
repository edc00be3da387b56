"""What the groups of a person at the provider give here: a role, and groups (`OIDC_ROLES`).

At every sign-in they are given and taken again; what the mapping does not name is left alone. The
last admin stays one.
"""

import logging

from django.contrib.auth.models import Group, User
from django.db import transaction

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from config.accounts.oidc.claims import Claims
from config.accounts.people import commands
from config.accounts.roles import Role, role_of
from config.oidc_settings import GROUP, OIDC

logger = logging.getLogger(__name__)

# Of several, the first one that is given.
_ORDER = (Role.ADMIN, Role.VIEWER, Role.MEMBER)


def granted(claims: Claims, oidc: OIDC) -> set[str]:
    """What the groups of the claim give, as `OIDC_ROLES` says it."""
    return {given for group, given in oidc.roles.items() if group in claims.groups}


def apply(user: User, claims: Claims, oidc: OIDC) -> None:
    given = granted(claims, oidc)
    with transaction.atomic():
        _apply_role(user, given, oidc)
        _apply_groups(user, given, oidc)


def _apply_role(user: User, given: set[str], oidc: OIDC) -> None:
    current = role_of(user)
    wanted = next((role for role in _ORDER if role.value in given), None)
    if wanted is None:
        if current.value not in oidc.managed_roles:
            return
        wanted = Role.MEMBER
    try:
        commands.change_role(user, user, wanted)
    except Rejected:
        logger.warning("%s stays an admin: there would be none left", user.get_username())


def _apply_groups(user: User, given: set[str], oidc: OIDC) -> None:
    wanted = {one.removeprefix(GROUP) for one in given if one.startswith(GROUP)}
    managed = oidc.managed_groups
    before = set(user.groups.filter(name__in=managed).values_list("name", flat=True))
    if before == wanted:
        return
    user.groups.remove(*user.groups.filter(name__in=managed - wanted))
    user.groups.add(*(Group.objects.get_or_create(name=name)[0] for name in sorted(wanted)))
    added, removed = sorted(wanted - before), sorted(before - wanted)
    record(Action.GROUPS_CHANGED, user, user, added=added, removed=removed, by="oidc")
