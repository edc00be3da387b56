"""Content leaves only where the environment says so."""

import pytest

from tracing.tests.otel.exporting import export, model_call
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_finished_turn

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("content")
def test_the_turn_has_question_and_answer(receiver: Receiver) -> None:
    export(a_finished_turn())
    found = attributes(receiver.named("invoke_agent Roundtrip"))
    assert (found["input.value"], found["output.value"]) == ("数据库有几张表?", "七张表。")
    assert found["gen_ai.operation.name"] == "invoke_agent"
    assert found["gen_ai.agent.name"] == found["agent.name"] == "Roundtrip"
    assert found["gen_ai.provider.name"] == "my_server"


@pytest.mark.usefixtures("content")
def test_a_provider_s_sentence_leaves_with_content_only(receiver: Receiver) -> None:
    export(a_finished_turn())
    assert model_call(receiver, 0).status.message == "The provider said: 数据库 is closed."


def test_nothing_that_was_said_leaves_without_consent(receiver: Receiver) -> None:
    export(a_finished_turn())
    (request,) = receiver.requests
    for said in ("数据库", "briefly", "SELECT", "7 tables", "I look", "七张表"):
        assert said.encode() not in request.body


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        ("true", True),
        ("SPAN_ONLY", True),
        ("span_and_event", True),
        ("EVENT_ONLY", False),
        ("NO_CONTENT", False),
        ("false", False),
        ("", False),
    ],
)
def test_the_values_that_let_content_leave(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, value: str, leaves: bool
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    export(a_finished_turn())
    assert ("gen_ai.input.messages" in attributes(model_call(receiver, 1))) is leaves
