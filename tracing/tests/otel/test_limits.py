"""What a span carries of texts and conversations that are too large for a receiver."""

import json
from typing import Any

import pytest

from limits.export import MAX_EXPORTED_MESSAGES, MAX_EXPORTED_SPAN
from tracing.export.otlp import limits, messages
from tracing.export.otlp.collector import batches
from tracing.export.otlp.messages import FittingMessages
from tracing.export.otlp.otlp_span import Attributes, OTLPSpan, Outcome, SpanKind


def said(count: int, text: str = "word") -> list[dict[str, Any]]:
    system = {"role": "system", "content": "Be kind."}
    return [system, *({"role": "user", "content": f"{n} {text}"} for n in range(count))]


def span(size: int) -> OTLPSpan:
    attributes: Attributes = {"input.value": "x" * size}
    return OTLPSpan("n", SpanKind.INTERNAL, 1, 2, None, 0, 0, Outcome.OK, attributes=attributes)


def test_a_long_text_is_cut_and_says_so() -> None:
    assert limits.cut("a" * 50_000).endswith("aaa… [18,000 more characters]")


@pytest.mark.parametrize("name", limits._LIMITS)
def test_opentelemetry_s_own_limit_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "10")
    assert limits.cut("a" * 12) == "aaaaaaaaaa… [2 more characters]"


def test_what_is_no_unicode_can_be_sent() -> None:
    assert limits.cut("a\ud800b") == "a?b"


def test_of_a_long_conversation_the_system_s_words_and_the_newest_stay() -> None:
    kept = FittingMessages.of(said(1000))
    assert kept.left_out == 1000 - MAX_EXPORTED_MESSAGES
    assert kept.messages[0]["role"] == "system"
    assert kept.messages[-1]["content"] == "999 word"


def test_of_a_large_conversation_so_much_stays_as_fits() -> None:
    kept = FittingMessages.of(said(100, "x" * 10_000))
    assert len(messages.messages_json(kept.messages)) < MAX_EXPORTED_SPAN + 2000
    assert kept.left_out == 81


def test_the_last_message_stays_whatever_its_size() -> None:
    kept = FittingMessages.of([{"role": "user", "content": "longer than that"}], room=10)
    assert len(kept.messages) == 1


def test_bytes_of_images_stay_here() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}}
    message = {"role": "user", "content": [{"type": "text", "text": "Look."}, image]}
    (written,) = json.loads(messages.messages_json([message]))
    text = written["parts"][0]["content"]
    assert text == "Look.\n[image/png, 5,022 characters]"


@pytest.mark.parametrize(
    "odd", [None, 7, "text", [None], [{"role": None}], [{"role": "user", "content": 5}]]
)
def test_messages_that_are_none_break_nothing(odd: Any) -> None:
    kept = FittingMessages.of(odd)
    json.loads(messages.messages_json(kept.messages))
    assert dict(messages.flat_attributes("llm.input_messages", kept.messages)) is not None


@pytest.mark.parametrize("arguments", ["{", "[1", "", "NaN", '{"a": NaN}', "1" * 5000])
def test_arguments_that_are_no_json_are_sent_as_valid_json(arguments: str) -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": arguments}}
    written = messages.messages_json([{"role": "assistant", "content": None, "tool_calls": [call]}])
    json.loads(written, parse_constant=pytest.fail)


def test_requests_have_a_size() -> None:
    sizes = [500_000] * 7
    assert [len(batch) for batch in batches(map(span, sizes))] == [3, 3, 1]


def test_a_span_that_is_too_large_goes_alone() -> None:
    assert [len(batch) for batch in batches(map(span, [10, 5_000_000, 10]))] == [1, 1, 1]
