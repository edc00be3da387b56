"""Secrets in what a provider answers: replaced wherever they are cut, by as many characters."""

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects.contract import TextDelta
from chat.llm.redacted_events import redact_events
from chat.llm.redaction import (
    RedactedStream,
    Redaction,
    mask_of,
    prefix_length,
    redact_quote,
    redact_text,
)

SECRET = "sk-ssk-sk-12"
MASK = mask_of(SECRET)

texts = st.lists(st.sampled_from([SECRET, "s", "sk", "-", "sk-ssk-", "12", "é", "x"])).map("".join)


def streamed(text: str, cuts: list[int]) -> list[TextDelta]:
    said: list[TextDelta] = []
    stream = RedactedStream(Redaction((SECRET,)), said.extend)
    at = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in itertools.pairwise(at):
        stream.say([TextDelta("content", text[start:end])])
    stream.finish()
    return said


def events(*deltas: dict[str, Any]) -> bytes:
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks)


@given(texts, st.lists(st.integers(0, 200)))
def test_a_stream_says_what_the_whole_text_says_without_secrets(text: str, cuts: list[int]) -> None:
    assert "".join(delta.text for delta in streamed(text, cuts)) == redact_text(text, (SECRET,))


@given(texts)
def test_no_more_is_held_back_than_may_be_the_beginning_of_a_secret(text: str) -> None:
    possible = [n for n in range(1, len(SECRET)) if text.endswith(SECRET[:n])]
    assert prefix_length(text, SECRET) == max(possible, default=0)


def test_parts_are_held_back_apart_and_what_restarts_is_forgotten() -> None:
    said: list[TextDelta] = []
    stream = RedactedStream(Redaction((SECRET,)), said.extend)
    stream.say([TextDelta("content", SECRET[:6]), TextDelta("reasoning", SECRET[6:])])
    stream.say([TextDelta("content", "new", restart=True)])
    stream.finish()
    texts = [(delta.part, delta.text, delta.restart) for delta in said if delta.text]
    assert texts == [("reasoning", SECRET[6:], False), ("content", "new", True)]


def test_a_mask_is_as_long_as_its_secret() -> None:
    assert mask_of("12345678") == "[redact]"
    assert mask_of("123456789012") == "[redacted..]"
    assert len(mask_of("x" * 164)) == 164


def test_a_secret_in_pieces_is_replaced_where_they_stand() -> None:
    body = events({"content": "It is sk-ss"}, {"role": "x"}, {"content": "k-sk-12."})
    redacted = redact_events(body, (SECRET,))
    assert len(redacted) == len(body)
    assert redacted == events({"content": "It is [reda"}, {"role": "x"}, {"content": "cted..]."})


def test_an_escaped_secret_is_replaced_in_the_same_form() -> None:
    body = b'data: {"content": "\\u0073k-ssk-sk-12"}\n\n'
    redacted = redact_events(body, (SECRET,))
    assert len(redacted) == len(body)
    assert json.loads(redacted[6:]) == {"content": MASK}


def test_calls_that_arrive_by_turns_are_texts_of_their_own() -> None:
    def piece(index: int, arguments: str) -> dict[str, Any]:
        return {"tool_calls": [{"function": {"arguments": arguments}, "index": index}]}

    body = events(piece(0, SECRET[:5]), piece(1, "other"), piece(0, SECRET[5:]))
    expected = events(piece(0, MASK[:5]), piece(1, "other"), piece(0, MASK[5:]))
    assert redact_events(body, (SECRET,)) == expected


def test_a_body_with_more_than_can_be_gone_through_is_masked_as_a_whole() -> None:
    escaped = "".join(f"\\u{ord(one):04x}" for one in SECRET)
    body = f'{{"content": "{escaped * 10_000}"}}'.encode()
    redacted = redact_events(body, (SECRET,))
    assert redacted.startswith(b"[redacted...")
    assert len(redacted) == len(body)
    assert set(redacted[9:-1]) == {ord(".")}


@given(st.binary() | st.text().map(str.encode))
def test_a_body_without_a_secret_stays_the_same_object(body: bytes) -> None:
    assert redact_events(body, (SECRET,)) is body


def test_a_quote_that_was_cut_within_a_secret_does_not_end_with_its_beginning() -> None:
    assert redact_quote("It failed. (no sk-ssk-s)", (SECRET,)) == "It failed. (no [redacte)"
    assert redact_quote("It failed. (no sk)", (SECRET,)) == "It failed. (no sk)"
