"""Sessions that are signed in as somebody (OAuth): in the `tools` worker, which has the tokens.

A session is signed in as exactly one account, and shared only by calls of the same user; whoever
has no account gets a sentence, never another's.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx2
from django.db import connection
from django.utils import timezone

from languages.stored import stored
from tools.accounts.connections import connected, metadata_url, public_url
from tools.errors import ConnectionFailed, FailureKind
from tools.mcp.oauth import Client, Discovered, Provider
from tools.mcp.sdk import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken
from tools.models import Account, Server
from tools.values.server_config import NeedsAccount, ServerConfig
from tools.values.tool import Tool

T = TypeVar("T")

MARGIN_S = 30  # a token is refreshed a little before it expires


def client_of(server: Server, redirect_uri: str = "") -> Client:
    """What we are to the authorization server of `server`."""
    return Client(
        redirect_uri=redirect_uri or public_url("oauth:callback"),
        metadata_url=metadata_url(),
        id=server.oauth_client_id,
        secret=server.oauth_client_secret,
        scope=server.oauth_scope,
    )


def signed_in(tool: Tool, user_pk: int | None) -> Tool:
    """`tool` with this user's account, if its server wants one and the user has one."""
    if tool.config is None:
        return tool
    return replace(tool, config=configured(tool.config, user_pk))


def configured(config: ServerConfig, user_pk: int | None) -> ServerConfig:
    """`config` with this user's account, if the server wants one and the user has one."""
    needed_account = config.sign_in
    if not isinstance(needed_account, NeedsAccount) or user_pk is None:
        return config
    server = Server.objects.filter(pk=needed_account.server_pk).first()
    account = connected(server, user_pk) if server else None
    if server is None or account is None:
        return config
    since = account.connected.timestamp()
    return replace(config, sign_in=AsAccount(account.pk, since, client_of(server)))


@dataclass(frozen=True)
class AsAccount:
    """Signs a session in with stored tokens; equal for all sessions of one account."""

    account_pk: int
    since: float  # connected anew: another session
    client: Client

    def __call__(self, config: ServerConfig) -> httpx2.Auth:
        storage = Stored(self.account_pk, self.client)
        return Provider(config, self.client, storage, Nobody(storage))


class Nobody:
    """No person is there to sign in: the call says so, and the next sign-in asks for the rights
    that were wanted."""

    def __init__(self, storage: "Stored") -> None:
        self._storage = storage

    async def open(self, url: str) -> None:
        scope = parse_qs(urlsplit(url).query).get("scope", [""])[0]
        await self._storage.want(scope)
        raise _account_ended()

    async def returned(self) -> AuthorizationCodeResult:
        raise _account_ended()


def _account_ended() -> ConnectionFailed:
    reason = stored("the person has to connect their account to this server again")
    return ConnectionFailed(reason, FailureKind.ACCOUNT_ENDED)


class Stored:
    """The SDK's `TokenStorage`, and what was discovered, on an account's row."""

    def __init__(self, account_pk: int, client: Client) -> None:
        self._account_pk = account_pk
        self._client = client

    async def get_tokens(self) -> OAuthToken | None:
        account = await in_thread(self._account)
        if account is None or not account.tokens:
            return None
        tokens = OAuthToken.model_validate(account.tokens)
        if account.expires is not None:
            seconds_left = account.expires.timestamp() - time.time() - MARGIN_S
            tokens.expires_in = round(seconds_left)
        return tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await in_thread(self._keep, tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        if registered := self._client.registered:
            return registered
        account = await in_thread(self._account)
        known = account.client.get("registered") if account else None
        if not known:
            return None
        return OAuthClientInformationFull.model_validate(known)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        known = client_info.model_dump(mode="json", exclude_none=True)
        await in_thread(self._remember, "registered", known)

    async def get_discovered(self) -> Discovered | None:
        account = await in_thread(self._account)
        known = account.client.get("discovered") if account else None
        return Discovered.of(known) if known else None

    async def set_discovered(self, discovered: Discovered) -> None:
        await in_thread(self._remember, "discovered", discovered.as_json())

    async def want(self, scope: str) -> None:
        """Keep for the next sign-in what to ask for."""
        await in_thread(self._remember, "scope", scope)

    def _account(self) -> Account | None:
        return Account.objects.filter(pk=self._account_pk).first()

    def _keep(self, tokens: OAuthToken) -> None:
        now = timezone.now()
        lasts = tokens.expires_in
        Account.objects.filter(pk=self._account_pk).update(
            tokens=tokens.model_dump(mode="json", exclude_none=True),
            expires=None if lasts is None else now + timedelta(seconds=lasts),
        )

    def _remember(self, what: str, known: dict[str, Any]) -> None:
        account = self._account()
        if account is not None:
            account.client = {**account.client, what: known}
            account.save(update_fields=["client"])


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """A function that uses the ORM, away from the loop."""
    return await asyncio.to_thread(_and_let_go, function, *args)


def _and_let_go(function: Callable[..., T], *args: Any) -> T:
    try:
        return function(*args)
    finally:
        if not connection.in_atomic_block:
            connection.close()
