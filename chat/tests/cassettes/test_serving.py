"""A served cassette answers over real HTTP what was recorded, byte for byte."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from chat.cassettes.answers import plan, recorded
from chat.cassettes.library import Library
from chat.cassettes.recorded import Cassette
from chat.cassettes.server import application, running
from chat.tests.cassettes.builders import HELLO, cassette, generation, response, stream

pytestmark = pytest.mark.long
HI = stream("H", "i", " 三")
LIMIT = '{"error": {"message": "Slow down."}}'


@contextmanager
def served(found: Cassette, speed: float = 0) -> Iterator[str]:
    with running(application(Library(found), speed)) as url:
        yield url


def ask(url: str, messages: Any = HELLO, path: str = "/v1/chat/completions", **rest: Any) -> Any:
    body = {"model": "m", "messages": messages, "stream": True, **rest}
    return httpx2.post(url + path, json=body, timeout=5)


def test_the_recorded_bytes_come_back() -> None:
    size = len(HI.encode())
    chunks = [[1, 7], [2, size - 10], [3, 3]]
    with served(cassette([generation(HELLO, response(HI, chunks=chunks))])) as url:
        answer = ask(url)
    assert answer.content == HI.encode()
    assert answer.headers["content-type"] == "text/event-stream"


def test_a_client_streams_what_was_said() -> None:
    with served(cassette([generation(HELLO, response(HI))])) as url:
        client: Any = openai.OpenAI(base_url=f"{url}/v1", api_key="any")
        chunks = client.chat.completions.create(model="m", messages=HELLO, stream=True)
        said = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(said) == "Hi 三"


def test_a_request_without_stream_gets_one_document() -> None:
    with served(cassette([generation(HELLO, response(HI))])) as url:
        client: Any = openai.OpenAI(base_url=f"{url}/v1", api_key="any")
        answer = client.chat.completions.create(model="m", messages=HELLO)
    assert answer.choices[0].message.content == "Hi 三"


def test_the_messages_api_is_served_too() -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m1", "usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "Hi"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
    found = cassette([generation(HELLO, response(body), protocol="anthropic")])
    with served(found) as url:
        client: Any = anthropic.Anthropic(base_url=url, api_key="any")
        message = client.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert message.content[0].text == "Hi"


def test_recorded_errors_come_again_and_then_the_answer() -> None:
    limited = response(LIMIT, status=429)
    limited["headers"].append(["retry-after", "0"])
    found = cassette(
        [
            generation(HELLO, limited, status="failed"),
            generation(HELLO, response(HI), attempt=2),
        ]
    )
    with served(found) as url:
        first, second = ask(url), ask(url)
    assert (first.status_code, first.text, first.headers["retry-after"]) == (429, LIMIT, "0")
    assert second.content == HI.encode()


def test_a_connection_that_broke_breaks_again() -> None:
    cut = generation(HELLO, response(HI), status="failed", error_kind="ConnectionLost")
    with served(cassette([cut])) as url, pytest.raises(httpx2.RemoteProtocolError):
        ask(url)


def test_a_stream_that_ended_too_early_ends_too_early_again() -> None:
    body = stream("H", finish=None)
    cut = generation(HELLO, response(body), status="failed", error_kind="CutStream")
    with served(cassette([cut])) as url:
        assert ask(url).text == body


def test_where_nothing_came_back_there_is_an_error() -> None:
    with served(cassette([generation(HELLO, None, error_kind="ConnectFailed")])) as url:
        answer = ask(url)
    assert answer.status_code == 503
    assert "nothing came back (ConnectFailed)" in answer.json()["error"]["message"]


def test_anything_else_is_a_404_that_names_the_nearest_round() -> None:
    with served(cassette([generation(HELLO, response(HI))])) as url:
        answer = ask(url, [{"role": "user", "content": "hallo"}])
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["nearest"] == "turn 1, round 1"
    assert error["difference"] == {
        "message": 0,
        "key": "content",
        "recorded": "'hello'",
        "sent": "'hallo'",
    }


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": [1]}', b"\xff", b"[" * 99_999])
def test_a_body_without_messages_is_refused(body: bytes) -> None:
    with served(cassette()) as url:
        answer = httpx2.post(f"{url}/v1/chat/completions", content=body, timeout=5)
    assert answer.status_code == 400


def test_the_models_are_listed_and_other_paths_are_not_there() -> None:
    with served(cassette([generation(HELLO, response(HI), model="large")])) as url:
        models = openai.OpenAI(base_url=f"{url}/v1", api_key="any").models.list()
        assert [model.id for model in models] == ["large"]
        assert httpx2.get(f"{url}/v1/embeddings").status_code == 404
        assert httpx2.get(f"{url}/v1/chat/completions").status_code == 404


@pytest.mark.parametrize(("speed", "due"), [(1, [0.1, 0.25]), (2, [0.05, 0.125]), (0, [0, 0])])
def test_a_speed_scales_the_recorded_arrivals(speed: float, due: list[float]) -> None:
    size = len(HI.encode())
    found = cassette([generation(HELLO, response(HI, chunks=[[100, 10], [250, size - 10]]))])
    kept = found.generations[0].response
    assert kept is not None
    planned = plan(kept, speed)
    assert [at for at, _ in planned] == due
    assert [len(piece) for _, piece in planned] == [10, size - 10]


def test_a_whole_document_is_due_when_the_stream_had_ended() -> None:
    chunks = [[100, 10], [250, len(HI.encode()) - 10]]
    found = cassette([generation(HELLO, response(HI, chunks=chunks))])
    reply = recorded(found.generations[0], is_streamed=False, speed=2)
    assert [at for at, _ in reply.plan] == [0.125]
