"""Sockets of programs: their tokens, and what the scopes of these allow.

A token comes as a subprotocol of the handshake, `roundtrip.bearer.<token>`, or in the first frame.
A handshake with such a subprotocol, or without cookie and Origin, is a program's (`PROGRAM` in its
scope, set by `config.same_origin`): its cookies do not count.
"""

from typing import Any

from django.contrib.auth.models import User

from chat.live.rights import Ticket
from db.threads import from_loop
from tokens.access import Access, TokenRefused, access_of
from tokens.models import Scope
from tracing.permissions import held

PROGRAM = "roundtrip.program"
SUBPROTOCOL = "roundtrip"
BEARER = "roundtrip.bearer."
# Of each frame to the server; what is not listed needs none.
SCOPES = {
    "open": Scope.READ,
    "watch": Scope.READ,
    "send": Scope.CHAT,
    "stop": Scope.CHAT,
    "decide": Scope.CHAT,
    "answer": Scope.CHAT,
    "writing": Scope.CHAT,
}


def is_program(scope: dict[str, Any]) -> bool:
    return bool(scope.get(PROGRAM))


def secret_of(scope: dict[str, Any]) -> str:
    """The token in a subprotocol; "" without one."""
    named = (one for one in scope.get("subprotocols", ()) if one.startswith(BEARER))
    return next(named, "").removeprefix(BEARER)


def chosen_subprotocol(scope: dict[str, Any]) -> str | None:
    """What the handshake is answered with: `roundtrip` if it is offered, else the token's own,
    since a browser fails if none of those that it offers is chosen."""
    offered = scope.get("subprotocols", ())
    if SUBPROTOCOL in offered:
        return SUBPROTOCOL
    return next((one for one in offered if one.startswith(BEARER)), None)


async def admitted(secret: object) -> tuple[User, Ticket, frozenset[str]] | None:
    """Whose token it is, the rights of a socket with it, and its scopes; None if it is refused."""
    if not isinstance(secret, str):
        return None
    try:
        return await from_loop(_admitted, secret)
    except TokenRefused:
        return None


def _admitted(secret: str) -> tuple[User, Ticket, frozenset[str]]:
    access: Access = access_of(secret)
    permissions = held(access.user)
    ticket = Ticket("", access.user.pk, permissions, token_id=access.token.pk)
    return access.user, ticket, access.scopes
