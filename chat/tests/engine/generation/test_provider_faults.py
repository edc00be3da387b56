"""What a model endpoint can do wrong, and what a person finds afterwards: an end, a sentence, the
evidence in the trace, and a conversation that goes on. `FAULTS` says for each how many attempts are
made and which sentence is shown. Beside this module:

    test_partial_faults.py  what was said before a failure
    test_call_faults.py     tool calls that are cut, odd or too many
    test_retry_faults.py    attempts and the waits between them
    test_stop_faults.py     Stop at any moment
"""

import gc
import re
from typing import NamedTuple

import pytest
from pytest_django.fixtures import Settings

from benchmarks.stub import LoggedRequest, Stub
from chat.events.running_text import RunningText
from chat.llm.recording import Recording
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import (
    Model,
    Send,
    any_protocol,
    attempts,
    cells,
    every_protocol,
    goes_on,
    has_headers,
    response,
    wait_for,
)
from tests.redis_server import RedisServer
from tracing.models import Payload, Span

pytestmark = pytest.mark.long


class Fault(NamedTuple):
    """What goes wrong at every attempt. `read`: how much of what was sent can be in the trace."""

    model: str
    status: int | None
    attempts: int
    sentence: str
    read: str = "all"


CUT_OFF = "The model server's answer was cut off before its end."
BROKE = "The connection to the model server broke before the answer was complete."
STALLED = "The model server stopped sending. (nothing arrived for 0.5 seconds)"
REPORTED = "The model server reported an error. (The stub reports an error as it was told.)"
UNREADABLE = "The model server sent data that cannot be parsed."
NOT_TEXT = "The model server sent data that is not valid UTF-8. (invalid UTF-8 at byte "
NOT_HTTP = "The model server did not answer with HTTP."
TOLD = "(The stub fails with {0} as it was told.)"
OWN = "The model server reported an internal error (HTTP {0}). " + TOLD
BUSY = "The model server received too many requests (HTTP 429)"

FAULTS = {
    "a web page in place of an answer": Fault(
        "stub-fhtml",
        200,
        1,
        "The model server did not answer with an event stream. Check the base URL.",
    ),
    "an empty body": Fault("stub-fempty", 200, 4, "The model server sent an empty answer."),
    "a stream without a chunk": Fault(
        "stub-fzero", 200, 4, "The model server ended its stream without an answer."
    ),
    "an end without a finish reason": Fault("stub-feof", 200, 4, CUT_OFF),
    "an end in the middle of a line": Fault("stub-fhalfline", 200, 4, CUT_OFF),
    "a body that is not ended": Fault("stub-fclose", 200, 4, BROKE),
    "a body that is shorter than it is said to be": Fault("stub-fshort", 200, 4, BROKE),
    "a reset in mid-stream": Fault("stub-freset", 200, 4, BROKE, "part"),
    "an end before the status": Fault("stub-fdrop", None, 4, BROKE),
    "an event that is not JSON": Fault("stub-fbadjson", 200, 4, UNREADABLE, "part"),
    "an event that is not UTF-8": Fault("stub-fbadutf8", 200, 4, NOT_TEXT, "part"),
    "a body that is not compressed as it is said to be": Fault(
        "stub-fbadgzip", 200, 4, f"{UNREADABLE} (its compression is broken)", "part"
    ),
    "an error in mid-stream": Fault("stub-ferror", 200, 4, REPORTED),
    "an error in place of a stream": Fault("stub-ferrordoc", 200, 4, REPORTED),
    "silence in mid-stream": Fault("stub-fstall", 200, 4, STALLED),
    "silence instead of a status": Fault("stub-fsilent", None, 4, STALLED),
    "another address": Fault(
        "stub-f302",
        302,
        1,
        "The model server redirects to another address; nothing was sent there (HTTP 302). "
        + TOLD.format(302),
    ),
    "a request that is not accepted": Fault(
        "stub-f400",
        400,
        1,
        "The model server did not accept the request: Bad Request (HTTP 400). " + TOLD.format(400),
    ),
    "a key that is refused": Fault(
        "stub-f401", 401, 1, "The model server rejected the API key (HTTP 401). " + TOLD.format(401)
    ),
    "a model that is not known": Fault(
        "stub-f404",
        404,
        1,
        "The model server does not know this model or address (HTTP 404). " + TOLD.format(404),
    ),
    "too many requests": Fault("stub-f429-w0", 429, 4, f"{BUSY}. {TOLD.format(429)}"),
    "a pause that is too long": Fault(
        "stub-f429-w3600", 429, 1, f"{BUSY} and asks for a pause of 60 minutes. {TOLD.format(429)}"
    ),
    "a date that is too far": Fault(
        "stub-f429-w3600-wdate", 429, 1, f"{BUSY} and asks for a pause of 60 minutes."
    ),
    "an internal error": Fault("stub-f500", 500, 4, OWN.format(500)),
    "a bad gateway": Fault("stub-f502", 502, 4, OWN.format(502)),
    "an overloaded server": Fault("stub-f503", 503, 4, OWN.format(503)),
    "an error without end": Fault(
        "stub-fbabble", 500, 4, "The model server reported an internal error (HTTP 500).", "part"
    ),
}
# Each takes the branch of another: of "an end without a finish reason", "a body that is not
# ended", "a request that is not accepted", "a pause that is too long", "an internal error". What is
# read of a status and its headers is in chat/tests/llm/test_failures.py.
ALIKE = {
    "an end in the middle of a line",
    "a body that is shorter than it is said to be",
    "a model that is not known",
    "a date that is too far",
    "a bad gateway",
    "an overloaded server",
}
# The others end below the protocol, or before it is asked.
READ_BY_THE_PROTOCOL = {
    "a stream without a chunk",
    "an end without a finish reason",
    "an event that is not JSON",
    "an error in mid-stream",
    "an error in place of a stream",
    "a key that is refused",
}


