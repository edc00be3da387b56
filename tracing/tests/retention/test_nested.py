"""Subagents go with the turn that began them, not before it, and leave nothing behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tracing.models import Archive, Blob, Span, Trace
from tracing.retention import ageing, removal
from tracing.tests.builders import ATurn, wire

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def turn() -> ATurn:
    """An old turn with a subagent, both counted."""
    turn = ATurn()
    turn.a_round(1, (0, 9))
    call = turn.a_call({"shown": b"Found."}, (0, 9), 1, name="task")
    nested = turn.a_subagent(call)
    nested.a_round(1, (0, 9))
    nested.a_generation({"request": wire({"messages": [{"role": "user", "content": "x"}]})}, (0, 9))
    nested.end(9)
    turn.end(10)
    then = timezone.now() - timedelta(days=10)
    Trace.objects.update(started=then, ended=then, digested=then)
    return turn


def inner() -> Trace:
    return Trace.objects.get(kind="subagent")


def test_what_is_old_goes_together(turn: ATurn) -> None:
    assert ageing.remove_some(9, 9) == 1
    assert Trace.objects.get().removed
    assert not Span.objects.exists() and not Blob.objects.exists()
    assert Archive.objects.get() == turn.archive


def test_a_subagent_does_not_go_before_its_turn(turn: ATurn) -> None:
    Trace.objects.filter(pk=turn.trace.pk).update(ended=timezone.now(), started=timezone.now())
    assert ageing.remove_some(9, 9) == 0
    assert inner().spans.exists()


def test_a_turn_waits_until_its_subagent_is_counted(turn: ATurn) -> None:
    Trace.objects.filter(kind="subagent").update(digested=None)
    assert ageing.remove_some(9, 9) == 0
    assert turn.trace.spans.exists()


def test_a_deleted_turn_takes_its_subagents_along(turn: ATurn) -> None:
    assert removal.delete([turn.trace.pk]) == 1
    assert not Trace.objects.exists() and not Blob.objects.exists()
    assert not Archive.objects.filter(parent__isnull=False).exists()


def test_both_can_be_chosen(turn: ATurn) -> None:
    removal.delete([turn.trace.pk, inner().pk])
    assert not Trace.objects.exists()


def test_a_turn_with_a_running_subagent_stays(turn: ATurn) -> None:
    Trace.objects.filter(kind="subagent").update(status="running")
    assert removal.delete([turn.trace.pk]) == 0
    assert inner().parent is not None


def test_a_subagent_that_is_deleted_alone_leaves_its_turn(turn: ATurn) -> None:
    assert removal.delete([inner().pk]) == 1
    assert Trace.objects.get() == turn.trace
    assert Archive.objects.get() == turn.archive


def test_an_archive_takes_those_below_it_along(turn: ATurn) -> None:
    turn.archive.delete()
    assert not Archive.objects.exists() and not Trace.objects.exists()
