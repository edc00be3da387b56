from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tracing.journal.time_segments import Kind, TimeSegment, time_segments
from tracing.models import Span
from tracing.page.timeline.time_ledger import PRIORITY, divide, make_ledger, read_ledger, shares

START = datetime(2026, 1, 1, tzinfo=UTC)
TIMINGS = {
    "pre_ms": 20,
    "send_ms": 10,
    "connect_ms": 100,
    "first_byte_ms": 150,
    "first_token_ms": 300,
    "stream_ms": 500,
    "post_ms": 30,
}


def at(ms: float) -> datetime:
    return START + timedelta(milliseconds=ms)


def iso(ms: float) -> str:
    return at(ms).isoformat()


def a_generation(begin: float, end: float | None, **noted: Any) -> Span:
    return a_span("generation", begin, begin, end, **noted)


def a_span(
    kind: str,
    created: float,
    begin: float | None,
    end: float | None,
    status: str = "succeeded",
    **noted: Any,
) -> Span:
    return Span(
        kind=kind,
        status=status,
        created=at(created),
        started=None if begin is None else at(begin),
        ended=None if end is None else at(end),
        attributes=noted,
    )


def spent(*spans: Span, until: float = 1000, queued: float = 0) -> dict[str, int]:
    """Whole milliseconds by kind."""
    wait = timedelta(milliseconds=queued)
    ledger = read_ledger(spans, START, at(until), at(until), wait)
    return {str(item.kind): item.length // timedelta(milliseconds=1) for item in ledger.items}


def test_a_generation_has_its_phases_one_after_the_other() -> None:
    assert spent(a_generation(0, 720, timings=TIMINGS), until=720) == {
        "pre": 20,
        "connect": 110,
        "wait": 200,
        "stream": 350,
        "post": 30,
        "ours": 10,
    }


def test_what_its_timings_do_not_explain_is_ours() -> None:
    assert spent(a_generation(0, 1000, timings=TIMINGS))["ours"] == 290


def test_around_its_timings_it_is_stored_if_it_notes_how_long_its_beginning_took() -> None:
    timings = {**TIMINGS, "open_ms": 40}
    assert spent(a_generation(0, 1000, timings=timings))["store"] == 40 + 250
    assert "ours" not in spent(a_generation(0, 1000, timings=timings))


def test_one_that_runs_is_a_model_at_work_until_its_timings_are_known() -> None:
    assert spent(a_generation(100, None)) == {"model": 900, "ours": 100}


def test_one_that_was_never_connected_was_connecting() -> None:
    assert spent(a_generation(0, 1000, timings={"send_ms": 10, "pre_ms": 5})) == {
        "pre": 5,
        "connect": 995,
    }


def test_one_that_said_nothing_waited_to_its_end() -> None:
    timings = {"send_ms": 10, "connect_ms": 90}
    assert spent(a_generation(0, 1000, timings=timings)) == {"connect": 100, "wait": 900}


def test_the_pause_before_the_next_attempt_is_told() -> None:
    failed = a_generation(0, 200, retry_in_ms=500)
    assert spent(failed, a_generation(700, 1000)) == {"model": 500, "pause": 500}


def test_before_the_first_round_it_was_in_the_queue() -> None:
    assert spent(a_generation(300, 1000), queued=300) == {"queue": 300, "model": 700}


def test_a_call_that_needs_no_approval_is_queued_and_runs() -> None:
    assert spent(a_span("tool", 0, 200, 1000)) == {"queue": 200, "tool": 800}


def test_a_call_waits_for_its_decision_then_for_a_worker() -> None:
    call = a_span("tool", 0, 700, 1000, decision={"approve": True, "at": iso(600)})
    assert spent(call) == {"queue": 100, "tool": 300, "person": 600}


def test_a_call_waits_for_a_person_as_long_as_nobody_decides() -> None:
    assert spent(a_span("tool", 100, None, None, "awaiting_approval")) == {
        "person": 900,
        "ours": 100,
    }


def test_so_it_did_if_the_turn_ended_before_a_decision() -> None:
    assert spent(a_span("tool", 0, None, 1000, "cancelled", needs_approval=True)) == {
        "person": 1000
    }


def test_a_denied_call_waited_for_a_person_only() -> None:
    call = a_span("tool", 0, None, 1000, "denied", decision={"approve": False, "at": iso(1000)})
    assert spent(call) == {"person": 1000}


def test_opening_a_session_is_connecting_and_waiting_for_one_is_a_queue() -> None:
    timing = {"room_ms": 100, "connect_ms": 300}
    call = a_span("tool", 0, 0, 1000, sent=iso(450), timing=timing)
    assert spent(call) == {"queue": 100, "connect": 300, "tool": 600}


def test_the_start_of_a_server_is_named_apart_from_connecting() -> None:
    timing = {"room_ms": 100, "start_ms": 200, "connect_ms": 100}
    call = a_span("tool", 0, 0, 1000, sent=iso(450), timing=timing)
    assert spent(call) == {"queue": 100, "start": 200, "connect": 100, "tool": 600}


def test_a_servers_question_waits_for_a_person() -> None:
    call = a_span("tool", 0, 0, 1000, waits=[[iso(100), iso(400)], [iso(900), None]])
    assert spent(call) == {"tool": 600, "person": 400}


def test_waiting_counts_only_while_nothing_works() -> None:
    waits = a_span("tool", 0, 800, 1000, decision={"at": iso(800)})
    assert spent(a_span("tool", 0, 0, 300), waits) == {"tool": 500, "person": 500}


def test_parallel_calls_count_once() -> None:
    calls = [a_span("tool", 0, 0, 600) for _ in range(5)]
    assert spent(*calls) == {"tool": 600, "ours": 400}


def test_nothing_is_too_strange_to_count() -> None:
    noted: dict[str, Any] = {
        "timings": "x",
        "decision": 3,
        "waits": [3, [4, 5], ["x", None]],
        "sent": "2026",
    }
    assert spent(a_span("tool", 0, 0, 1000, **noted)) == {"tool": 1000}
    assert spent(a_generation(0, 1000, timings={"connect_ms": True})) == {"model": 1000}


def test_shown_shares_sum_to_the_whole() -> None:
    thirds = [TimeSegment(kind, START, at(i)) for i, kind in ((1, Kind.TOOL), (2, Kind.PERSON))]
    ledger = make_ledger(thirds, START, at(3))
    assert [item.tenths for item in ledger.items] == [334, 333, 333]


def test_a_turn_that_took_no_time_has_nothing_to_divide() -> None:
    assert make_ledger([], START, START).items == []


ms = st.one_of(st.none(), st.floats(-1e7, 1e7), st.integers(-(10**15), 10**15))
near = st.floats(-5_000, 15_000)
text = st.one_of(st.none(), near.map(iso), st.text(max_size=5))
noted = st.fixed_dictionaries(
    {},
    optional={
        "timings": st.dictionaries(st.sampled_from(list(TIMINGS)), ms),
        "timing": st.dictionaries(st.sampled_from(["room_ms", "start_ms", "connect_ms"]), ms),
        "decision": st.fixed_dictionaries({}, optional={"at": text}),
        "waits": st.lists(st.lists(text, max_size=3), max_size=3),
        "needs_approval": st.booleans(),
        "retry_in_ms": ms,
        "sent": text,
    },
)
spans = st.builds(
    lambda kind, created, begin, end, status, more: a_span(
        kind, created, begin, end, status, **more
    ),
    st.sampled_from(Span.Kind.values),
    near,
    st.one_of(st.none(), near),
    st.one_of(st.none(), near),
    st.sampled_from(Span.Status.values),
    noted,
)


@given(st.lists(spans, max_size=8), st.floats(0, 10_000), near, near)
def test_the_parts_always_sum_to_the_wall_time(
    found: list[Span], until: float, now: float, queued: float
) -> None:
    wait = timedelta(milliseconds=queued)
    ledger = read_ledger(found, START, at(until), at(now), wait)
    assert sum((item.length for item in ledger.items), timedelta()) == at(until) - START
    assert all(item.length > timedelta() for item in ledger.items)
    assert sum(item.tenths for item in ledger.items) == (1000 if ledger.items else 0)


@given(st.lists(spans, max_size=8), near)
def test_a_segment_is_never_empty_and_stays_in_its_span(found: list[Span], now: float) -> None:
    for span in found:
        for segment in time_segments(span, at(now)):
            assert segment.start < segment.end


@given(st.lists(st.tuples(st.sampled_from(Kind), near, near), max_size=12))
def test_the_order_of_spans_does_not_matter(parts: list[tuple[Kind, float, float]]) -> None:
    known = [TimeSegment(kind, at(start), at(end)) for kind, start, end in parts]
    assert divide(known, START, at(9_000)) == divide(known[::-1], START, at(9_000))


@given(st.lists(st.tuples(st.sampled_from(Kind), st.integers(-5, 25), st.integers(-5, 25))))
def test_each_moment_is_of_the_first_kind_that_goes_on(parts: list[tuple[Kind, int, int]]) -> None:
    known = [TimeSegment(kind, at(start), at(end)) for kind, start, end in parts]
    moments = Counter(
        next((kind for kind in PRIORITY if kind in going_on(parts, moment)), Kind.OURS)
        for moment in range(20)
    )
    assert divide(known, START, at(20)) == {kind: ms * 1000 for kind, ms in moments.items()}


def going_on(parts: list[tuple[Kind, int, int]], moment: int) -> set[Kind]:
    return {kind for kind, start, end in parts if start <= moment < end}


@given(st.lists(st.integers(0, 10**15), max_size=11))
def test_shares_are_whole_and_sum_to_what_is_divided(counts: list[int]) -> None:
    found = shares(counts, 1000)
    assert sum(found) == (1000 if sum(counts) else 0)
    assert all(share >= 0 for share in found)