@pytest.fixture(autouse=True)
def in_a_hurry(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0.01
    settings.MODEL_IDLE_SECONDS = 0.5
    settings.TURN_CEILINGS = {"response_bytes": 100_000}


@cells("fault", FAULTS, completions=FAULTS.keys() - ALIKE, messages=READ_BY_THE_PROTOCOL)
def test_a_failure_ends_in_a_sentence_with_the_evidence(
    model: Model, send: Send, stub: Stub, fault: Fault
) -> None:
    before = len(stub.completions)
    turn = answer_rings(send(model(fault.model)))
    assert turn.status == Turn.Status.FAILED
    assert turn.error.startswith(fault.sentence)
    spans = attempts(turn)
    assert [span.status for span in spans] == ["failed"] * fault.attempts
    for span, sent in zip(spans, stub.completions[before:], strict=True):
        assert span.attributes["status_code"] == fault.status
        assert holds_the_evidence(span, sent, fault)
    assert goes_on(turn, model, send)


def holds_the_evidence(span: Span, sent: LoggedRequest, fault: Fault) -> bool:
    """Whether the trace has status, headers and bytes as they were sent."""
    if fault.status is None:
        return not Payload.objects.filter(span=span, stage=Payload.Stage.RESPONSE).exists()
    stored, body = response(span)
    whole = body == sent.sent if fault.read == "all" else sent.sent.startswith(body)
    return whole and stored.attributes["status"] == fault.status and has_headers(stored, sent)


@every_protocol
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("stub-fbadjson", rb"\{[^\n]*"),
        ("stub-fbadutf8", rb"[\x80-\xff]"),
        ("stub-ferror", rb".*The stub reports an error.*"),
        ("stub-f401", rb"(?s).*The stub fails with 401.*"),
        ("stub-fhtml", rb"(?s).*<html.*"),
    ],
)
def test_an_error_knows_its_bytes(model: Model, send: Send, name: str, place: bytes) -> None:
    span = attempts(answer_rings(send(model(name))))[-1]
    start, end = span.attributes["error_bytes"]
    assert re.fullmatch(place, response(span)[1][start:end])


@any_protocol
def test_what_broke_off_is_marked_where_it_ended(model: Model, send: Send) -> None:
    span = attempts(answer_rings(send(model("stub-feof"))))[-1]
    start, end = span.attributes["error_bytes"]
    assert start < end == len(response(span)[1])


