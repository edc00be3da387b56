"""Allowing a program, exchanging its codes and tokens, and ending a connection.

Codes and refresh tokens are used by compare-and-set: of two requests with the same one, also at the
same moment, the second ends the connection.
"""

import base64
import hashlib
import hmac
import secrets
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from audit.models import Action
from audit.recording import record
from limits.mcp_server import (
    MAX_ACCESS_TOKEN_AGE,
    MAX_AUTHORIZATION_CODE_AGE,
    MAX_OAUTH_CLIENTS,
    MAX_REFRESH_TOKEN_AGE,
)
from tokens.commands import made_tokens, revoke_token
from tokens.models import Token, digest
from tokens.programs.models import AuthorizationCode, Connection, OAuthClient, RefreshToken

NAME_CHARACTERS = 80


class GrantRefused(Exception):
    """`code` is an error of RFC 6749, 5.2; the message is for the program's developer."""

    def __init__(self, sentence: str, code: str = "invalid_grant") -> None:
        self.code = code
        super().__init__(sentence)


@dataclass(frozen=True)
class Issued:
    """The secrets that a program gets, which are stored nowhere."""

    access_token: str
    refresh_token: str
    scopes: list[str]


@transaction.atomic
def register(name: str, redirect_uris: list[str]) -> OAuthClient:
    """A program that registers itself. The oldest that nobody connected are forgotten."""
    client = OAuthClient.objects.create(
        client_id=str(uuid.uuid4()), name=name, redirect_uris=redirect_uris
    )
    idle = OAuthClient.objects.filter(is_document=False, connections=None).order_by("-created")
    OAuthClient.objects.filter(
        pk__in=list(idle.values_list("pk", flat=True)[MAX_OAUTH_CLIENTS:])
    ).delete()
    return client


@transaction.atomic
def allow(
    user: User,
    client: OAuthClient,
    *,
    scopes: Collection[str],
    redirect_uri: str,
    challenge: str,
    resource: str,
) -> str:
    """What a person answers to a program: the code."""
    now = timezone.now()
    AuthorizationCode.objects.filter(expires__lt=now - MAX_REFRESH_TOKEN_AGE).delete()
    code = secrets.token_urlsafe(32)
    AuthorizationCode.objects.create(
        digest=digest(code),
        user=user,
        client=client,
        scopes=sorted(scopes),
        redirect_uri=redirect_uri,
        challenge=challenge,
        resource=resource,
        expires=now + MAX_AUTHORIZATION_CODE_AGE,
    )
    record(Action.PROGRAM_ALLOWED, user, client, scopes=sorted(scopes))
    return code


def exchange(
    secret: str, *, client_id: str, redirect_uri: str, verifier: str, resource: str
) -> Issued:
    """The tokens for a code. Raises `GrantRefused`."""
    now = timezone.now()
    codes = AuthorizationCode.objects.select_related("client", "user", "connection")
    code = codes.filter(digest=digest(secret)).first()
    if code is None or code.client.client_id != client_id:
        raise GrantRefused("The code is unknown, or another program's.")
    if not hmac.compare_digest(_challenge(verifier), code.challenge):
        raise GrantRefused("code_verifier does not fit code_challenge.")
    if code.redirect_uri != redirect_uri:
        raise GrantRefused("redirect_uri is not the one of the authorization request.")
    if resource not in ("", code.resource):
        raise GrantRefused("The code is for another resource.", "invalid_target")
    if code.expires <= now or not code.user.is_active:
        raise GrantRefused("The code has expired.")
    issued = _connect(code, now)
    if issued is None:
        _end_reused(AuthorizationCode.objects.get(pk=code.pk).connection)
        raise GrantRefused("The code was used before. The connection is ended.")
    return issued


@transaction.atomic
def _connect(code: AuthorizationCode, now: datetime) -> Issued | None:
    """None if the code was used before."""
    if not code.take(now):
        return None
    connection = Connection.objects.create(
        user=code.user,
        client=code.client,
        scopes=code.scopes,
        resource=code.resource,
        expires=now + MAX_REFRESH_TOKEN_AGE,
    )
    AuthorizationCode.objects.filter(pk=code.pk).update(connection=connection)
    return _issue(connection, connection.scopes, now)


