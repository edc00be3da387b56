"""Whole turns over every protocol and dialect, with the real SDKs and real HTTP."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from benchmarks.stub.validity import signature
from chat.engine.generation.model_settings import served
from chat.models import LanguageModel, Message, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.valid import check_completions_request
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.long

Make = Callable[..., LanguageModel]
Send = Callable[..., Turn]
DIALECTS = ["native", "nous", "functions", "anthropic"]


@pytest.fixture
def speaks(stub: Stub, transactional_db: None) -> Make:
    """Makes a model of the stub's by its name, which speaks a dialect."""

    def make(dialect: str, name: str, **more: Any) -> LanguageModel:
        kind = Provider.Kind.ANTHROPIC if dialect == "anthropic" else Provider.Kind.OPENAI
        provider, _ = Provider.objects.get_or_create(
            name=f"Stub for {dialect}",
            defaults={"kind": kind, "base_url": stub.base_url, "api_key": "sk-canary-123"},
        )
        return LanguageModel.objects.create(provider=provider, name=name, dialect=dialect, **more)

    return make


@pytest.fixture
def asked(stub: Stub) -> Callable[[], list[dict[str, Any]]]:
    """What the stub has been asked since the test began, each of them valid."""
    before = len(stub.completions)

    def bodies() -> list[dict[str, Any]]:
        requests = stub.completions[before:]
        assert all(request.status == 200 for request in requests), [r.sent for r in requests]
        found = [json.loads(request.body) for request in requests]
        for request, body in zip(requests, found, strict=True):
            if request.path == "/v1/chat/completions":
                check_completions_request(body)
        return found

    return bodies


def generations(turn: Turn) -> list[Span]:
    spans = Span.objects.filter(trace=turn.trace, kind=Span.Kind.GENERATION)
    return list(spans.order_by("id"))


