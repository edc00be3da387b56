"""The columns that the engine decides by, filled from the attributes of spans that were there."""

from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from tracing import recorder
from tracing.models import Span
from tracing.tests.builders import an_archive

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

migration = import_module("tracing.migrations.0013_decision_columns")


@pytest.fixture
def root() -> Span:
    archive = an_archive()
    return recorder.begin_trace(archive.pk, archive.owner_id, "A question", {"model": "m"})


def migrated(root: Span, kind: Span.Kind, attributes: Any, status: str = "failed") -> Span:
    """A span that was written before there were columns, after the migration."""
    span = Span.objects.create(
        trace=root.trace, parent=root, kind=kind, name="s", status=status, attributes=attributes
    )
    migration.fill_columns(apps, None)
    span.refresh_from_db()
    return span


def test_a_stored_call_gets_what_its_attributes_say(root: Span) -> None:
    attributes = {"idempotent": True, "tool_hash": "h", "text": "\0 \ud800"}
    call = migrated(root, Span.Kind.TOOL, attributes, "approved")
    assert (call.idempotent, call.tool_hash) == (True, "h")
    assert call.attributes == attributes


@pytest.mark.parametrize("attributes", [{}, [], {"idempotent": "yes", "tool_hash": 7}])
def test_a_call_that_says_nothing_of_use_has_no_values(root: Span, attributes: Any) -> None:
    call = migrated(root, Span.Kind.TOOL, attributes)
    assert (call.idempotent, call.tool_hash) == (None, None)


def test_more_calls_than_a_batch_are_filled(root: Span, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "AT_ONCE", 2)
    for number in range(1, 5):
        Span.objects.create(
            trace=root.trace,
            kind=Span.Kind.TOOL,
            name="s",
            number=number,
            attributes={"idempotent": number == 1, "tool_hash": str(number)},
        )
    migration.fill_columns(apps, None)
    rows = Span.objects.filter(kind=Span.Kind.TOOL).order_by("pk")
    assert list(rows.values_list("idempotent", "tool_hash")) == [
        (True, "1"),
        (False, "2"),
        (False, "3"),
        (False, "4"),
    ]


@pytest.mark.parametrize("kind", [Span.Kind.GENERATION, Span.Kind.COMPACTION])
def test_a_stored_attempt_gets_the_moment_of_the_next_one(root: Span, kind: Span.Kind) -> None:
    moment = "2026-01-02T03:04:05.678901+00:00"
    attempt = migrated(root, kind, {"retry_in_ms": 5, "retry_at": moment})
    assert attempt.retry_at == datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def test_a_damaged_moment_is_none(root: Span) -> None:
    assert migrated(root, Span.Kind.GENERATION, {"retry_at": "2026-99-99T00:00"}).retry_at is None


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
