"""Who does not come in, and what is no request; over real HTTP."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from api.tests.mcp_server.conftest import Connect
from api.tests.mcp_server.test_reading import call, refusal
from audit.models import Event
from chat.models import Turn
from limits.mcp_server import MAX_MCP_BODY_BYTES
from tokens.models import Token

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True), pytest.mark.long]
Tokens = Callable[..., str]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
NOBODY = "00000000-0000-4000-8000-000000000000"


async def post(
    server: str, secret: str = "", content: bytes | None = None, **headers: str
) -> httpx2.Response:
    given = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2025-11-25",
        **({"Authorization": f"Bearer {secret}"} if secret else {}),
        **headers,
    }
    async with httpx2.AsyncClient(timeout=10) as http:
        body = json.dumps(LIST).encode() if content is None else content
        return await http.post(f"{server}/mcp", content=body, headers=given)


async def test_reading_behind_a_proxy_is_audited_with_the_clients_address(
    server: str, other: User, turn: Turn, token_of: Tokens, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    await User.objects.filter(pk=other.pk).aupdate(is_staff=True, is_superuser=True)
    secret = await sync_to_async(token_of)(other, ["traces", "admin"])
    assert turn.trace is not None
    reading = {"name": "read_trace", "arguments": {"id": str(turn.trace.public_id)}}
    body = json.dumps({**LIST, "method": "tools/call", "params": reading}).encode()
    forwarded = {"X-Forwarded-For": "203.0.113.9, 192.0.2.7"}
    answer = await post(server, secret, body, **forwarded)
    assert answer.status_code == 200, answer.text
    event = await Event.objects.aget(action="trace_read")
    assert (event.door, event.address, event.actor_id) == ("mcp", "192.0.2.7", other.pk)


async def test_without_a_token_the_answer_says_where_to_get_one(server: str, owner: User) -> None:
    answer = await post(server)
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    assert 'scope="traces chat"' in challenge
    address = challenge.partition('resource_metadata="')[2].partition('"')[0]
    async with httpx2.AsyncClient() as http:
        resource = (await http.get(address)).json()
    assert resource["resource"] == f"{server}/mcp"
    assert resource["authorization_servers"] == [server]


@pytest.mark.parametrize("columns", ["unknown", "expired", "revoked", "inactive"])
async def test_a_token_that_is_over_opens_nothing(
    columns: str, server: str, owner: User, token_of: Tokens
) -> None:
    past = timezone.now() - timedelta(minutes=1)
    given = {"expired": {"expires": past}, "revoked": {"revoked": past}}.get(columns, {})
    secret = await sync_to_async(token_of)(owner, **given)
    if columns == "inactive":
        await User.objects.filter(pk=owner.pk).aupdate(is_active=False)
    answer = await post(server, "rt_nobody" if columns == "unknown" else secret)
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert secret not in answer.text


async def test_a_token_that_a_person_made_too_narrow_is_told_so_in_the_result(
    owner: User, token_of: Tokens, connect: Connect
) -> None:
    secret = await sync_to_async(token_of)(owner, ["read"])
    async with connect(secret) as client:
        assert "“traces”" in await refusal(client, "search_traces")
        assert "“chat”" in await refusal(client, "start_turn", text="hello")


async def test_traces_of_others_are_not_there(
    owner: User, other: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    assert turn.trace
    trace_id = str(turn.trace.public_id)
    secret = await sync_to_async(token_of)(other, ["traces", "chat"])
    async with connect(secret) as client:
        assert (await call(client, "search_traces"))["traces"] == []
        assert (await call(client, "list_errors"))["traces"] == []
        assert (await client.list_resources()).resources == []
        theirs = await refusal(client, "read_trace", id=trace_id)
        nobodys = await refusal(client, "read_trace", id=NOBODY)
        assert theirs.replace(trace_id, NOBODY) == nobodys
        for tool, given in (
            ("read_round", {"trace": trace_id, "round": 1}),
            ("read_stage", {"trace": trace_id, "round": 1, "stage": "request"}),
            ("compare_rounds", {"trace": trace_id, "round": 2}),
            ("run_playground", {"trace": trace_id}),
            ("wait_for_turn", {"turn": str(turn.public_id)}),
        ):
            assert "There is no" in await refusal(client, tool, **given)
        with pytest.raises(Exception, match="There is no trace"):
            await client.read_resource(f"trace://{trace_id}")


@pytest.mark.parametrize("scopes", [["traces"], ["traces", "admin"]])
async def test_traces_of_everybody_need_the_permission_and_the_scope(
    scopes: list[str], owner: User, other: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    await User.objects.filter(pk=other.pk).aupdate(is_staff=True)
    await other.user_permissions.aadd(await Permission.objects.aget(codename="view_trace"))
    secret = await sync_to_async(token_of)(other, scopes)
    async with connect(secret) as client:
        found = await call(client, "search_traces")
    assert len(found["traces"]) == len(scopes) - 1


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}],
)
async def test_a_page_of_another_site_comes_in_by_no_token(
    headers: dict[str, str], server: str, owner: User, token_of: Tokens
) -> None:
    secret = await sync_to_async(token_of)(owner)
    assert (await post(server, secret, None, **headers)).status_code in (403, 421)
    assert (await post(server, secret, Origin=server)).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 100_000 + b'"}',
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "tools/list"}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "1999-01-01"])
async def test_what_is_no_request_is_refused_and_the_server_goes_on(
    body: bytes, version: str, server: str, owner: User, token_of: Tokens
) -> None:
    secret = await sync_to_async(token_of)(owner)
    answer = await post(server, secret, body, **{"MCP-Protocol-Version": version})
    is_error = "error" in answer.text
    assert 400 <= answer.status_code < 500 or (answer.status_code in (200, 202) and is_error)
    assert (await post(server, secret)).status_code == 200


async def test_a_body_is_bounded_and_only_a_post_is_answered(
    server: str, owner: User, token_of: Tokens
) -> None:
    secret = await sync_to_async(token_of)(owner)
    assert (await post(server, secret, b" " * (MAX_MCP_BODY_BYTES + 1))).status_code == 413
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}) as http:
        assert (await http.get(f"{server}/mcp")).status_code == 405
        assert (await http.delete(f"{server}/mcp")).status_code == 405


async def test_unfit_arguments_are_errors_that_say_what_to_do(
    owner: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    assert turn.trace
    trace_id = str(turn.trace.public_id)
    secret = await sync_to_async(token_of)(owner)
    of_round: dict[str, Any] = {"trace": trace_id, "round": 1}
    async with connect(secret) as client:
        for tool, given, words in (
            ("read_trace", {"id": "x" * 5_000}, "id: "),
            ("read_trace", {"identifier": trace_id}, "identifier: "),
            ("read_round", {"trace": trace_id, "round": 10**30}, "round: "),
            ("read_round", {"trace": trace_id, "round": 9}, "has the rounds 1 to 2"),
            ("read_round", {**of_round, "attempt": 7}, "the last is 1"),
            ("read_stage", {**of_round, "stage": "soul"}, "stage: "),
            ("read_stage", {**of_round, "stage": "result"}, "by its number in call"),
            ("read_stage", {**of_round, "stage": "result", "call": 9}, "it has 2"),
            ("read_stage", {**of_round, "stage": "input", "offset": 10**9}, "beyond the end"),
            ("compare_rounds", of_round, "has none before it"),
            ("search_traces", {"start": "yesterday"}, "ISO 8601"),
            ("search_traces", {"query": "x" * 100_000}, "query: "),
            ("run_playground", {}, "Give messages"),
            ("run_playground", {"messages": [], "model": "gpt-0"}, "There is no model"),
            ("start_turn", {"text": "hi", "assistant": "nobody"}, "There is no assistant"),
            ("start_turn", {"text": "hi", "conversation": NOBODY}, "does not exist"),
        ):
            assert words in await refusal(client, tool, **given), (tool, given)
        with pytest.raises(Exception, match="There is no tool"):
            await client.call_tool("delete_everything", {})


async def test_many_clients_at_once_are_all_answered(
    owner: User, turn: Turn, token_of: Tokens, connect: Connect
) -> None:
    secret = await sync_to_async(token_of)(owner)

    async def one() -> int:
        async with connect(secret) as client:
            return len((await call(client, "search_traces"))["traces"])

    assert await asyncio.gather(*(one() for _ in range(8))) == [1] * 8


async def test_a_person_has_a_bounded_number_of_requests_at_once(
    server: str, owner: User, token_of: Tokens
) -> None:
    secret = await sync_to_async(token_of)(owner)
    answers = await asyncio.gather(*(post(server, secret) for _ in range(60)))
    assert {one.status_code for one in answers} <= {200, 429}
    assert (await post(server, secret)).status_code == 200
    assert await Token.objects.filter(user=owner).acount() == 1
