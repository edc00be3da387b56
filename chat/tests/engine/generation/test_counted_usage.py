"""What an attempt of a turn counts with, where its provider did not report it."""

import json

import pytest

from chat.engine.generation.outcome import Generated
from chat.engine.worker.running_turns import Cut
from chat.llm.errors import Defect
from chat.llm.recording import Recording

STREAM = [("Content-Type", "text/event-stream")]
ASKED = json.dumps({"messages": [{"role": "user", "content": "hi " * 400}]}).encode()
DELTA = b'data: {"choices": [{"delta": {"content": "' + b"word " * 400 + b'"}}]}\n\n'


def attempt(status: int | None, *, sent_at: float | None = 1.0) -> Generated:
    record = Recording(status=status, sent_at=sent_at, request_body=ASKED, response_headers=STREAM)
    record.pieces = [DELTA] if status is not None else []
    return Generated(recording=record)


def counted(generated: Generated) -> tuple[int, int]:
    return generated.tokens("prompt_tokens"), generated.tokens("completion_tokens")


def test_an_answer_that_is_stopped_before_its_usage_counts() -> None:
    generated = attempt(200)
    generated.cut = Cut.STOPPED
    read, written = counted(generated)

    assert 250 < read < 400 and 400 < written < 600
    assert generated.attributes()["usage"]["estimated"] is True


def test_who_stops_before_the_first_token_pays_for_what_was_asked() -> None:
    generated = attempt(None)
    generated.cut = Cut.STOPPED

    assert counted(generated)[0] > 250 and counted(generated)[1] == 0


@pytest.mark.parametrize(("status", "sent_at"), [(429, 1.0), (None, 1.0), (None, None)])
def test_what_no_model_has_taken_in_counts_as_nothing(
    status: int | None, sent_at: float | None
) -> None:
    generated = attempt(status, sent_at=sent_at)
    generated.error = Defect()

    assert counted(generated) == (0, 0) and generated.attributes()["usage"] is None


def test_what_was_reported_counts_as_it_was() -> None:
    generated = attempt(200)
    generated.usage = {"prompt_tokens": 9, "completion_tokens": 1}

    assert counted(generated) == (9, 1)
    assert generated.attributes()["usage"] == generated.usage
