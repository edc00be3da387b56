"""Writing traces: what a step of the engine puts on record, and in how many statements."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tracing import recorder
from tracing.models import Archive, Payload, Span, Trace
from tracing.store import payloads
from tracing.tests.builders import an_archive

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@dataclass(frozen=True)
class Result:
    """What came back from a tool."""

    text: str = "4"
    structured: Any = None
    is_error: bool = False

    @property
    def content(self) -> list[dict[str, Any]]:
        return [{"type": "text", "text": self.text}]


@pytest.fixture
def archive() -> Archive:
    return an_archive()


@pytest.fixture
def root(archive: Archive) -> Span:
    return recorder.begin_trace(archive.pk, archive.owner_id, "A question", {"model": "m"})


@pytest.fixture
def call(root: Span) -> Span:
    status = Span.Status.APPROVED
    return recorder.open_call(recorder.open_round(root), "add", {"call_id": "c1"}, status=status)


def a_span(trace: Trace, status: str, kind: str = "tool") -> Span:
    return Span.objects.create(
        trace=trace, kind=kind, name="s", status=status, started=timezone.now()
    )


def stored(span: Span) -> dict[str, bytes]:
    rows = Payload.objects.filter(span=span).select_related("span__trace").order_by("id")
    return {row.stage: payloads.load(row) for row in rows}


def test_a_trace_begins_with_its_root(archive: Archive) -> None:
    root = recorder.begin_trace(
        archive.pk, archive.owner_id, "Test", {"check": "test"}, kind=Trace.Kind.PROBE
    )
    trace = Trace.objects.get()
    assert (trace.kind, trace.status, trace.attributes) == ("probe", "running", {"check": "test"})
    assert root == trace.spans.get(kind="turn", started=trace.started, status="running")


def test_each_opening_is_one_statement(
    root: Span, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):
        round_ = recorder.open_round(root, 2)
        recorder.open_generation(round_, "m" * 300, {"attempt": 3}, 3)
        recorder.open_call(round_, "add", {}, status=Span.Status.PROPOSED, number=2)
    rows = root.trace.spans.exclude(pk=root.pk).order_by("id")
    assert [(row.kind, row.name[:8], row.number, row.status) for row in rows] == [
        ("round", "round 2", 2, "running"),
        ("generation", "mmmmmmmm", 3, "running"),
        ("tool", "add", 2, "proposed"),
    ]


@pytest.mark.parametrize(
    ("status", "has_started", "has_ended"),
    [("sent", True, False), ("denied", False, True), ("awaiting_approval", False, False)],
)
def test_a_call_is_opened_in_its_first_state(
    root: Span, status: str, has_started: bool, has_ended: bool
) -> None:
    call = recorder.open_call(root, "add", {}, status=Span.Status(status))
    assert (call.started is not None, call.ended is not None) == (has_started, has_ended)


def test_compactions_are_numbered_in_their_trace(root: Span) -> None:
    recorder.open_compaction(root, "auto", {})
    began = timezone.now()
    over = recorder.open_compaction(
        root, "micro", {"results": 2}, status=Span.Status.SUCCEEDED, started=began
    )
    assert (over.number, over.started) == (2, began)
    assert over.ended is not None and over.ended >= began


def test_closing_adds_attributes_in_one_statement(
    root: Span, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    span = recorder.open_generation(root, "m", {"attempt": 1})
    with django_assert_num_queries(1):
        recorder.close_span(span, Span.Status.FAILED, "No answer.", {"status_code": 500})
    row = Span.objects.get(pk=span.pk)
    assert (row.status, row.error, row.ended) == ("failed", "No answer.", span.ended)
    assert row.attributes == span.attributes == {"attempt": 1, "status_code": 500}


def test_a_call_is_settled_once(call: Span) -> None:
    call.attributes["is_error"] = False
    Span.objects.filter(pk=call.pk).update(owner="w", lease_expires=timezone.now())
    held = Span.objects.filter(pk=call.pk, status=Span.Status.APPROVED)
    assert recorder.settle_call(held, call, Span.Status.SUCCEEDED)
    assert not recorder.settle_call(held, call, Span.Status.FAILED)
    row = Span.objects.get(pk=call.pk)
    assert (row.status, row.owner, row.lease_expires) == ("succeeded", "", None)
    assert (call.status, row.attributes["is_error"]) == ("succeeded", False)


def test_the_end_of_a_turn_leaves_its_calls_to_their_owners(root: Span, call: Span) -> None:
    now = timezone.now()
    recorder.end_turn_trace(root.trace_id, Trace.Status.STOPPED, "Stopped.", now)
    statuses = dict(root.trace.spans.values_list("kind", "status"))
    assert statuses == {"turn": "cancelled", "round": "cancelled", "tool": "approved"}
    assert Trace.objects.get().ended == now


@pytest.mark.parametrize(
    ("end", "before", "after"),
    [
        ("failed", "running", "failed"),
        ("stopped", "running", "cancelled"),
        ("failed", "sent", "outcome_unknown"),
        ("failed", "succeeded", "succeeded"),
    ],
)
def test_open_spans_end_with_their_trace(root: Span, end: str, before: str, after: str) -> None:
    span = a_span(root.trace, before)
    assert recorder.end_if_running(root.trace_id, Trace.Status(end), "gone")
    span.refresh_from_db()
    assert (span.status, span.error) == (after, "" if before == after else "gone")


def test_a_trace_that_is_over_is_left_alone(root: Span) -> None:
    assert recorder.end_if_running(root.trace_id, Trace.Status.SUCCEEDED)
    assert not recorder.end_if_running(root.trace_id, Trace.Status.FAILED, "gone")
    assert Trace.objects.get().status == "succeeded"


def test_no_trace_is_ended_without_one() -> None:
    assert not recorder.end_if_running(None, Trace.Status.FAILED)


def test_a_result_is_stored_whole_beside_what_is_shown(archive: Archive, call: Span) -> None:
    result = Result("4 \ud800", structured={"sum": 4})
    payloads.store_all(archive, recorder.result_records(call, result, "4 \ud800 …"))
    bodies = stored(call)
    assert b'"structured":{"sum":4}' in bodies["result"]
    assert bodies["shown"].decode(errors="surrogatepass") == "4 \ud800 …"


def test_of_a_late_result_nothing_was_shown(archive: Archive, call: Span) -> None:
    payloads.store_all(archive, recorder.result_records(call, Result(), None))
    assert stored(call) == {"result": b'{"content":[{"type":"text","text":"4"}],"is_error":false}'}


def test_traffic_is_stored_if_there_is_any(archive: Archive, call: Span) -> None:
    assert recorder.traffic_records(call, [], []) == []
    payloads.store_all(archive, recorder.traffic_records(call, [{"at": 1}], ["a", "b"]))
    assert stored(call) == {"frames": b'[{"at":1}]', "stderr": b"a\nb"}


def test_the_size_of_a_result_is_in_bytes() -> None:
    assert recorder.result_attributes(Result("é\ud800", is_error=True)) == {
        "is_error": True,
        "result_bytes": 5,
    }
