from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tracing.models import Span
from tracing.page.timeline.waterfall import WIDTH, Scale, scale

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(ms: float) -> datetime:
    return START + timedelta(milliseconds=ms)


def a_span(kind: str, begin: float | None, end: float | None, **attributes: object) -> Span:
    return Span(
        kind=kind,
        created=START,
        started=None if begin is None else at(begin),
        ended=None if end is None else at(end),
        attributes=attributes,
    )


def shapes(span: Span, length: float = 1000) -> list[tuple[str, float, float]]:
    bars = Scale(START, timedelta(milliseconds=length)).bars(span, at(length))
    return [(bar.kind, bar.x, bar.width) for bar in bars]


def test_a_generation_waits_and_then_streams() -> None:
    span = a_span("generation", 100, 900, timings={"first_token_ms": 300})
    assert shapes(span) == [("wait", 100, 300), ("stream", 400, 500)]


def test_what_passed_before_it_was_sent_is_connecting() -> None:
    span = a_span("generation", 100, 900, timings={"send_ms": 200, "first_token_ms": 300})
    assert shapes(span) == [("connect", 100, 200), ("wait", 300, 300), ("stream", 600, 300)]


def test_what_is_too_short_to_be_seen_is_left_out() -> None:
    timings = {"pre_ms": 0.2, "first_token_ms": 300, "post_ms": 1}
    bars = shapes(a_span("generation", 100, 900, timings=timings))
    assert [kind for kind, _, _ in bars] == ["wait", "stream"]


def test_a_generation_of_which_no_more_is_known_was_at_work() -> None:
    assert shapes(a_span("generation", 100, 900)) == [("model", 100, 800)]


def test_a_generation_that_is_to_be_tried_again_pauses() -> None:
    span = a_span("generation", 100, 200, retry_in_ms=500)
    assert shapes(span) == [("model", 100, 100), ("pause", 200, 500)]


def test_a_call_is_queued_and_then_runs() -> None:
    assert shapes(a_span("tool", 50, 250)) == [("queue", 0, 50), ("tool", 50, 200)]


def test_what_runs_reaches_to_now() -> None:
    assert shapes(a_span("tool", 400, None))[-1] == ("tool", 400, 600)


def test_what_never_ran_was_queued_to_its_end() -> None:
    assert shapes(a_span("tool", None, 500)) == [("queue", 0, 500)]


def test_what_took_no_time_is_still_to_be_seen() -> None:
    assert shapes(a_span("tool", 0, 0)) == [("tool", 0, 4)]


def test_a_scale_holds_all_spans() -> None:
    window = scale([a_span("generation", 10, 500), a_span("tool", 300, 900)], at(2000))
    assert (window.begin, window.length) == (START, timedelta(milliseconds=900))


moments = st.one_of(st.none(), st.floats(-1e6, 1e6))


@given(st.sampled_from(["generation", "tool"]), moments, moments, st.floats(0, 1e6))
def test_no_bar_leaves_its_lane(
    kind: str, begin: float | None, end: float | None, length: float
) -> None:
    span = a_span(kind, begin, end, timings={"first_token_ms": 5})
    bars = Scale(START, timedelta(milliseconds=length)).bars(span, at(length))
    assert bars
    for bar in bars:
        assert bar.x >= 0
        assert bar.width > 0
        assert bar.x + bar.width <= WIDTH + 4
