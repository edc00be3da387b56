"""The conversation of `benchmarks.recording`, and what is measured of it."""

import json

import pytest
from django.contrib.auth.models import User

from benchmarks.recording import growth
from benchmarks.recording.conversation import Conversation
from benchmarks.recording.events import stream
from benchmarks.recording.writing import Totals, write
from tracing.models import Payload, Span, Trace
from tracing.store import payloads

ROUNDS = 6


@pytest.fixture
def totals(db: None) -> Totals:
    return write(User.objects.create_user("recording"), Conversation(ROUNDS))


def test_every_request_comes_back_exactly(totals: Totals) -> None:
    rows = Payload.objects.filter(stage="request").select_related("span__trace")
    assert {row.span_id: payloads.load(row) for row in rows} == totals.bodies
    assert len(totals.bodies) == ROUNDS


def test_the_spans_are_those_that_are_counted_and_all_are_closed(totals: Totals) -> None:
    assert Span.objects.count() == totals.spans == 3 * ROUNDS
    assert not Span.objects.filter(ended=None).exists()
    assert Trace.objects.get().digested


def test_each_message_is_counted_once(totals: Totals) -> None:
    last = json.loads(totals.bodies[max(totals.bodies)])
    written = [
        json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in last["messages"]
    ]
    final = list(Conversation(ROUNDS))[-1].answer
    written.append(json.dumps(final, ensure_ascii=False, separators=(",", ":")))
    assert totals.message_bytes == sum(len(one.encode()) for one in written)


def test_a_seed_gives_the_same_conversation() -> None:
    assert list(Conversation(9)) == list(Conversation(9))
    assert list(Conversation(9)) != list(Conversation(9, seed=15))


def test_the_chunks_of_a_stream_are_its_events() -> None:
    body, chunks = stream(next(iter(Conversation(2))))
    assert sum(length for _, length in chunks) == len(body)
    assert body.count(b"data: ") == len(chunks)


def test_growth_leaves_out_what_did_not_grow() -> None:
    before, after = {"a": 5, "b": 5}, {"a": 6, "b": 5, "c": 9}
    assert growth.growth(before, after) == {"c": 9, "a": 1}


@pytest.mark.django_db
def test_tables_have_sizes() -> None:
    assert growth.sizes()["tracing_span"] > 0