@any_protocol
def test_a_body_that_is_longer_than_it_is_said_to_be_is_cut_off(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-flong")))
    assert turn.status == Turn.Status.FAILED
    # What is too much stands before the next answer, if their connection is the same.
    assert {span.error.partition(" (")[0] for span in attempts(turn)} <= {CUT_OFF, NOT_HTTP}
    assert len(attempts(turn)) == 4
    assert goes_on(turn, model, send)


@any_protocol
def test_an_answer_without_end_is_ended(model: Model, send: Send, settings: Settings) -> None:
    # More than one read gives out, so that there is text before the one that is too much.
    limit = 2_000_000
    settings.TURN_CEILINGS = {"response_bytes": limit}
    turn = answer_rings(send(model("stub-s1-fendless")))
    assert turn.status == Turn.Status.FAILED
    assert turn.error.startswith("The model's answer is too long.")
    assert len(attempts(turn)) == 1
    assert turn.answer is not None and turn.answer.body["content"]
    # What was read with the piece that exceeded the limit is recorded too.
    assert limit < len(response(attempts(turn)[0])[1]) < 2 * limit
    assert goes_on(turn, model, send)


@any_protocol
def test_an_answer_that_unpacks_without_end_is_ended(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-fendless-gzip")))
    assert turn.error.startswith("The model's answer is too long.")
    assert len(response(attempts(turn)[0])[1]) < 100_000
    assert goes_on(turn, model, send)


@any_protocol
def test_comments_without_end_are_ended(model: Model, send: Send, settings: Settings) -> None:

    settings.TURN_CEILINGS = {"seconds": 0.3}
    turn = answer_rings(send(model("stub-r50-n4-fping")))
    assert turn.error == "The model took too long. (stopped after 0.3 seconds)"
    settings.TURN_CEILINGS = {}
    assert goes_on(turn, model, send)


@every_protocol
@pytest.mark.parametrize(
    "name",
    ["stub-s5-gzip", "stub-s5-bare", "stub-s5-nousage", "stub-s5-c3", "stub-s5-ftail"],
)
def test_what_is_only_unusual_is_an_answer(model: Model, send: Send, stub: Stub, name: str) -> None:
    turn = answer_rings(send(model(name)))
    sent = stub.completions[-1]
    plain = answer_rings(send(model("stub-s5")))
    assert (turn.status, turn.error) == (Turn.Status.DONE, "")
    assert turn.answer is not None and plain.answer is not None
    assert turn.answer.body["content"] == plain.answer.body["content"]
    assert response(attempts(turn)[0])[1] == sent.sent


@every_protocol
def test_usage_that_is_missing_is_estimated(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-nousage")))
    assert turn.status == Turn.Status.DONE
    assert 0 < turn.tokens_in < 1_000 and 0 < turn.tokens_out < 200
    generation = Span.objects.get(trace=turn.trace, kind=Span.Kind.GENERATION)
    assert generation.attributes["usage"]["estimated"] is True


@pytest.mark.parametrize("field", ["z8", "z8-reasoning", "z8-think"])
def test_reasoning_is_told_from_the_answer_wherever_it_stands(
    model: Model, send: Send, field: str
) -> None:
    turn = answer_rings(send(model(f"stub-s3-{field}")))
    plain = answer_rings(send(model("stub-s3-z8")))
    assert turn.answer is not None and plain.answer is not None
    for part in ("reasoning_content", "content"):
        assert turn.answer.body[part].strip() == plain.answer.body[part].strip()


@any_protocol
def test_rounds_without_end_are_ended(model: Model, send: Send, settings: Settings) -> None:
    settings.AGENT_LIMITS = {"rounds": 5}
    turn = answer_rings(send(model("stub-k1000")))
    assert (turn.status, turn.rounds) == (Turn.Status.FAILED, 5)
    assert "5 rounds" in turn.error
    assert goes_on(turn, model, send)


@any_protocol
def test_an_endpoint_that_nobody_serves_is_a_sentence(model: Model, send: Send) -> None:
    dead = model("stub-dead")
    dead.provider.base_url = "http://127.0.0.1:9/v1"
    dead.provider.save()
    turn = answer_rings(send(dead))
    assert turn.status == Turn.Status.FAILED
    assert "could not be reached" in turn.error
    assert len(made := attempts(turn)) == 4
    assert all(attempt.attributes["error_evidence"] for attempt in made)


@any_protocol
def test_answers_without_end_leave_nothing_behind_in_memory(
    model: Model, send: Send, redis_server: RedisServer
) -> None:
    before = _kept()
    for _ in range(5):
        answer_rings(send(model("stub-fendless")))
    # Timers hold a text until its window is over, which is longer on a busy machine.
    wait_for(lambda: _kept() <= before + 2)


def _kept() -> int:
    """What is in memory of answers. Tests without Redis leave texts that were never announced."""
    gc.collect()
    return sum(type(each) in (Recording, RunningText) for each in gc.get_objects())
