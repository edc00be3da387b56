"""Evidence that is odd: compressed though nobody asked, or with our own key in it; and a defect of
ours, which must not cost the bytes."""

import gzip
from typing import Any

import pytest

from benchmarks.stub import Stub
from chat.engine.generation.evidence import records
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.outcome import Generated
from chat.llm.dialects.contract import Answer, TextDelta, WireMessage
from chat.llm.dialects.native import Native
from chat.llm.endpoint import Endpoint
from chat.llm.errors import Defect, StatusFailure
from chat.llm.recording import Recording
from chat.llm.served import ModelInput, ServedModel
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import Model, Send, attempts, every_protocol, response
from tests import patience
from tools import loop
from tracing.journal.trace_rounds import payloads_of
from tracing.models import Span
from tracing.page.stages.ladder import read_stages
from tracing.page.stages.response import ResponseView
from tracing.page.view_options import TraceViewOptions

SECRET = "sk-canary-123"


@every_protocol
def test_a_compressed_answer_is_kept_as_it_came_and_can_be_read_in_the_trace(
    model: Model, send: Send
) -> None:
    turn = answer_rings(send(model("stub-n5-gzip")))
    _, body = response(attempts(turn)[0])
    assert body.startswith(b"\x1f\x8b")
    attempt = attempts(turn)[0]
    stage = read_stages(attempt, None, payloads_of([attempt]), TraceViewOptions())[2]
    assert isinstance(stage.content, ResponseView) and turn.answer is not None
    assert turn.answer.body["content"] in str(stage.content)


@pytest.mark.parametrize("packed", [True, False])
def test_a_key_that_a_provider_repeats_is_in_no_payload(packed: bool) -> None:
    body = f"no such key: {SECRET}".encode()
    headers = [("location", f"https://example.org/?key={SECRET}")]
    kept = Recording(status=401, response_headers=headers, sent_at=0.0)
    if packed:
        kept.response_headers = [*headers, ("content-encoding", "gzip")]
        body = gzip.compress(body)
    kept.add(body)
    found = records(Span(), ModelInput([]), Generated(recording=kept, secrets=(SECRET,)))
    assert SECRET not in str(found)
    _, stage, stored, details = found[-1]
    assert (stage, stored, details["redacted"]) == ("response", b"no such key: [redacted...]", True)


def test_what_a_provider_says_can_be_stored_whatever_is_in_it() -> None:
    said = StatusFailure(400, "odd\0 \ud800 words", evidence=b"")
    assert "(odd\ufffd \ufffd words)" in Generated(error=said).sentence


def test_what_is_on_record_is_recorded_again_only_if_it_is_another() -> None:
    span, meant = Span(), ModelInput([{"role": "user", "content": "hello"}])
    generated = Generated(recording=Recording(method="POST", request_body=b"{}", sent_at=0.0))
    generated.recorded = records(span, meant, generated)
    assert [stage for _, stage, _, _ in generated.recorded] == ["input", "request"]
    assert records(span, meant, generated) == []
    generated.recording.request_headers = [("a", "b")]
    assert [stage for _, stage, _, _ in records(span, meant, generated)] == ["request"]
    generated.recording.status = 200
    assert [stage for _, stage, _, _ in records(span, meant, generated)] == ["request", "response"]


class Broken(Native):
    """A dialect with a defect."""

    def stream(self) -> Any:
        return _BrokenStream()


class _BrokenStream:
    def feed(self, delta: WireMessage) -> list[TextDelta]:
        raise RuntimeError(f"a defect of ours with {SECRET}")

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        raise RuntimeError("a defect of ours")


def test_a_defect_of_ours_is_a_sentence_and_costs_no_evidence(
    stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    served = ServedModel("stub-n5", Endpoint(stub.base_url, SECRET), Broken())
    asked = ModelInput([{"role": "user", "content": "hello"}])
    generated = loop.submit(Exchange(served, asked).run()).result(patience.SECONDS)
    assert isinstance(generated.error, Defect)
    assert "Internal error while the answer was processed" in generated.sentence
    assert stub.completions[-1].sent.startswith(generated.recording.response_body)
    assert generated.recording.response_body
    assert "a defect of ours with [redacted" in caplog.text
    assert SECRET not in caplog.text
