"""Whether the session, the user and the permissions of an open socket still hold."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from db import prepared
from tokens.access import usable_tokens
from tokens.models import Scope, Token
from tokens.second_factor import is_lacking
from tracing.permissions import held


@dataclass(frozen=True)
class Ticket:
    """The rights with which a socket was opened."""

    session_key: str
    user_id: int
    # Permissions of staff (`tracing.permissions.held`).
    permissions: frozenset[str] = frozenset()
    # Of a program: its token, which counts in place of a session.
    token_id: int = 0


def valid(tickets: set[Ticket]) -> set[Ticket]:
    """The tickets whose session exists and belongs to the user, and whose user is active, has
    all of the permissions, and the second factor that may be required. Two queries, and two for
    each socket of staff."""
    if len(tickets) == 1:
        (only,) = tickets
        return tickets if _is_valid(only) else set()
    of_tokens = {ticket for ticket in tickets if ticket.token_id}
    return _with_tokens(of_tokens) | _with_sessions(tickets - of_tokens)


def _with_sessions(tickets: set[Ticket]) -> set[Ticket]:
    if not tickets:
        return set()
    keys = [ticket.session_key for ticket in tickets]
    alive = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    sessions = {session.session_key: session.get_decoded() for session in alive}
    users = User.objects.in_bulk({ticket.user_id for ticket in tickets})
    return {
        ticket
        for ticket in tickets
        if _holds(sessions.get(ticket.session_key, {}), users.get(ticket.user_id), ticket)
    }


def _with_tokens(tickets: set[Ticket]) -> set[Ticket]:
    """Those whose token still lets in, of a user with all permissions."""
    if not tickets:
        return set()
    tokens = usable_tokens([ticket.token_id for ticket in tickets])
    return {ticket for ticket in tickets if _may(ticket, tokens.get(ticket.token_id))}


def _may(ticket: Ticket, token: Token | None) -> bool:
    if token is None:
        return False
    has_more = Scope.ADMIN in token.scopes and ticket.permissions <= held(token.user)
    return not ticket.permissions or has_more


# Prepared here, because Django's own models have Django's querysets.
@prepared.first
def _session(sessions: "QuerySet[Session]", key: str, now: datetime) -> "QuerySet[Session]":
    return sessions.filter(session_key=key, expire_date__gt=now)


@prepared.first
def _user(users: "QuerySet[User]", user: int) -> "QuerySet[User]":
    return users.filter(pk=user)


def _is_valid(ticket: Ticket) -> bool:
    """The same as `valid` for one ticket, by prepared statements."""
    if ticket.token_id:
        return bool(_with_tokens({ticket}))
    session = _session(Session.objects.all(), ticket.session_key, timezone.now())
    user = _user(User.objects.all(), ticket.user_id)
    return session is not None and _holds(session.get_decoded(), user, ticket)


def _holds(session: dict[str, Any], user: User | None, ticket: Ticket) -> bool:
    if user is None or not user.is_active or session.get(SESSION_KEY) != str(ticket.user_id):
        return False
    if is_lacking(user):
        return False
    if ticket.permissions and not ticket.permissions <= held(user):
        return False
    return constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
