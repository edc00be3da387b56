import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from tracing.models import Action, Blob, Trace
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = pytest.mark.django_db

REQUEST = wire({"model": "m", "messages": [{"role": "user", "content": "数据库有几张表"}]})
RESPONSE = (
    b'data: {"choices":[{"delta":{"content":"\xe4\xb8\x89"}}],"usage":null}\n\ndata: [DONE]\n\n'
)
MESSAGE = {"role": "assistant", "content": "三"}


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 900))
    turn.a_generation(
        {
            "input": wire({"messages": [{"role": "user"}], "tools": [], "parameters": {}}),
            "request": REQUEST,
            "response": RESPONSE,
            "output": wire({"message": MESSAGE, "errors": [], "origins": []}),
        },
        at=(0, 620.5),
        details={
            "request": {
                "attributes": {"method": "POST", "url": "http://x/", "headers": [["a", "b"]]}
            },
            "response": {
                "attributes": {"status": 200, "headers": []},
                "chunks": [(12.5, 62), (20, 14)],
            },
        },
        attributes={"model": "m", "usage": {"prompt_tokens": 5}, "timings": {"stream_ms": 7.5}},
    )
    turn.a_call(
        {
            "arguments": b'{"query": "SELECT 1"}',
            "result": wire({"content": [{"type": "text", "text": "1"}], "is_error": False}),
            "shown": b"1",
        },
        at=(630, 651),
        number=1,
        name="sqlite-read_query",
        attributes={"call_id": "call_1", "server": "sqlite", "task_id": "t-1", "is_error": False},
    )
    turn.a_round(2, (900, 1200))
    turn.a_generation({"request": b"\xff\xfe"}, at=(900, None), status="running")
    turn.end(1200)
    return turn


def test_a_generation_has_its_four_stages_exactly(turn: ATurn) -> None:
    generation = read(turn)["rounds"][0]["generations"][0]
    assert generation["input"]["messages"] == [{"role": "user"}]
    assert generation["request"]["body"].encode() == REQUEST
    assert generation["request"]["headers"] == [["a", "b"]]
    assert (generation["request"]["method"], generation["request"]["url"]) == ("POST", "http://x/")
    assert generation["request"]["redacted"] is False
    assert generation["response"]["body"].encode() == RESPONSE
    assert generation["response"]["status"] == 200
    assert generation["response"]["chunks"] == [[12.5, 62], [20, 14]]
    assert generation["output"]["message"] == MESSAGE


def test_a_generation_says_how_it_went(turn: ATurn) -> None:
    generation = read(turn)["rounds"][0]["generations"][0]
    assert (generation["attempt"], generation["status"]) == (1, "succeeded")
    assert generation["usage"] == {"prompt_tokens": 5}
    assert generation["timings"] == {"stream_ms": 7.5}


def test_a_tool_call_has_arguments_result_and_times(turn: ATurn) -> None:
    call = read(turn)["rounds"][0]["tool_calls"][0]
    assert (call["id"], call["name"], call["server"]) == ("call_1", "sqlite-read_query", "sqlite")
    assert (call["arguments"], call["shown"]) == ('{"query": "SELECT 1"}', "1")
    assert call["result"]["content"] == [{"type": "text", "text": "1"}]
    assert (call["is_error"], call["status"], call["task_id"]) == (False, "succeeded", "t-1")
    lasted = datetime.fromisoformat(call["ended"]) - datetime.fromisoformat(call["started"])
    assert lasted.total_seconds() == 0.021


def test_times_are_utc_with_microseconds(turn: ATurn) -> None:
    started = read(turn)["rounds"][0]["started"]
    assert len(started) == len("2026-11-21T07:00:00.000000+00:00")
    assert started.endswith("+00:00")


def test_what_is_no_text_is_base64_and_what_is_missing_is_null(turn: ATurn) -> None:
    generation = read(turn)["rounds"][1]["generations"][0]
    assert generation["request"]["body_base64"] == "//4="
    assert "body" not in generation["request"]
    assert (generation["input"], generation["response"], generation["ended"]) == (None, None, None)


def test_one_round_can_be_asked_for(turn: ATurn) -> None:
    document = read(turn, "?round=2")
    assert [found["number"] for found in document["rounds"]] == [2]


@pytest.mark.parametrize("number", ["3", "x", "", "-1", "²", "9" * 5000])
def test_a_round_that_is_not_there_is_not_found(turn: ATurn, client: Client, number: str) -> None:
    client.force_login(turn.archive.owner)
    assert client.get(url(turn), {"round": number}).status_code == 404


def test_a_corrupt_payload_does_not_hide_the_others(turn: ATurn) -> None:
    Blob.objects.filter(size=len(RESPONSE)).update(compressed=b"\0changed")
    generation = read(turn)["rounds"][0]["generations"][0]
    assert generation["response"]["corrupt"] == "a blob is not what was recorded"
    assert generation["request"]["body"].encode() == REQUEST


@pytest.mark.parametrize("value", ["NaN", "1e999", '"\\ud800"', "[" * 9000, "9" * 5000])
def test_strange_json_leaves_the_document_readable(value: str) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 1))
    turn.a_generation({"input": f'{{"messages": {value}}}'.encode()}, at=(0, 1))
    json.loads(read_text(turn), parse_constant=pytest.fail)


@pytest.mark.parametrize(("who", "status"), [("owner", 200), ("admin", 200), ("outsider", 404)])
def test_only_the_owner_and_admins_get_a_trace(
    turn: ATurn, client: Client, who: str, status: int
) -> None:
    cast = {
        "owner": turn.archive.owner,
        "admin": a_user(is_superuser=True),
        "outsider": a_user(),
    }
    client.force_login(cast[who])
    assert client.get(url(turn)).status_code == status


def test_nobody_gets_a_trace_without_signing_in(turn: ATurn, client: Client) -> None:
    assert client.get(url(turn)).status_code == 404


def test_an_owner_who_was_deactivated_sees_nothing(turn: ATurn) -> None:
    turn.archive.owner.is_active = False
    assert not Trace.objects.for_user(turn.archive.owner).exists()


def url(turn: ATurn) -> str:
    return f"/traces/{turn.trace.public_id}.json"


def read(turn: ATurn, query: str = "") -> Any:
    return json.loads(read_text(turn, query))


def read_text(turn: ATurn, query: str = "") -> bytes:
    """The document as the ASGI server streams it."""
    return async_to_sync(_stream)(turn, query)


async def _stream(turn: ATurn, query: str) -> bytes:
    client = AsyncClient()
    await client.aforce_login(turn.archive.owner)
    response = await client.get(url(turn) + query)
    assert response.headers["Content-Type"] == "application/json"
    parts = cast("AsyncIterator[bytes]", response)
    return b"".join([part async for part in parts])


def test_what_people_did_is_part_of_it(turn: ATurn) -> None:
    call = turn.trace.spans.get(kind="tool")
    Action.objects.create(
        trace=turn.trace,
        span=call,
        user=turn.archive.owner,
        kind="deny",
        at=turn.at(640),
        detail={"reason": "no"},
    )
    (found,) = read(turn)["actions"]
    assert found["kind"] == "deny"
    assert found["user"] == turn.archive.owner.username
    assert found["span"] == str(call.public_id)