def blocks(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """All content blocks of this type in a request of the Messages API."""
    contents = [message["content"] for message in body["messages"]]
    return [block for content in contents for block in content if block["type"] == kind]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_with_tool_calls_comes_to_its_answer(
    speaks: Make, send: Send, asked: Any, dialect: str
) -> None:
    nous = "-nous" if dialect == "nous" else ""
    turn = answer_rings(send(speaks(dialect, f"stub-t3-k2-p4-n5{nous}")))
    assert turn.status == Turn.Status.DONE, turn.error
    assert len(asked()) == turn.rounds == 3
    calls = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    assert calls.count() == (2 if dialect == "functions" else 6)
    assert {call.status for call in calls} == {Span.Status.SUCCEEDED}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_trace_has_the_bytes_that_were_sent_and_received(
    speaks: Make, send: Send, stub: Stub, dialect: str
) -> None:
    turn = answer_rings(send(speaks(dialect, "stub-z3-n50-s7-c3")))
    assert turn.status == Turn.Status.DONE, turn.error
    found = {p.stage: payloads.load(p) for p in Payload.objects.filter(span__trace=turn.trace)}
    request = stub.completions[-1]
    assert found["request"] == request.body
    assert found["response"] == request.sent


def test_thoughts_go_back_with_their_signatures(speaks: Make, send: Send, asked: Any) -> None:
    turn = answer_rings(send(speaks("anthropic", "stub-z9-s5-t2-n5-redacted")))
    assert turn.status == Turn.Status.DONE, turn.error
    (thought,) = blocks(asked()[1], "thinking")
    assert thought["signature"] == signature(thought["thinking"])
    assert blocks(asked()[1], "redacted_thinking")
    message = Message.objects.filter(turn=turn, role="assistant").earliest("id").body
    assert message["reasoning_content"] == thought["thinking"]


def test_thoughts_of_another_model_are_not_sent(speaks: Make, send: Send, asked: Any) -> None:
    first = answer_rings(send(speaks("anthropic", "stub-z3-n5")))
    again = answer_rings(send(speaks("anthropic", "stub-z4-n5"), "again", first.conversation))
    assert again.status == Turn.Status.DONE, again.error
    assert not blocks(asked()[1], "thinking")


def test_usage_counts_the_cache(speaks: Make, send: Send, settings: Settings) -> None:
    model = speaks("anthropic", "stub-t2-n5")
    Provider.objects.filter(pk=model.provider_id).update(service="anthropic")
    turn = answer_rings(send(model))
    first, second = (span.attributes["usage"] for span in generations(turn))
    assert first["prompt_tokens_details"]["cache_creation_tokens"] > 0
    assert second["prompt_tokens_details"]["cached_tokens"] > 0
    assert second["raw"]["cache_read_input_tokens"] > 0
    assert turn.tokens_in == first["prompt_tokens"] + second["prompt_tokens"]


def test_one_conversation_goes_through_all_dialects(speaks: Make, send: Send, asked: Any) -> None:
    conversation = None
    for dialect in ("nous", "native", "anthropic", "functions", "anthropic", "nous"):
        nous = "-nous" if dialect == "nous" else ""
        name = f"stub-z3-t2-p3-n5{nous}"
        known = LanguageModel.objects.filter(dialect=dialect).first()
        turn = answer_rings(send(known or speaks(dialect, name), dialect, conversation))
        assert turn.status == Turn.Status.DONE, turn.error
        conversation = turn.conversation
    last = asked()[-1]
    questions = [m["content"] for m in last["messages"] if m["role"] == "user"]
    assert [q for q in questions if not q.startswith("<tool_response>")] == [
        *("nous", "native", "anthropic", "functions", "anthropic", "nous")
    ]


@pytest.mark.parametrize("dialect", ["native", "functions", "anthropic"])
def test_an_answer_that_is_not_streamed_is_an_answer(
    speaks: Make, send: Send, dialect: str
) -> None:
    turn = answer_rings(send(speaks(dialect, "stub-z3-t2-n5-nostream")))
    assert turn.status == Turn.Status.DONE, turn.error
    assert turn.answer is not None and turn.answer.body["content"]
    assert {span.attributes["finish_reason"] for span in generations(turn)} >= {"stop"}


@pytest.mark.parametrize("dialect", ["native", "anthropic"])
def test_a_model_can_be_asked_not_to_stream(
    speaks: Make, send: Send, asked: Any, dialect: str
) -> None:
    turn = answer_rings(send(speaks(dialect, "stub-n5", parameters={"extra": {"stream": False}})))
    assert turn.status == Turn.Status.DONE, turn.error
    assert asked()[0]["stream"] is False


def test_a_refusal_is_said(speaks: Make, send: Send) -> None:
    turn = answer_rings(send(speaks("anthropic", "stub-n8-ffilter")))
    assert turn.answer is not None
    assert turn.answer.body["refusal"] == "The stub declines, as it was told."
    assert generations(turn)[0].attributes["finish_reason"] == "content_filter"


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_a_base_url_may_have_its_version_or_not(
    speaks: Make, send: Send, stub: Stub, suffix: str
) -> None:
    model = speaks("anthropic", "stub-n2")
    Provider.objects.filter(pk=model.provider_id).update(base_url=stub.url + suffix)
    assert answer_rings(send(model)).status == Turn.Status.DONE


def test_the_key_is_in_no_row(speaks: Make, send: Send, stub: Stub) -> None:
    turn = answer_rings(send(speaks("anthropic", "stub-n5-t1")))
    assert ("x-api-key", "sk-canary-123") in [
        (name.lower(), value) for name, value in stub.completions[-1].headers
    ]
    stored = Payload.objects.filter(span__trace=turn.trace)
    headers = str([payload.attributes for payload in stored])
    assert "x-api-key" in headers
    assert "sk-canary-123" not in headers + str(list(Span.objects.values_list("attributes")))


def test_notes_say_what_was_not_sent(speaks: Make, send: Send, asked: Any) -> None:
    model = speaks("anthropic", "stub-n2", parameters={"seed": 7, "stop": "END"})
    turn = answer_rings(send(model))
    assert asked()[0]["stop_sequences"] == ["END"]
    notes = generations(turn)[0].attributes["notes"]
    assert [note.split()[0] for note in notes] == ["seed", "max_tokens"]


def test_usage_is_not_asked_for_where_a_probe_found_none(
    speaks: Make, send: Send, asked: Any
) -> None:
    model = speaks("native", "stub-n2", probed={"usage_in_streams": False})
    answer_rings(send(model))
    assert "stream_options" not in asked()[0]


def test_reasoning_goes_back_where_it_is_wanted(speaks: Make, send: Send, asked: Any) -> None:
    answer_rings(send(speaks("native", "stub-z3-t1-n2", returns_reasoning="tool_rounds")))
    assistant = asked()[1]["messages"][-2]
    assert len(assistant["reasoning_content"].split()) == 3


def test_a_model_speaks_what_its_provider_knows(speaks: Make) -> None:
    model = speaks("anthropic", "stub")
    model.dialect = LanguageModel.Dialect.NOUS
    assert (model.speaks, served(model).endpoint.kind) == ("anthropic", "anthropic")
    model.provider.kind, model.dialect = Provider.Kind.OPENAI, LanguageModel.Dialect.ANTHROPIC
    assert (model.speaks, served(model).endpoint.kind) == ("native", "openai")
