"""The columns that the engine decides by."""

import pytest
from django.utils import timezone

from tracing import recorder
from tracing.models import Span
from tracing.tests.builders import an_archive

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def root() -> Span:
    archive = an_archive()
    return recorder.begin_trace(archive.pk, archive.owner_id, "A question", {"model": "m"})


def test_the_recorder_writes_the_column_and_the_attribute(root: Span) -> None:
    attempt, at = recorder.open_generation(root, "m", {}), timezone.now()
    recorder.close_span(attempt, Span.Status.FAILED, "busy", {"retry_in_ms": 5}, retry_at=at)
    attempt.refresh_from_db()
    assert attempt.retry_at == at
    assert list(attempt.attributes.items()) == [("retry_in_ms", 5), ("retry_at", at.isoformat())]


def test_a_proposed_call_has_the_hash_and_the_idempotence_of_its_tool(root: Span) -> None:
    call = recorder.open_call(
        recorder.open_round(root),
        "add",
        {"idempotent": False, "tool_hash": "h"},
        status=Span.Status.APPROVED,
    )
    call.refresh_from_db()
    assert (call.idempotent, call.tool_hash) == (False, "h")
