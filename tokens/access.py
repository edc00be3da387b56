"""From a bearer token to the person it stands for and what it allows.

TokenError
├── TokenRefused   unknown, revoked or expired, or its person may not sign in: 401
└── ScopeMissing   the token does not allow it: 403
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from languages.later import later
from limits.api import MAX_TOKEN_SECRET
from tokens.models import Scope, Token, digest
from tokens.narrowed import narrow
from tokens.second_factor import is_lacking

# How far `last_use` may lag behind: a write a minute and token, not one a request.
LAST_USE_STEP = timedelta(minutes=1)
REFUSED = later("This token is unknown, expired or revoked. Make a new one in the settings.")
MISSING = later("This token lacks the scope “%(scope)s”. Make one that has it in the settings.")


class TokenError(Exception):
    """The message is a sentence for whoever sent the request."""


class TokenRefused(TokenError):
    def __init__(self) -> None:
        super().__init__(str(REFUSED))


class ScopeMissing(TokenError):
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        super().__init__(str(MISSING) % {"scope": scope.value})


@dataclass(frozen=True)
class Access:
    """Who a request acts for, and within which scopes."""

    user: User
    scopes: frozenset[str]
    token: Token

    def require(self, scope: Scope) -> None:
        """Raises `ScopeMissing`."""
        if scope not in self.scopes:
            raise ScopeMissing(scope)


def bearer(authorization: str) -> str:
    """The secret in a header `Authorization: Bearer …`; "" if there is none."""
    scheme, _, secret = authorization.partition(" ")
    return secret.strip() if scheme.casefold() == "bearer" else ""


def access_of(secret: str, *, of_oauth: bool = False) -> Access:
    """Raises `TokenRefused`. Tokens that OAuth gave to programs are for the MCP server alone, which
    asks for them with `of_oauth` (RFC 8707: a token is for the resource that it was asked for)."""
    if not secret or len(secret) > MAX_TOKEN_SECRET:
        raise TokenRefused
    rows = Token.objects.usable().select_related("user__personal")
    token = rows.filter(digest=digest(secret)).first()
    if token is None or (token.origin == Token.Origin.OAUTH and not of_oauth):
        raise TokenRefused
    if is_lacking(token.user):
        raise TokenRefused
    _note_use(token)
    return Access(_within(token.user, token.scopes), frozenset(token.scopes), token)


def usable_tokens(keys: Collection[int]) -> dict[int, Token]:
    """Those of the tokens with these keys that still let in, with their users: for what stays open
    after `access_of`, which asks again every few seconds."""
    tokens = Token.objects.usable().select_related("user").filter(pk__in=keys)
    return {token.pk: token for token in tokens if not is_lacking(token.user)}


def _within(user: User, scopes: list[str]) -> User:
    """The user as the token has them: without `admin` they have no rights beyond their own."""
    if Scope.ADMIN not in scopes:
        narrow(user)
    return user


def _note_use(token: Token) -> None:
    now = timezone.now()
    if token.last_use is None or now - token.last_use >= LAST_USE_STEP:
        stale = Q(last_use=None) | Q(last_use__lte=now - LAST_USE_STEP)
        Token.objects.filter(stale, pk=token.pk).update(last_use=now)
