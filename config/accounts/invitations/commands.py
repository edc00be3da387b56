"""Making, sending, accepting and revoking invitations.

InvitationError   its message is a sentence for whoever asked
└── NameTaken     by somebody who was faster; the invitation can still be used
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from audit.models import Action
from audit.recording import record
from config.accounts import addresses, mails
from config.accounts.invitations.model import Invitation
from config.accounts.roles import Role, assign
from languages.later import later
from limits.web import MAX_INVITATION_DAYS, MAX_OPEN_INVITATIONS

UNKNOWN = later("This invitation does not exist. Check that the whole link was opened.")
USED = later("This invitation was used already. It works once; if it was you, sign in.")
REVOKED = later("This invitation was revoked. Ask an admin of this server for a new one.")
EXPIRED = later("This invitation has expired. Ask an admin of this server for a new one.")
CLOSED = later("Sign-up is closed on this server, so this invitation cannot be used.")
HAS_ACCOUNT = later("There is an account with this address already. Sign in to it.")
NAME_TAKEN = later("Somebody else has just taken this name. Choose another one.")
TOO_MANY = later(
    "%(most)s invitations are open, which is the most. Revoke some first.",
    most=MAX_OPEN_INVITATIONS,
)
_SENTENCES = {
    Invitation.State.USED: USED,
    Invitation.State.REVOKED: REVOKED,
    Invitation.State.EXPIRED: EXPIRED,
}


class InvitationError(Exception):
    """The message is a sentence for whoever asked."""


class NameTaken(InvitationError):
    pass


@dataclass(frozen=True)
class Invited:
    """A new invitation; `link` is "" if it went out by mail, so that who uses it has the mail."""

    invitation: Invitation
    link: str
    was_refused_by_mail_server: bool = False


def invite(
    request: HttpRequest,
    by: User | None,
    *,
    email: str = "",
    role: Role = Role.MEMBER,
    groups: Iterable[Group] = (),
    days: int = 7,
) -> Invited:
    """Makes an invitation and mails it, if there are an address and a mail server. Raises
    `InvitationError`."""
    if Invitation.objects.usable().count() >= MAX_OPEN_INVITATIONS:
        raise InvitationError(str(TOO_MANY))
    expires = timezone.now() + timedelta(days=min(days, MAX_INVITATION_DAYS))
    with transaction.atomic():
        invitation, secret = Invitation.objects.make(expires, email=email, role=role, made_by=by)
        invitation.groups.set(groups)
        record(Action.INVITED, by, invitation, role=str(role), groups=_names(invitation))
    link = link_of(request, secret)
    if mails.send(email, "invitation", {"link": link, "invitation": invitation, "by": by}):
        Invitation.objects.filter(pk=invitation.pk).update(mailed=True)
        invitation.mailed = True
        return Invited(invitation, "")
    return Invited(invitation, link, was_refused_by_mail_server=bool(email and settings.HAS_MAIL))


def link_of(request: HttpRequest, secret: str) -> str:
    """The secret is in the query, since logs contain paths only."""
    path = f"{reverse('account_invitation')}?key={secret}"
    if settings.ROUNDTRIP_URL:
        return f"{settings.ROUNDTRIP_URL}{path}"
    return str(request.build_absolute_uri(path))


def usable(secret: str) -> Invitation:
    """The invitation of this secret. Raises `InvitationError`: why it cannot be used."""
    if settings.SIGNUP == "closed":
        raise InvitationError(str(CLOSED))
    invitation = Invitation.objects.of_secret(secret)
    if invitation is None:
        raise InvitationError(str(UNKNOWN))
    if sentence := _SENTENCES.get(invitation.state):
        raise InvitationError(str(sentence))
    return invitation


def accept(invitation: Invitation, username: str, password: str) -> User:
    """Makes the account. Of two who accept at once one gets it; raises `InvitationError` for the
    other one."""
    if invitation.mailed and addresses.is_verified(invitation.email):
        raise InvitationError(str(HAS_ACCOUNT))
    with transaction.atomic():
        user = _new_user(username, password, invitation.email)
        if not Invitation.objects.take(invitation.pk, user):
            current = Invitation.objects.get(pk=invitation.pk)
            raise InvitationError(str(_SENTENCES.get(current.state, USED)))
        assign(user, Role(invitation.role))
        user.groups.set(invitation.groups.all())
        if invitation.mailed:
            address = {"email": invitation.email, "verified": True, "primary": True}
            EmailAddress.objects.create(user=user, **address)
        record(Action.INVITATION_ACCEPTED, user, invitation, role=invitation.role)
    return user


def _new_user(username: str, password: str, email: str) -> User:
    try:
        with transaction.atomic():
            return User.objects.create_user(username, email=email, password=password)
    except IntegrityError:
        raise NameTaken(str(NAME_TAKEN)) from None


def revoke(by: User, invitation: Invitation) -> bool:
    """Whether it could be used until now."""
    if not Invitation.objects.revoke(invitation.public_id):
        return False
    record(Action.INVITATION_REVOKED, by, invitation)
    return True


def _names(invitation: Invitation) -> list[str]:
    return sorted(invitation.groups.values_list("name", flat=True))
