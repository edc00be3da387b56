"""A trace that somebody else ends."""

import pytest
from django.utils import timezone

from tracing.closing import close_trace
from tracing.models import Archive, Span, Trace
from tracing.tests.builders import a_user

pytestmark = pytest.mark.django_db


def a_trace(**fields: str) -> Trace:
    archive = Archive.objects.create(owner=a_user())
    return Trace.objects.create(archive=archive, owner=archive.owner, **fields)


def a_span(trace: Trace, status: str) -> Span:
    return Span.objects.create(
        trace=trace, kind="tool", name="s", status=status, started=timezone.now()
    )


@pytest.mark.parametrize(
    ("end", "before", "after"),
    [
        ("failed", "running", "failed"),
        ("stopped", "running", "cancelled"),
        ("failed", "sent", "outcome_unknown"),
        ("failed", "succeeded", "succeeded"),
    ],
)
def test_open_spans_end_with_their_trace(end: str, before: str, after: str) -> None:
    trace = a_trace()
    span = a_span(trace, before)
    assert close_trace(trace.pk, Trace.Status(end), "gone")
    span.refresh_from_db()
    assert (span.status, span.error) == (after, "" if before == after else "gone")


def test_a_trace_that_is_over_is_left_alone() -> None:
    trace = a_trace(status="succeeded")
    assert not close_trace(trace.pk, Trace.Status.FAILED, "gone")
    trace.refresh_from_db()
    assert trace.status == "succeeded"


def test_no_trace_is_closed_without_one() -> None:
    assert not close_trace(None, Trace.Status.FAILED)
