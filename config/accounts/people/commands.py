"""What admins do with one person. Each is recorded; none can take the last admin away.

Raises `chat.errors.Rejected` with a sentence for the admin.
"""

from collections.abc import Iterable

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import AccountDeletion, DataArchive
from chat.own_data import deletion
from config.accounts.links import path_for
from config.accounts.roles import ASSIGNABLE, Role, assign, role_of


def change_role(by: User, user: User, role: Role) -> bool:
    """Whether it was another one."""
    if role not in ASSIGNABLE:
        raise Rejected(_("This role cannot be given. Choose one of the list."))
    with transaction.atomic():
        before = role_of(user)
        if user.is_superuser and role != Role.ADMIN:
            deletion.refuse_last_admin(user)
        if not assign(user, role):
            return False
        record(Action.ROLE_CHANGED, by, user, before=str(before), after=str(role))
    return True


def change_groups(by: User, user: User, groups: Iterable[Group]) -> bool:
    """Whether they were others."""
    before, after = set(user.groups.all()), set(groups)
    if before == after:
        return False
    with transaction.atomic():
        user.groups.set(after)
        record(
            Action.GROUPS_CHANGED,
            by,
            user,
            added=sorted(one.name for one in after - before),
            removed=sorted(one.name for one in before - after),
        )
    return True


def deactivate(by: User, user: User) -> bool:
    """Whether the account was active. Its sessions end, its turns stop; sockets are closed within
    seconds (`chat.live.rights`), tokens refused at once (`tokens.access`)."""
    with transaction.atomic():
        if user.is_superuser:
            deletion.refuse_last_admin(user)
        if User.objects.filter(pk=user.pk, is_active=True).update(is_active=False) != 1:
            return False
        record(Action.ACCOUNT_DEACTIVATED, by, user)
    deletion.sign_out(user)
    deletion.stop_turns(user)
    return True


def activate(by: User, user: User) -> bool:
    """Whether the account was inactive. One that is being deleted stays so."""
    if AccountDeletion.objects.filter(user=user).exists():
        raise Rejected(_("This account is being deleted."))
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True) != 1:
        return False
    record(Action.ACCOUNT_ACTIVATED, by, user)
    return True


def sign_out_everywhere(by: User, user: User) -> int:
    """How many sessions ended."""
    count = deletion.sign_out(user)
    record(Action.SESSIONS_ENDED, by, user, sessions=count)
    return count


def sign_in_link(by: User, user: User) -> str:
    """Path and query of a new one-time link, for who forgot their password."""
    if not user.is_active:
        raise Rejected(_("This account is deactivated. Activate it first."))
    record(Action.SIGN_IN_LINK_MADE, by, user)
    return path_for(user)


def delete(by: User, user: User, *, without_export: bool = False) -> AccountDeletion:
    """Begins the deletion of the account. Its data have to be exported first, or explicitly not."""
    archives = DataArchive.objects.for_user(user)
    if not without_export and not any(archive.is_ready for archive in archives):
        raise Rejected(
            _("Export the data of this person first, or say that nobody needs an export.")
        )
    return deletion.ask(user, by)
