"""A program with the public SDK's OAuth client, and the browser of the person who allows it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx2
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from tests.signing_in import session_cookie

CALLBACK = "http://127.0.0.1:49152/callback"


class Storage:
    """The `TokenStorage` of a program that forgets all when it ends."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """A signed-in browser, which opens what a program asks it to and answers the page."""

    def __init__(self, user: User, decision: str = "allow") -> None:
        self.user, self.decision = user, decision
        self.pages: list[str] = []
        self.answer = ""

    async def open(self, address: str) -> None:
        cookie = await sync_to_async(session_cookie)(self.user)
        async with httpx2.AsyncClient(headers={"Cookie": cookie}) as browser:
            page = await browser.get(address)
            assert page.status_code == 200, page.text
            self.pages.append(page.text)
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
            assert token
            browser.headers["Cookie"] += f"; {csrf_cookie(page)}"
            form = {"csrfmiddlewaretoken": token[1], "decision": self.decision}
            answer = await browser.post(address, data=form, headers={"Origin": origin(address)})
        assert answer.status_code == 302, answer.text
        self.answer = answer.headers["location"]

    async def answered(self) -> AuthorizationCodeResult:
        assert self.answer.startswith(CALLBACK)
        query = {name: one[0] for name, one in parse_qs(urlsplit(self.answer).query).items()}
        return AuthorizationCodeResult(
            code=query.get("code", ""), state=query.get("state"), iss=query.get("iss")
        )


def csrf_cookie(page: httpx2.Response) -> str:
    cookies = [one for one in page.headers.get_list("set-cookie") if "csrf" in one]
    return cookies[0].partition(";")[0]


def origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


@asynccontextmanager
async def connected(
    server: str, person: Person, storage: Storage | None = None, scope: str | None = None
) -> AsyncIterator[Client]:
    """Connected without a token: the SDK's provider does all that the server's answers ask for."""
    provider = OAuthClientProvider(
        f"{server}/mcp",
        OAuthClientMetadata(
            client_name="Coding assistant", redirect_uris=[AnyUrl(CALLBACK)], scope=scope
        ),
        storage or Storage(),
        redirect_handler=person.open,
        callback_handler=person.answered,
    )
    async with httpx2.AsyncClient(auth=provider, timeout=10) as http:
        transport = streamable_http_client(f"{server}/mcp", http_client=http)
        async with Client(transport, mode="2026-07-28") as client:
            yield client
