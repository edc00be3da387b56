from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from tracing.models import Archive, Deletion, Facet, Payload, SearchText, Span, Trace
from tracing.retention import ageing, deletions
from tracing.search.texts import index_trace
from tracing.store import payloads
from tracing.tests.builders import ATurn, wire

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

SHARED = {"role": "user", "content": "in every request " * 100}
OWN = {"role": "user", "content": "in one request alone " * 100}


def an_old_turn(age: float = 10, **fields: Any) -> ATurn:
    """A turn with evidence that ended so many days ago, and is counted."""
    turn = ATurn()
    fill(turn, [SHARED, OWN], age, **fields)
    return turn


def fill(turn: ATurn, messages: list[Any], age: float, **fields: Any) -> None:
    turn.a_round(1, (0, 9))
    turn.a_generation({"request": wire({"messages": messages})}, (0, 9))
    turn.end(10)
    index_trace(turn.trace)
    Facet.objects.create(trace=turn.trace, name="model", value="m", started=turn.start)
    then = timezone.now() - timedelta(days=age)
    fields = {"started": then, "ended": then, "digested": then, "rounds": 1, **fields}
    Trace.objects.filter(pk=turn.trace.pk).update(**fields)


def remove(days: float) -> int:
    return ageing.remove_some(days, days)


def test_an_old_turn_keeps_its_row_and_figures_alone() -> None:
    turn = an_old_turn()
    assert remove(9) == 1
    turn.trace.refresh_from_db()
    assert turn.trace.removed and turn.trace.rounds == 1 and turn.trace.facets.exists()
    assert not Span.objects.exists() and not Payload.objects.exists()
    assert not SearchText.objects.exists() and not turn.archive.blob_set.exists()


@pytest.mark.parametrize("fields", [{"status": "running"}, {"digested": None}])
def test_what_runs_or_is_not_counted_yet_stays(fields: dict[str, Any]) -> None:
    an_old_turn(**fields)
    assert remove(9) == 0


def test_what_is_young_stays() -> None:
    an_old_turn(8)
    assert remove(9) == 0


def test_it_is_off_unless_it_is_asked_for(settings: LazySettings) -> None:
    an_old_turn(10_000)
    assert ageing.remove_some(*ageing.days()) == 0
    settings.TRACE_RETENTION_DAYS = 9.0
    assert ageing.remove_some(*ageing.days()) == 1


@pytest.mark.parametrize("kind", ["probe", "trial", "playground"])
def test_what_is_no_turn_goes_with_its_archive(kind: str) -> None:
    an_old_turn(kind=kind)
    assert remove(9) == 1
    assert not Archive.objects.exists()


def test_kinds_have_days_of_their_own() -> None:
    an_old_turn()
    an_old_turn(kind="probe")
    assert ageing.remove_some(None, 9) == 1
    assert Trace.objects.get().kind == "turn"


def test_a_younger_turn_of_the_conversation_keeps_what_it_shares() -> None:
    turn = an_old_turn()
    turn.begin("younger")
    fill(turn, [SHARED], 1)
    remove(9)
    kept = Payload.objects.select_related("span__trace").get()
    assert payloads.read_json(kept) == {"messages": [SHARED]}
    assert turn.archive.blob_set.count() == 1


def test_what_is_recorded_after_a_sweep_is_whole() -> None:
    turn = an_old_turn()
    remove(9)
    turn.begin("later")
    fill(turn, [SHARED, OWN], 0)
    stored = Payload.objects.select_related("span__trace").get()
    assert payloads.read_json(stored) == {"messages": [SHARED, OWN]}


def test_an_archive_with_a_damaged_manifest_keeps_its_blobs() -> None:
    turn = an_old_turn()
    turn.begin("younger")
    fill(turn, [SHARED], 1)
    Payload.objects.filter(span__trace=turn.trace).update(manifest=b"?")
    remove(9)
    assert turn.archive.blob_set.count() == 2


def test_the_page_of_a_removed_turn_says_so(client: Client) -> None:
    turn = an_old_turn()
    remove(9)
    client.force_login(turn.archive.owner)
    page = client.get(turn.trace.get_absolute_url())
    assert (
        "The rounds, requests and responses of this turn were removed on" in page.content.decode()
    )


def test_the_command_says_what_it_would_remove_and_removes_it() -> None:
    an_old_turn()
    assert "would be removed: 1." in said("--days", "9", "--dry-run")
    assert "Nothing is too old" in said()
    assert "removed: 1." in said("--days", "9")
    assert "removed: 0." in said("--days", "9")


def test_a_deletion_that_was_asked_for_is_done_in_batches() -> None:
    turns = [an_old_turn() for _ in range(deletions.BATCH + 1)]
    ids = [turn.trace.pk for turn in turns]
    asked = Deletion.objects.create(user=turns[0].archive.owner, traces=ids, total=len(ids))
    assert deletions.go_on() == 1
    assert deletions.go_on() == 0
    asked.refresh_from_db()
    assert asked.ended and asked.done == len(ids) and not Trace.objects.exists()


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("retention", *arguments, stdout=out)
    return out.getvalue()
