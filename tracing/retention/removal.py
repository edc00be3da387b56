"""Removes traces, or their evidence, a batch at a time, and unused blobs of their archives.

Messages stay: they alone have what the next request of a conversation needs. A subagent is part of
the evidence of the turn that began it, and is removed with it, its archive and messages included.
"""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from tracing.models import Archive, SearchText, Span, Trace, TraceQuerySet
from tracing.retention import blobs

# Traces in a transaction, which holds SQLite's one write lock.
AT_ONCE = 20
_RUNNING = Q(status=Trace.Status.RUNNING)


def removable(traces: TraceQuerySet) -> TraceQuerySet:
    """Without those that `strip` would leave as they are, because of a subagent."""
    nested = Trace.objects.filter(parent__trace=OuterRef("pk")).order_by()
    not_counted = Exists(nested.filter(digested=None))
    return traces.exclude(Exists(nested.filter(_RUNNING))).exclude(
        not_counted, kind=Trace.Kind.TURN
    )


def delete(trace_ids: list[int]) -> int:
    """Deletes ended traces; how many. A running trace stays, and one with a running subagent."""
    count = 0
    for batch in _batches(trace_ids):
        archives = _archives(batch)
        with transaction.atomic():
            ended = Trace.objects.filter(pk__in=batch).exclude(status=Trace.Status.RUNNING)
            free = ended.exclude(pk__in=_with_subagents(batch, _RUNNING))
            ids = list(free.values_list("pk", flat=True))
            _delete_nested(ids)
            Trace.objects.filter(pk__in=ids).delete()
            count += len(ids)
        _tidy(archives)
    return count


def strip(trace_ids: list[int]) -> int:
    """Removes spans, payloads and searched texts of ended turns, whose rows and figures stay, and
    deletes other ended traces; how many traces. A turn stays whole while a subagent of it runs or
    has no figures yet."""
    ended = Trace.objects.exclude(status=Trace.Status.RUNNING)
    turns = ended.filter(pk__in=trace_ids, kind=Trace.Kind.TURN)
    turn_ids = list(turns.values_list("pk", flat=True))
    count = delete(sorted(set(trace_ids) - set(turn_ids)))
    waiting = _with_subagents(turn_ids, _RUNNING | Q(digested=None))
    for batch in _batches(sorted(set(turn_ids) - waiting)):
        archives = _archives(batch)
        with transaction.atomic():
            _delete_nested(batch)
            Span.objects.filter(trace__in=batch).delete()
            SearchText.objects.filter(trace__in=batch).delete()
            count += Trace.objects.filter(pk__in=batch).update(removed=timezone.now())
        _tidy(archives)
    return count


def _with_subagents(trace_ids: list[int], condition: Q) -> set[int]:
    """The traces among these with a subagent of which the condition is true."""
    nested = Trace.objects.filter(condition, parent__trace__in=trace_ids)
    return set(nested.values_list("parent__trace", flat=True))


def _delete_nested(trace_ids: list[int]) -> None:
    """Deletes the archives of the subagents of these traces, and by cascade those below."""
    nested = Trace.objects.filter(parent__trace__in=trace_ids, kind=Trace.Kind.SUBAGENT)
    Archive.objects.filter(pk__in=list(nested.values_list("archive_id", flat=True))).delete()


def _archives(trace_ids: list[int]) -> dict[int, bool]:
    """The archives of these traces, each with whether it has no turn among them."""
    rows = Trace.objects.filter(pk__in=trace_ids).values_list("archive_id", "kind")
    archives: dict[int, bool] = {}
    for archive_id, kind in rows:
        archives[archive_id] = archives.get(archive_id, True) and kind != Trace.Kind.TURN
    return archives


def _tidy(archives: dict[int, bool]) -> None:
    """Deletes an archive of a probe, trial, subagent or the like with its last trace; of others the
    unused blobs."""
    for archive_id, is_own in archives.items():
        empty = not Trace.objects.filter(archive_id=archive_id).exists()
        nested = Archive.objects.filter(pk=archive_id, parent__isnull=False)
        if is_own and empty and (nested.exists() or not _has_conversation(archive_id)):
            Archive.objects.filter(pk=archive_id).delete()
        else:
            blobs.sweep(archive_id)
            _index_next(archive_id)


def _index_next(archive_id: int) -> None:
    """Marks the archive's first trace to be indexed again: a message that several turns sent is
    indexed with the first of them."""
    left = SearchText.objects.filter(trace__archive=archive_id).order_by("trace")
    SearchText.objects.filter(pk__in=list(left.values_list("pk", flat=True)[:1])).update(version=0)


def _has_conversation(archive_id: int) -> bool:
    """Whether rows of another app refer to the archive, as a conversation does."""
    related = Archive._meta.related_objects
    others = [one for one in related if one.related_model._meta.app_label != "tracing"]
    return any(
        one.related_model._base_manager.filter(**{one.field.name: archive_id}).exists()
        for one in others
    )


def _batches(trace_ids: list[int]) -> Iterable[list[int]]:
    """Traces of one archive stand together, so that it is swept once or twice."""
    rows = Trace.objects.filter(pk__in=trace_ids).order_by("archive_id", "pk")
    ids = list(rows.values_list("pk", flat=True))
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
