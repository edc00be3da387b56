"""Every call counts with what it used, whether its provider reports that or not."""

import json
from typing import Any

import httpx2 as httpx
import pytest
from django.db import OperationalError

from api.gateway.call import Loss
from api.tests.gateway.conftest import Person, Served
from api.tests.gateway.test_abuse import eventually
from chat.llm import usage_estimate
from chat.models import QuotaRule
from chat.quotas import nearness
from chat.tests.quotas.conftest import Limit
from chat.tests.quotas.conftest import limit as limit
from tests.redis_server import RedisServer
from tracing.models import Span

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
Kind = QuotaRule.Kind
ASK = {"model": "m", "messages": [{"role": "user", "content": "hi " * 400}]}
JSON = [("Content-Type", "application/json")]


def usage(served: Served) -> dict[str, Any]:
    assert served.recorder.flush()
    found: dict[str, Any] = Span.objects.get(kind="generation").attributes["usage"]
    return found


def test_a_stream_without_usage_is_estimated(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=stream&n=1000", json={**ASK, "stream": True})
    counted = usage(served)
    assert counted["estimated"] is True
    assert 250 < counted["prompt_tokens"] < 400 and 1_000 < counted["completion_tokens"] < 1_500
    assert counted["total_tokens"] == counted["prompt_tokens"] + counted["completion_tokens"]


def test_an_answer_without_usage_is_estimated(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=unreported", json=ASK)
    assert 900 < usage(served)["completion_tokens"] < 1_100


def test_what_the_provider_counted_is_not_estimated(anna: Person, served: Served) -> None:
    anna.client.post("/chat/completions?do=answer", json=ASK)
    counted = usage(served)
    assert (counted["prompt_tokens"], counted["completion_tokens"]) == (9, 1)
    assert "estimated" not in counted


def test_a_stream_that_the_provider_cuts_is_estimated(anna: Person, served: Served) -> None:
    with pytest.raises(httpx.HTTPError):
        anna.client.post("/chat/completions?do=cut-stream&n=1000", json={**ASK, "stream": True})
    assert usage(served)["completion_tokens"] > 1_000


def test_of_a_message_that_is_cut_the_answer_is_estimated(anna: Person, served: Served) -> None:
    with pytest.raises(httpx.HTTPError):
        anna.client.post("/messages?do=messages&n=800", json={**ASK, "max_tokens": 9_000})
    counted = usage(served)
    assert counted["prompt_tokens"] == 11 and 900 < counted["completion_tokens"] < 1_100


def test_who_leaves_before_the_end_pays_for_what_was_asked(anna: Person, served: Served) -> None:
    with anna.client.stream("POST", "/chat/completions?do=begin", json=ASK) as answer:
        next(answer.iter_raw())
    assert eventually(lambda: bool(served.recorder.flush() and Span.objects.exists()))
    assert usage(served)["prompt_tokens"] > 250


@pytest.mark.parametrize(
    ("path", "do"),
    [("chat/completions", "error"), ("messages/count_tokens", "echo")],
    ids=["refused", "without-a-model"],
)
def test_what_no_model_has_worked_for_is_not_estimated(
    anna: Person, served: Served, path: str, do: str
) -> None:
    anna.client.post(f"/{path}?do={do}", json=ASK)
    assert served.recorder.flush()
    assert Span.objects.get(kind="generation").attributes["usage"] is None


@pytest.mark.parametrize(
    "reported",
    [{"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": -5}, {"prompt_tokens": "9"}],
)
def test_a_usage_that_counts_nothing_is_estimated(
    anna: Person, served: Served, reported: dict[str, Any]
) -> None:
    anna.client.post("/embeddings?do=echo&type=application/json", json={**ASK, "usage": reported})
    assert usage(served)["prompt_tokens"] > 250


def test_tokens_that_the_provider_calls_input_tokens_count(anna: Person, served: Served) -> None:
    reported = {"input_tokens": 30, "output_tokens": 12}
    body = {"model": "m", "usage": reported}
    anna.client.post("/images/generations?do=echo&type=application/json", json=body)
    counted = usage(served)
    assert (counted["prompt_tokens"], counted["completion_tokens"]) == (30, 12)


@pytest.fixture
def limited(served: Served, anna: Person, redis_server: RedisServer, limit: Limit) -> Person:
    """Anna, who may use 10,000 tokens a day."""
    limit(Kind.TOKENS_DAY, 10_000)
    return anna


def long_stream(person: Person) -> int:
    """The status of a call whose answer has more than 20,000 tokens, which are not reported."""
    asked = {**ASK, "stream": True}
    return person.client.post("/chat/completions?do=stream&n=10000", json=asked).status_code


def test_a_limit_that_streams_have_used_up_refuses_the_next_call(
    limited: Person, served: Served
) -> None:
    statuses = [long_stream(limited) for _ in range(3)]
    assert statuses == [200, 429, 429]
    refused = limited.client.post("/chat/completions?do=answer", json=ASK)
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert int(refused.headers["retry-after"]) > 0


def test_a_limit_of_costs_counts_streams_without_usage(
    served: Served, anna: Person, redis_server: RedisServer, limit: Limit
) -> None:
    limit(Kind.COST_DAY, 10_500)  # millionths; 10,000 tokens cost two cents
    assert [long_stream(anna) for _ in range(2)] == [200, 429]


def test_a_call_that_is_not_recorded_counts(limited: Person, served: Served) -> None:
    served.recorder.budget.limit = 500
    ask = {"model": "m", "messages": [{"role": "user", "content": "word " * 20_000}]}
    assert limited.client.post("/chat/completions?do=answer", json=ask).status_code == 200
    assert limited.client.post("/chat/completions?do=answer", json=ask).status_code == 429
    assert served.recorder.counts.lost[Loss.BACKLOG] == 1
    assert usage(served)["prompt_tokens"] > 20_000


def test_an_image_counts_as_an_image_and_a_text_like_one_as_a_text() -> None:
    data = "data:image/png;base64," + "A" * 400_000
    part = {"type": "image_url", "image_url": {"url": data}}
    image = {"messages": [{"role": "user", "content": [part]}]}
    texts: list[dict[str, Any]] = [
        {"messages": [{"role": "user", "content": data}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": data}]}]},
        {"messages": [], "tools": [{"type": "image_url", "image_url": {"url": data}}]},
    ]
    assert usage_estimate.request_tokens(json.dumps(image).encode(), JSON) < 1_100
    for one in texts:
        assert usage_estimate.request_tokens(json.dumps(one).encode(), JSON) > 100_000


@pytest.mark.parametrize(
    "body", [b"", b"[" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900, b"\xff" * 9, b"data: {\n\n"]
)
def test_whatever_the_bytes_are_there_is_an_estimate(body: bytes) -> None:
    assert usage_estimate.request_tokens(body, JSON) >= 0
    assert usage_estimate.answer_tokens(body, [("content-type", "text/event-stream")]) >= 0


def test_of_a_response_that_is_cut_its_deltas_count_once() -> None:
    delta = {"type": "response.output_text.delta", "delta": "word " * 400}
    done = {"type": "response.output_text.done", "text": "word " * 400}
    body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in (delta, done))
    tokens = usage_estimate.answer_tokens(body.encode(), [("content-type", "text/event-stream")])
    assert tokens == 500


def test_a_file_has_no_tokens() -> None:
    form = [("Content-Type", "multipart/form-data; boundary=x")]
    assert usage_estimate.request_tokens(b"x" * 1_000, form) == 0
    assert usage_estimate.answer_tokens(b"\0" * 1_000, [("content-type", "audio/mpeg")]) == 0


def test_a_call_is_written_once_though_nobody_can_be_told_of_it(
    limited: Person, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(user_id: int) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(nearness, "tell", fail)
    assert [long_stream(limited) for _ in range(2)] == [200, 429]
    assert served.recorder.flush() and Span.objects.filter(kind="generation").count() == 1
