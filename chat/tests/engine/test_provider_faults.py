"""What a model endpoint can do wrong, and what a person finds afterwards: an end, a sentence, the
evidence, and a conversation that goes on."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from chat import turns
from chat.engine.advance import advance
from chat.engine.heart import TurnBeat
from chat.models import LanguageModel, Message, Turn
from chat.tests.engine.conftest import answer_rings
from tracing import payloads
from tracing.models import Payload, Span

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]

# What goes wrong at every attempt: the model, the HTTP status, how many attempts are made, and a
# word of the sentence.
FAILURES = {
    "a web page in place of an answer": ("stub-fhtml", 200, 1, "base URL"),
    "an empty body": ("stub-fempty", 200, 4, "nothing at all"),
    "a stream without a chunk": ("stub-fzero", 200, 4, "without an answer"),
    "an end without a finish reason": ("stub-feof", 200, 4, "cut off"),
    "an end in the middle of a line": ("stub-fhalfline", 200, 4, "cut off"),
    "a body that is not ended": ("stub-fclose", 200, 4, "broke before"),
    "a reset in mid-stream": ("stub-freset", 200, 4, "broke before"),
    "an event that is not JSON": ("stub-fbadjson", 200, 4, "cannot be read"),
    "an event that is not UTF-8": ("stub-fbadutf8", 200, 4, "not text"),
    "silence in mid-stream": ("stub-fstall", 200, 4, "stopped sending"),
    "a request that is not accepted": ("stub-f400", 400, 1, "did not accept"),
    "a key that is refused": ("stub-f401", 401, 1, "API key"),
    "a model that is not known": ("stub-f404", 404, 1, "does not know"),
    "too many requests": ("stub-f429-w0", 429, 4, "too many requests"),
    "a pause that is too long": ("stub-f429-w3600", 429, 1, "too many requests"),
    "an internal error": ("stub-f500", 500, 4, "problem of its own"),
    "a bad gateway": ("stub-f502", 502, 4, "problem of its own"),
    "an overloaded server": ("stub-f503", 503, 4, "problem of its own"),
}
# A reset overtakes what was sent before it; what cannot be read is not read to the end.
READ_IN_PART = ("stub-freset", "stub-fbadjson", "stub-fbadutf8")
# In mid-stream: ten of the twenty tokens have arrived.
CUT_IN_MID_STREAM = ["feof", "fhalfline", "fclose", "freset", "fbadjson", "fbadutf8", "fstall"]
# Faults of tool calls: the end of the turn, and what its calls came to.
QUIRKS = {
    "arguments that are cut off": ("qcut", "done", "failed"),
    "arguments that are not JSON": ("qtext", "done", "failed"),
    "arguments that are not an object": ("qlist", "done", "failed"),
    "no arguments where some are needed": ("qempty", "done", "failed"),
    "ids that are repeated": ("qsameid", "done", "succeeded"),
    "no ids": ("qnoid", "done", "succeeded"),
    "no index": ("qnoindex", "done", "succeeded"),
    "a tool that does not exist": ("qunknown", "done", "failed"),
    "all calls in one chunk": ("qwhole", "done", "succeeded"),
    "the length limit within the last call": ("qlength", "done", None),
}


@pytest.fixture(autouse=True)
def in_a_hurry(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0.01
    settings.MODEL_IDLE_SECONDS = 0.2


def attempts(turn: Turn) -> list[Span]:
    spans = Span.objects.filter(trace=turn.trace, kind=Span.Kind.GENERATION)
    return list(spans.order_by("id"))


def response(span: Span) -> tuple[Payload, bytes]:
    stored = Payload.objects.get(span=span, stage=Payload.Stage.RESPONSE)
    return stored, payloads.load(stored)


def goes_on(turn: Turn, model: Model, send: Send) -> bool:
    """Whether the next message of the conversation gets its answer."""
    following = send(model("stub-n3"), "and now?", turn.conversation)
    return answer_rings(following).status == Turn.Status.DONE


@pytest.mark.parametrize(("name", "status", "tries", "words"), FAILURES.values(), ids=FAILURES)
def test_a_failure_ends_in_a_sentence_with_the_evidence(
    model: Model, send: Send, stub: Stub, name: str, status: int, tries: int, words: str
) -> None:
    before = len(stub.completions)
    turn = answer_rings(send(model(name)))
    assert turn.status == Turn.Status.FAILED
    assert words in turn.error
    spans = attempts(turn)
    assert [span.status for span in spans] == ["failed"] * tries
    for span, sent in zip(spans, stub.completions[before:], strict=True):
        stored, body = response(span)
        assert stored.attributes["status"] == status
        assert body == sent.sent or (name in READ_IN_PART and sent.sent.startswith(body))
    assert goes_on(turn, model, send)


@pytest.mark.parametrize("fault", CUT_IN_MID_STREAM)
def test_what_was_said_before_a_failure_is_kept_as_the_answer(
    model: Model, send: Send, fault: str
) -> None:
    turn = answer_rings(send(model(f"stub-s7-r500-{fault}")))
    whole = answer_rings(send(model("stub-s7-n60")))
    assert turn.answer is not None and whole.answer is not None
    said = turn.answer.body["content"]
    assert said
    assert whole.answer.body["content"].startswith(said)


@pytest.mark.parametrize("fault", ["f500", "f429-w0", "freset", "fbadutf8", "fempty", "fstall"])
def test_a_failure_that_passes_is_only_seen_in_the_trace(
    model: Model, send: Send, fault: str
) -> None:
    turn = answer_rings(send(model(f"stub-s5-{fault}-x1")))
    good = answer_rings(send(model("stub-s5")))
    assert (turn.status, turn.error) == (Turn.Status.DONE, "")
    assert [span.status for span in attempts(turn)] == ["failed", "succeeded"]
    assert turn.answer is not None and good.answer is not None
    assert turn.answer.body["content"] == good.answer.body["content"]


def test_the_pause_that_a_provider_asks_for_is_shown_and_can_be_stopped(
    model: Model, send: Send
) -> None:
    turn = send(model("stub-f429-w60"))
    with ThreadPoolExecutor(1) as worker:
        advanced = worker.submit(_advance, turn)
        _wait_for(lambda: [s for s in attempts(turn) if "retry_in_ms" in s.attributes])
        assert attempts(turn)[0].attributes["retry_in_ms"] == 60_000
        turns.stop(turn)
        TurnBeat()()
        advanced.result(5)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.STOPPED
    assert goes_on(turn, model, send)


@pytest.mark.parametrize(("quirk", "end", "result"), QUIRKS.values(), ids=QUIRKS)
def test_odd_tool_calls_are_answered_and_the_turn_goes_on(
    model: Model, send: Send, quirk: str, end: str, result: str | None
) -> None:
    turn = answer_rings(send(model(f"stub-t3-{quirk}-n5")))
    assert turn.status == end, turn.error
    calls = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    ids = [call.attributes["call_id"] for call in calls]
    assert len(set(ids)) == len(ids) == 3
    if result is not None:
        assert {call.status for call in calls} == {result}
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id")
    assert [message.body["tool_call_id"] for message in told] == ids
    assert goes_on(turn, model, send)


def test_usage_that_is_missing_counts_as_nothing(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-nousage")))
    assert (turn.status, turn.tokens_in, turn.tokens_out) == (Turn.Status.DONE, 0, 0)


@pytest.mark.parametrize("field", ["z8", "z8-reasoning", "z8-think"])
def test_reasoning_is_told_from_the_answer_wherever_it_stands(
    model: Model, send: Send, field: str
) -> None:
    turn = answer_rings(send(model(f"stub-s3-{field}")))
    plain = answer_rings(send(model("stub-s3-z8")))
    assert turn.answer is not None and plain.answer is not None
    for part in ("reasoning_content", "content"):
        assert turn.answer.body[part].strip() == plain.answer.body[part].strip()


def test_an_answer_without_end_is_ended(model: Model, send: Send, settings: Settings) -> None:
    settings.TURN_CEILINGS = {"response_bytes": 200_000}
    turn = answer_rings(send(model("stub-s1-fendless")))
    assert turn.status == Turn.Status.FAILED
    assert "does not end" in turn.error
    assert turn.answer is not None and turn.answer.body["content"]
    _, body = response(attempts(turn)[0])
    assert 200_000 < len(body) < 1_000_000
    assert goes_on(turn, model, send)


def test_50_parallel_calls_are_all_run(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-t50-n5")))
    assert turn.status == Turn.Status.DONE, turn.error
    results = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("id")
    assert [message.body["content"] for message in results] == [str(n) for n in range(50)]


def test_more_calls_than_the_ceiling_end_the_turn_and_none_is_run(
    model: Model, send: Send, settings: Settings
) -> None:
    settings.TURN_CEILINGS = {"calls_a_round": 8}
    turn = answer_rings(send(model("stub-t9")))
    assert turn.status == Turn.Status.FAILED
    assert "9 calls" in turn.error
    calls = Span.objects.filter(trace=turn.trace, kind=Span.Kind.TOOL)
    assert {call.status for call in calls} == {Span.Status.CANCELLED}
    assert goes_on(turn, model, send)


def test_rounds_without_end_are_ended(model: Model, send: Send, settings: Settings) -> None:
    settings.TURN_CEILINGS = {"rounds": 5}
    turn = answer_rings(send(model("stub-k1000")))
    assert (turn.status, turn.rounds) == (Turn.Status.FAILED, 5)
    assert "5 rounds" in turn.error
    assert goes_on(turn, model, send)


def test_an_endpoint_that_nobody_serves_is_a_sentence(model: Model, send: Send) -> None:
    dead = model("stub-dead")
    dead.provider.base_url = "http://127.0.0.1:9/v1"
    dead.provider.save()
    turn = answer_rings(send(dead))
    assert turn.status == Turn.Status.FAILED
    assert "could not be reached" in turn.error


@pytest.mark.parametrize("name", ["stub-fsilent", "stub-r20-n400-fstall-at3", "stub-d60000"])
def test_stop_ends_a_model_that_says_nothing(
    model: Model, send: Send, stub: Stub, settings: Settings, name: str
) -> None:
    settings.MODEL_IDLE_SECONDS = 60
    before = len(stub.completions)
    turn = send(model(name))
    with ThreadPoolExecutor(1) as worker:
        advanced = worker.submit(_advance, turn)
        stub.wait_for(lambda asked: len(asked) > before)
        turns.stop(turn)
        TurnBeat()()
        advanced.result(2)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.STOPPED
    assert stub.wait_for(lambda asked: asked[-1].ended_us)[-1].cut
    assert attempts(turn)[0].attributes["cut"] == "stopped"


def _advance(turn: Turn) -> None:
    try:
        advance(turn.pk)
    finally:
        connection.close()


def _wait_for(condition: Callable[[], Any], seconds: float = 5.0) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    raise TimeoutError(f"not within {seconds} s")
