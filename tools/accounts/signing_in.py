"""The worker's half of a sign-in (`tools.accounts.sign_ins`): the SDK's flow, its browser a row.

It is a coroutine that reads the row until the person is back: it holds no thread. If the worker
ends meanwhile, the sign-in times out, and the person begins again.
"""

import asyncio
import logging
import tempfile
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.db import transaction
from django.utils import timezone

import jobs
from jobs import State
from languages.stored import stored
from tools import guard
from tools.accounts.sessions import Stored, client_of, in_thread
from tools.accounts.sign_ins import LATE, SIGN_IN, fail
from tools.errors import OUR_FAULT, ConnectionFailed
from tools.mcp import listing
from tools.mcp.connection import Connection
from tools.mcp.listing import Finding
from tools.mcp.oauth import Client, Provider
from tools.mcp.sdk import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthToken,
    union_scopes,
)
from tools.models import Account, Server, SignIn

logger = logging.getLogger(__name__)

EVERY_S = 0.5


async def run(sign_in_pk: int) -> None:
    """The whole flow; what goes wrong is written to the row."""
    row = await in_thread(jobs.take, SIGN_IN, sign_in_pk, "server")
    if row is None:
        return
    try:
        with jobs.keep_alive(SIGN_IN, row):
            finding, storage = await _connect(row)
        if finding.error:
            await in_thread(fail, row, finding.error)
        elif storage.tokens is None:
            await in_thread(fail, row, stored("the server let us in without asking for an account"))
        else:
            await in_thread(_keep, row, storage, finding)
    except Exception:
        logger.exception("the sign-in %s failed", row.public_id)
        await in_thread(fail, row, OUR_FAULT)


async def _connect(row: SignIn) -> tuple[Finding, "New"]:
    known = await in_thread(_known, row)
    client = client_of(row.server, row.returned["redirect_uri"])
    client = replace(client, scope=union_scopes(client.scope, known.get("scope")) or "")
    storage = New(client, known)
    config = replace(
        row.server.config(),
        timeout_s=SignIn.LASTS.total_seconds(),
        sign_in=lambda config: Provider(config, client, storage, Returning(row.pk)),
        era="",
    )
    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as folder:
        connection = Connection(config.placed(Path(folder)))
        try:
            return await listing.ask(connection), storage
        finally:
            await connection.close()


def _known(row: SignIn) -> dict[str, Any]:
    account = Account.objects.filter(server=row.server, user=row.user_id).first()
    is_known = account is not None and account.client.get("url") == row.server.url
    return dict(account.client) if account is not None and is_known else {}


@transaction.atomic
def _keep(row: SignIn, storage: "New", finding: Finding) -> None:
    """The account is connected, the sign-in is over; what the server listed is kept, if nobody
    has seen its list yet."""
    if not jobs.finish(SIGN_IN, row):
        return  # given up meanwhile
    SignIn.objects.filter(pk=row.pk).delete()
    tokens = storage.tokens
    assert tokens is not None
    lasts = tokens.expires_in
    now = timezone.now()
    Account.objects.update_or_create(
        server=row.server,
        user_id=row.user_id,
        defaults={
            "tokens": tokens.model_dump(mode="json", exclude_none=True),
            "client": {**storage.client, "url": row.server.url},
            "expires": None if lasts is None else now + timedelta(seconds=lasts),
            "connected": now,
        },
    )
    if Server.objects.editable_by(row.user).filter(pk=row.server_id).exists():
        listing.store(row.server, finding)


class New(Stored):
    """Tokens and client of a sign-in, in memory until it has succeeded."""

    def __init__(self, client: Client, known: dict[str, Any]) -> None:
        super().__init__(0, client)
        self.client = {key: known[key] for key in ("registered",) if key in known}
        self.tokens: OAuthToken | None = None

    def _account(self) -> Account:
        return Account(client=self.client)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Unless it was registered when we had another address: useless for a new sign-in."""
        info = await super().get_client_info()
        uris = [str(uri) for uri in (info and info.redirect_uris) or []]
        return info if not uris or self._client.redirect_uri in uris else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    def _remember(self, what: str, known: dict[str, Any]) -> None:
        self.client[what] = known


@dataclass(frozen=True)
class Returning:
    """A browser whose way leads through the row of a sign-in."""

    sign_in_pk: int

    async def open(self, url: str) -> None:
        if why := guard.problem(url):
            raise ConnectionFailed(
                stored("names a page to sign in at that is none: %(why)s", why=why)
            )
        state = parse_qs(urlsplit(url).query).get("state", [""])[0]
        await in_thread(self._show, url, state)

    async def returned(self) -> AuthorizationCodeResult:
        try:
            async with asyncio.timeout(SignIn.LASTS.total_seconds()):
                while (given := await in_thread(self._given)) is None:
                    await asyncio.sleep(EVERY_S)
        except TimeoutError:
            raise ConnectionFailed(LATE) from None
        return AuthorizationCodeResult(
            code=given.get("code", ""), state=given.get("state"), iss=given.get("iss")
        )

    def _show(self, url: str, state: str) -> None:
        rows = SignIn.objects.filter(pk=self.sign_in_pk, state=State.RUNNING, came_back=None)
        if not rows.update(authorization_url=url, state_token=state):
            raise ConnectionFailed(stored("the sign-in was given up"))

    def _given(self) -> dict[str, Any] | None:
        row = SignIn.objects.filter(pk=self.sign_in_pk).first()
        if row is None:
            raise ConnectionFailed(stored("the sign-in was given up"))
        if row.state == State.FAILED:
            raise ConnectionFailed(row.error)
        return row.returned if row.came_back else None