def refresh(secret: str, *, client_id: str, scopes: Collection[str], resource: str) -> Issued:
    """New tokens for a refresh token, with all its scopes or some. Raises `GrantRefused`."""
    now = timezone.now()
    tokens = RefreshToken.objects.select_related("connection__client", "connection__user")
    token = tokens.filter(digest=digest(secret)).first()
    connection = token.connection if token else None
    if token is None or connection is None or connection.client.client_id != client_id:
        raise GrantRefused("The refresh token is unknown or over, or another program's.")
    if token.used is not None:
        _end_reused(connection)
        raise GrantRefused("The refresh token was used before. The connection is ended.")
    if token.expires <= now or connection.ended or not connection.user.is_active:
        raise GrantRefused("The connection is over.")
    if not set(scopes) <= set(connection.scopes):
        raise GrantRefused("A refresh gives no scopes that were not allowed.", "invalid_scope")
    if resource not in ("", connection.resource):
        raise GrantRefused("The refresh token is for another resource.", "invalid_target")
    issued = _rotate(token, connection, scopes or connection.scopes, now)
    if issued is None:
        _end_reused(connection)
        raise GrantRefused("The refresh token was used before. The connection is ended.")
    return issued


@transaction.atomic
def _rotate(
    token: RefreshToken, connection: Connection, scopes: Collection[str], now: datetime
) -> Issued | None:
    """None if the token was used before."""
    if not token.take(now):
        return None
    connection.refresh_tokens.filter(expires__lte=now).delete()
    Connection.objects.filter(pk=connection.pk).update(expires=now + MAX_REFRESH_TOKEN_AGE)
    return _issue(connection, scopes, now)


def _issue(connection: Connection, scopes: Collection[str], now: datetime) -> Issued:
    """The next access token, in place of the one before, and the next refresh token."""
    Token.objects.filter(connection=connection.pk).delete()
    token, access = Token.objects.make(
        connection.user,
        connection.client.name[:NAME_CHARACTERS],
        list(scopes),
        now + MAX_ACCESS_TOKEN_AGE,
        origin=Token.Origin.OAUTH,
    )
    Connection.objects.filter(pk=connection.pk).update(token=token)
    refresh = secrets.token_urlsafe(32)
    connection.refresh_tokens.create(digest=digest(refresh), expires=now + MAX_REFRESH_TOKEN_AGE)
    return Issued(access, refresh, sorted(scopes))


@transaction.atomic
def disconnect(user: User, public_id: uuid.UUID) -> bool:
    """Whether there was such a connection of the user's, which was open until now."""
    connection = Connection.objects.for_user(user).filter(public_id=public_id).first()
    if connection is None or not connection.end():
        return False
    record(Action.PROGRAM_DISCONNECTED, user, connection)
    return True


def count_access(user: User) -> int:
    """By how many API tokens and connections programs can act for the person."""
    codes = _usable_codes(user).count()
    return codes + made_tokens(user).count() + Connection.objects.for_user(user).open().count()


@transaction.atomic
def end_access(user: User) -> None:
    """Ends all API tokens and connections of the person's, and codes that would become such."""
    _usable_codes(user).delete()
    for token in made_tokens(user):
        revoke_token(user, token.public_id)
    for connection in Connection.objects.for_user(user).open():
        disconnect(user, connection.public_id)


def _usable_codes(user: User) -> QuerySet[AuthorizationCode]:
    return AuthorizationCode.objects.filter(user=user, used=None, expires__gt=timezone.now())


@transaction.atomic
def revoke(secret: str) -> None:
    """What a program gives back itself, by either of its tokens (RFC 7009)."""
    hashed = digest(secret)
    connection = (
        Connection.objects.filter(refresh_tokens__digest=hashed).first()
        or Connection.objects.filter(token__digest=hashed).first()
    )
    if connection is not None and connection.end():
        record(Action.PROGRAM_DISCONNECTED, connection.user, connection)


@transaction.atomic
def _end_reused(connection: Connection | None) -> None:
    if connection is not None and connection.end():
        record(Action.PROGRAM_TOKEN_REUSED, connection.user, connection)


def _challenge(verifier: str) -> str:
    """RFC 7636, 4.6, of the method S256."""
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()
