"""Links of accounts with those of the sign-in provider that an address made, and their undoing: for
links that a provider's false statement made, see `docs/people.md`."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.db import transaction

from audit.models import Action, Event
from audit.recording import record
from chat.own_data.deletion import sign_out
from config.accounts.oidc.adapter import BY_ADDRESS
from config.accounts.oidc.claims import stored_address
from db.users import AnyUser
from tokens.programs.commands import end_access

# An account that a sign-up made is as old as its link.
_SIGN_UP = timedelta(minutes=1)


@dataclass(frozen=True)
class AddressLink:
    id: int
    user: User
    since: datetime
    # What the provider said at the latest sign-in.
    email: str
    is_verified: bool
    # Whether the audit log has the row; it does not keep rows for ever.
    is_recorded: bool


def address_links() -> list[AddressLink]:
    """The links that an address made, or may have made, oldest first."""
    events = Event.objects.filter(action=Action.ACCOUNT_LINKED)
    ways: dict[str, set[str]] = defaultdict(set)
    for event in events:
        ways[event.target_id].add(event.detail.get("by"))
    accounts = SocialAccount.objects.select_related("user").order_by("date_joined", "pk")
    return [
        _link(account, is_recorded=BY_ADDRESS in ways[str(account.user_id)])
        for account in accounts
        if BY_ADDRESS in ways[str(account.user_id)]
        or not (ways[str(account.user_id)] or _is_sign_up(account))
    ]


@transaction.atomic
def undo(by: AnyUser | None, link_id: int) -> User | None:
    """Ends the link, and with it the person's sessions, API tokens and connected programs; None if
    there is no such link."""
    account = SocialAccount.objects.select_related("user").filter(pk=link_id).first()
    if account is None:
        return None
    user: User = account.user
    account.delete()
    sign_out(user)
    end_access(user)
    record(Action.ACCOUNT_UNLINKED, by, user, by="admin")
    return user


def _is_sign_up(account: SocialAccount) -> bool:
    return bool(account.date_joined - account.user.date_joined < _SIGN_UP)


def _link(account: SocialAccount, *, is_recorded: bool) -> AddressLink:
    email, is_verified = stored_address(account.extra_data)
    return AddressLink(
        id=account.pk,
        user=account.user,
        since=account.date_joined,
        email=email,
        is_verified=is_verified,
        is_recorded=is_recorded,
    )
