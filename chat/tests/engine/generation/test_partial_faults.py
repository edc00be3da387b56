"""What a model had said before something went wrong is kept, as the answer of the turn."""

import pytest
from pytest_django.fixtures import Settings

from chat.models import Message, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import (
    Model,
    Send,
    advancing,
    any_protocol,
    attempts,
    cells,
    every_protocol,
    goes_on,
    stop,
    wait_for,
)

pytestmark = pytest.mark.long

# In mid-stream: ten of the twenty tokens have arrived.
FAULTS = [
    "feof",
    "fhalfline",
    "fclose",
    "fshort",
    "freset",
    "fbadjson",
    "fbadutf8",
    "ferror",
    "fstall",
]
CUTS = dict(zip(FAULTS, FAULTS, strict=True))
# Whatever the failure is, what was said is kept by the same lines: one of each layer.
OF_LAYERS = {"feof", "freset", "fbadjson", "ferror"}
EARLY_ENDS = {
    f"{fault} at {at}": (fault, reason, at)
    for fault, reason in (("flimit", "length"), ("ffilter", "content_filter"))
    for at in (3, 12)
}


@pytest.fixture(autouse=True)
def in_a_hurry(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0.01
    settings.MODEL_IDLE_SECONDS = 0.5


def said(turn: Turn) -> str:
    assert turn.answer is not None
    text: str = turn.answer.body["content"]
    return text


@cells("fault", CUTS, completions=OF_LAYERS, messages={"feof", "ferror"})
def test_what_was_said_before_a_failure_is_kept(model: Model, send: Send, fault: str) -> None:
    turn = answer_rings(send(model(f"stub-s7-r500-{fault}")))
    whole = answer_rings(send(model("stub-s7-n60")))
    assert turn.status == Turn.Status.FAILED
    assert said(turn)
    assert said(whole).startswith(said(turn))
    assert goes_on(turn, model, send)


@every_protocol
def test_reasoning_that_broke_off_is_kept_and_not_sent_as_an_empty_answer(
    model: Model, send: Send
) -> None:
    turn = answer_rings(send(model("stub-s7-z20-feof-at5")))
    assert turn.answer is not None
    assert turn.answer.body["reasoning_content"]
    assert not turn.answer.body["content"]
    assert goes_on(turn, model, send)


@any_protocol
def test_of_several_attempts_the_last_that_said_something_is_kept(model: Model, send: Send) -> None:
    turn = answer_rings(send(model("stub-s7-r500-feof")))
    texts = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT)
    assert [text.span for text in texts] == [attempts(turn)[-1]]


@any_protocol
def test_stop_while_a_retry_waits_keeps_what_the_attempt_before_had_said(
    model: Model, send: Send, settings: Settings
) -> None:
    settings.RETRY_SECONDS = 60
    turn = send(model("stub-s7-r500-feof"))
    with advancing(turn) as ended:
        wait_for(lambda: [span for span in attempts(turn) if span.status == "failed"])
        stop(turn)
        assert ended(2).status == Turn.Status.STOPPED
    assert said(turn)
    assert turn.answer is not None and turn.answer.span == attempts(turn)[0]
    assert goes_on(turn, model, send)


@cells("fault, reason, at", EARLY_ENDS, EARLY_ENDS, messages={"flimit at 12", "ffilter at 3"})
def test_an_answer_that_the_provider_ends_early_is_an_answer_and_says_why(
    model: Model, send: Send, fault: str, reason: str, at: int
) -> None:
    turn = answer_rings(send(model(f"stub-s7-z8-n20-{fault}-at{at}")))
    assert turn.status == Turn.Status.DONE
    assert attempts(turn)[0].attributes["finish_reason"] == reason
    assert bool(said(turn)) is (at > 8)
    assert goes_on(turn, model, send)
