"""Traces as cassettes: exactly what was recorded, and nothing that is secret."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client

from tests.responses import body_of
from tracing.export import cassettes
from tracing.models import Blob
from tracing.store.chunks import Chunk
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = pytest.mark.django_db

REQUEST = wire({"model": "m", "messages": [{"role": "user", "content": "数据库有几张表"}]})
RESPONSE = b'data: {"choices":[{"delta":{"content":"\xe4\xb8\x89"}}]}\n\ndata: [DONE]\n\n'
ASKED = {"messages": [{"role": "user", "content": "数据库有几张表"}], "tools": [], "parameters": {}}
SENT_TO = "https://key@models.example/v1/chat/completions?key=canary"


def a_turn(chunks: Sequence[Chunk] = ((12.5, 30), (20, len(RESPONSE) - 30))) -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 900))
    turn.a_generation(
        {"input": wire(ASKED), "request": REQUEST, "response": RESPONSE},
        at=(0, 620.5),
        details={
            "request": {
                "attributes": {
                    "method": "POST",
                    "url": SENT_TO,
                    "headers": [["authorization", "Bearer canary"]],
                }
            },
            "response": {
                "attributes": {
                    "status": 200,
                    "headers": [["content-type", "text/event-stream"], ["set-cookie", "canary"]],
                },
                "chunks": chunks,
            },
        },
        attributes={"model": "m", "dialect": "native", "base_url": "https://models.example/v1"},
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
        attributes={"call_id": "call_1", "is_error": False},
    )
    turn.end(900)
    return turn


def read(*turns: ATurn) -> Any:
    return json.loads("".join(cassettes.export([turn.trace for turn in turns])))


def test_a_generation_has_the_exact_bytes_and_their_arrivals() -> None:
    generation = read(a_turn())["turns"][0]["rounds"][0]["generations"][0]
    assert generation["request"]["body"].encode() == REQUEST
    assert generation["request"]["path"] == "/v1/chat/completions"
    assert generation["response"]["body"].encode() == RESPONSE
    assert generation["response"]["chunks"] == [[12.5, 30], [20, len(RESPONSE) - 30]]
    assert generation["response"]["headers"] == [["content-type", "text/event-stream"]]


def test_a_call_has_what_it_was_given_and_gave() -> None:
    call = read(a_turn())["turns"][0]["rounds"][0]["tool_calls"][0]
    assert (call["name"], call["arguments"]) == ("sqlite-read_query", '{"query": "SELECT 1"}')
    assert call["result"]["content"] == [{"type": "text", "text": "1"}]
    assert (call["shown"], call["is_error"], call["duration_ms"]) == ("1", False, 21)


def test_a_turn_begins_with_what_was_meant_by_its_first_request() -> None:
    opening = read(a_turn())["turns"][0]["opening"]
    assert opening == {"messages": ASKED["messages"], "tools": []}


def test_no_secret_leaves() -> None:
    assert "canary" not in json.dumps(read(a_turn()))


def test_the_arrivals_make_up_a_body_that_a_replaced_secret_changed() -> None:
    document = read(a_turn(chunks=[(1, 10), (2, 5_000), (3, 5)]))
    chunks = document["turns"][0]["rounds"][0]["generations"][0]["response"]["chunks"]
    assert sum(length for _, length in chunks) == len(RESPONSE)


def test_a_request_that_is_damaged_is_left_out() -> None:
    turn = a_turn()
    Blob.objects.update(compressed=b"\0changed")
    assert read(turn)["turns"][0]["rounds"][0]["generations"] == []


def test_several_turns_are_one_cassette_and_none_is_one_too() -> None:
    first, second = a_turn(), a_turn()
    assert [turn["trace"] for turn in read(first, second)["turns"]] == [
        str(first.trace.public_id),
        str(second.trace.public_id),
    ]
    assert read()["turns"] == []


def test_a_trace_without_rounds_is_a_turn_without_any() -> None:
    turn = ATurn(a_user())
    assert read(turn)["turns"][0]["rounds"] == []


@pytest.mark.parametrize(("who", "status"), [("owner", 200), ("admin", 200), ("outsider", 404)])
def test_only_the_owner_and_admins_take_it(client: Client, who: str, status: int) -> None:
    turn = a_turn()
    cast = {
        "owner": turn.archive.owner,
        "admin": a_user(is_superuser=True),
        "outsider": a_user(),
    }
    client.force_login(cast[who])
    response = client.get(f"/traces/{turn.trace.public_id}/cassette")
    assert response.status_code == status
    if status == 200:
        assert ".cassette.json" in response.headers["Content-Disposition"]


def test_a_conversation_is_one_cassette_in_the_order_of_its_turns(client: Client) -> None:
    turn = a_turn()
    first = turn.trace
    turn.begin("And then?")
    client.force_login(turn.archive.owner)
    url = f"/traces/archives/{turn.archive.public_id}/cassette"
    document = json.loads(body_of(client.get(url)))
    assert [each["trace"] for each in document["turns"]] == [
        str(first.public_id),
        str(turn.trace.public_id),
    ]
    client.force_login(a_user())
    assert client.get(url).status_code == 404
