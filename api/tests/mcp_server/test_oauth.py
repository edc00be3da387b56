"""The whole way of a program: metadata, registration, consent, tokens, refreshing, revocation."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from api.tests.mcp_server.conftest import Connect
from api.tests.mcp_server.oauth import Person, Storage, connected
from audit.models import Event
from chat.models import Turn
from tests.signing_in import signed_in
from tokens.models import Token
from tokens.programs.models import Connection

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True), pytest.mark.long]


async def test_a_program_without_a_token_is_connected_by_its_person(
    server: str, owner: User, turn: Turn
) -> None:
    person, storage = Person(owner), Storage()
    async with connected(server, person, storage) as client:
        found = await client.call_tool("search_traces", {"query": "weather"})
    assert not found.is_error
    assert "Coding assistant" in person.pages[0]
    assert "127.0.0.1" in person.pages[0]
    assert storage.tokens and storage.tokens.expires_in == 3600
    token = await Token.objects.aget(user=owner)
    assert (token.origin, token.scopes) == ("oauth", ["chat", "traces"])
    assert await Event.objects.filter(action="program_allowed", actor=owner).acount() == 1


async def test_a_program_that_was_allowed_little_asks_for_more_when_it_needs_it(
    server: str, owner: User
) -> None:
    person, storage = Person(owner), Storage()
    async with connected(server, person, storage) as client:
        await client.call_tool("search_traces", {})
        await narrow(owner)
        listed = await client.call_tool("list_assistants", {})
    assert not listed.is_error
    assert len(person.pages) == 2


async def narrow(user: User) -> None:
    """What a token that was given for reading alone is."""
    await Token.objects.filter(user=user).aupdate(scopes=["traces"])


async def test_a_program_that_is_denied_gets_nothing(server: str, owner: User) -> None:
    person = Person(owner, decision="deny")
    with pytest.raises(BaseException):  # noqa: B017  # groups of the SDK's
        async with connected(server, person) as client:
            await client.list_tools()
    assert "error=access_denied" in person.answer
    assert await Token.objects.acount() == 0


async def refresh(server: str, storage: Storage, **given: str) -> httpx2.Response:
    assert storage.tokens and storage.client
    form = {
        "grant_type": "refresh_token",
        "refresh_token": storage.tokens.refresh_token or "",
        "client_id": storage.client.client_id,
        **given,
    }
    async with httpx2.AsyncClient() as http:
        return await http.post(f"{server}/oauth2/token", data=form)


@pytest.fixture
def stored(server: str, owner: User) -> Callable[[], Any]:
    """Connects a program; gives what it keeps."""

    async def made() -> Storage:
        storage = Storage()
        async with connected(server, Person(owner), storage) as client:
            await client.list_tools()
        return storage

    return made


async def test_a_refresh_gives_new_tokens_and_ends_the_old_ones(
    server: str, stored: Callable[[], Any], connect: Connect
) -> None:
    storage = await stored()
    answer = await refresh(server, storage)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["cache-control"]
    async with connect(answer.json()["access_token"]) as client:
        assert (await client.list_tools()).tools
    old = await request(server, storage.tokens.access_token)
    assert old.status_code == 401


async def request(server: str, secret: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {
        "Authorization": f"Bearer {secret}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    async with httpx2.AsyncClient() as http:
        return await http.post(f"{server}/mcp", json=body, headers=headers)


async def test_a_refresh_token_that_comes_twice_ends_the_connection(
    server: str, stored: Callable[[], Any], owner: User
) -> None:
    storage = await stored()
    fresh = (await refresh(server, storage)).json()
    again = await refresh(server, storage)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert (await request(server, fresh["access_token"])).status_code == 401
    third = await refresh(server, storage, refresh_token=fresh["refresh_token"])
    assert third.status_code == 400
    assert await Event.objects.filter(action="program_token_reused", actor=owner).acount() == 1


async def test_a_program_gives_its_tokens_back(server: str, stored: Callable[[], Any]) -> None:
    storage = await stored()
    async with httpx2.AsyncClient() as http:
        form = {"token": storage.tokens.refresh_token}
        answer = await http.post(f"{server}/oauth2/revoke", data=form)
        unknown = await http.post(f"{server}/oauth2/revoke", data={"token": "unknown"})
    assert (answer.status_code, unknown.status_code) == (200, 200)
    assert (await request(server, storage.tokens.access_token)).status_code == 401
    assert (await refresh(server, storage)).status_code == 400


async def test_no_refresh_gives_more_than_was_allowed(
    server: str, stored: Callable[[], Any]
) -> None:
    storage = await stored()
    for given, error in (
        ({"scope": "traces admin"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"client_id": "another"}, "invalid_grant"),
        ({"refresh_token": "unknown"}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ):
        answer = await refresh(server, storage, **given)
        assert (answer.status_code, answer.json()["error"]) == (400, error)
    narrow = await refresh(server, storage, scope="traces")
    assert narrow.json()["scope"] == "traces"


async def test_a_person_who_may_not_sign_in_any_more_has_no_programs(
    server: str, stored: Callable[[], Any], owner: User
) -> None:
    storage = await stored()
    await User.objects.filter(pk=owner.pk).aupdate(is_active=False)
    assert (await request(server, storage.tokens.access_token)).status_code == 401
    assert (await refresh(server, storage)).status_code == 400


async def test_the_token_of_a_program_is_for_mcp_alone(
    server: str, stored: Callable[[], Any]
) -> None:
    storage = await stored()
    headers = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        answer = await http.get(f"{server}/api/conversations")
    assert answer.status_code == 401


async def test_a_connection_is_listed_and_ended_in_the_settings(
    server: str, stored: Callable[[], Any], owner: User, other: User
) -> None:
    storage = await stored()
    connection = await Connection.objects.aget(user=owner)
    address = f"/settings/programs/{connection.public_id}/disconnect"
    assert await sync_to_async(post_as)(other, address) == 404
    assert await sync_to_async(post_as)(owner, address) == 302
    assert (await request(server, storage.tokens.access_token)).status_code == 401


def post_as(user: User, address: str) -> int:
    browser = signed_in(user)
    if user.username == "owner":
        assert b"Coding assistant" in browser.get("/settings/").content
    return browser.post(address).status_code
