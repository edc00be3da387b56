"""Removing traces, a few at a time, and what of their archives is left over.

Messages stay: they alone hold what the next request of a conversation needs. What a subagent did is
part of the evidence of the turn that began it, and goes with it, its archive and its messages too.
"""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from tracing.models import Archive, SearchText, Span, Trace
from tracing.retention import blobs

# A transaction holds SQLite's one write lock.
AT_ONCE = 20
_RUNNING = Q(status=Trace.Status.RUNNING)


def delete(trace_ids: list[int]) -> int:
    """Deletes ended traces with all that is theirs; how many. Running ones stay, and those with a
    running subagent."""
    count = 0
    for some in _slices(trace_ids):
        archives = _archives(some)
        with transaction.atomic():
            ended = Trace.objects.filter(pk__in=some).exclude(status=Trace.Status.RUNNING)
            ids = list(ended.exclude(pk__in=_awaited(some, _RUNNING)).values_list("pk", flat=True))
            _delete_nested(ids)
            Trace.objects.filter(pk__in=ids).delete()
            count += len(ids)
        _tidy(archives)
    return count


def strip(trace_ids: list[int]) -> int:
    """Removes spans, payloads and searched texts of ended traces; how many traces. Of turns the
    row stays, with its figures, and says so. What else was recorded goes wholly. A turn with a
    subagent that is not counted yet waits for it."""
    ended = Trace.objects.exclude(status=Trace.Status.RUNNING)
    turns = ended.filter(pk__in=trace_ids, kind=Trace.Kind.TURN)
    kept_turns = list(turns.values_list("pk", flat=True))
    count = delete(sorted(set(trace_ids) - set(kept_turns)))
    waiting = _awaited(kept_turns, _RUNNING | Q(digested=None))
    for some in _slices(sorted(set(kept_turns) - waiting)):
        archives = _archives(some)
        with transaction.atomic():
            _delete_nested(some)
            Span.objects.filter(trace__in=some).delete()
            SearchText.objects.filter(trace__in=some).delete()
            count += Trace.objects.filter(pk__in=some).update(removed=timezone.now())
        _tidy(archives)
    return count


def _awaited(trace_ids: list[int], which: Q) -> set[int]:
    """Those of the traces that have such subagents."""
    nested = Trace.objects.filter(which, parent__trace__in=trace_ids)
    return set(nested.values_list("parent__trace", flat=True))


def _delete_nested(trace_ids: list[int]) -> None:
    """What was recorded of the subagents of these, and of theirs, whose archives are below it."""
    nested = Trace.objects.filter(parent__trace__in=trace_ids, kind=Trace.Kind.SUBAGENT)
    Archive.objects.filter(pk__in=list(nested.values_list("archive_id", flat=True))).delete()


def _archives(trace_ids: list[int]) -> dict[int, bool]:
    """The archives of these traces, and of each whether it is no conversation's."""
    rows = Trace.objects.filter(pk__in=trace_ids).values_list("archive_id", "kind")
    archives: dict[int, bool] = {}
    for archive_id, kind in rows:
        archives[archive_id] = archives.get(archive_id, True) and kind != Trace.Kind.TURN
    return archives


def _tidy(archives: dict[int, bool]) -> None:
    """An archive that was made for a probe, a trial, a subagent or the like goes with its last
    trace."""
    for archive_id, is_own in archives.items():
        empty = not Trace.objects.filter(archive_id=archive_id).exists()
        nested = Archive.objects.filter(pk=archive_id, parent__isnull=False)
        if is_own and empty and (nested.exists() or not _has_conversation(archive_id)):
            Archive.objects.filter(pk=archive_id).delete()
        else:
            blobs.sweep(archive_id)
            _index_next(archive_id)


def _index_next(archive_id: int) -> None:
    """What several turns sent is searched with the first of them: the next one takes its place."""
    left = SearchText.objects.filter(trace__archive=archive_id).order_by("trace")
    SearchText.objects.filter(pk__in=list(left.values_list("pk", flat=True)[:1])).update(version=0)


def _has_conversation(archive_id: int) -> bool:
    """Whether rows of another app keep the archive, as a conversation does."""
    related = Archive._meta.related_objects
    others = [one for one in related if one.related_model._meta.app_label != "tracing"]
    return any(
        one.related_model._base_manager.filter(**{one.field.name: archive_id}).exists()
        for one in others
    )


def _slices(trace_ids: list[int]) -> Iterable[list[int]]:
    """Those of one archive together, so that it is swept once or twice."""
    rows = Trace.objects.filter(pk__in=trace_ids).order_by("archive_id", "pk")
    ids = list(rows.values_list("pk", flat=True))
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
