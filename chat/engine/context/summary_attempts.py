"""Which summaries a turn has tried to write, and whether another one may help."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.engine.turn.journal import Journal
from limits.models import MAX_CUT_SUMMARIES, MAX_SUMMARY_FAILURES
from tracing.models import Span
from tracing.models.attributes import compaction_attributes

# Rounds for which a summary that failed is done without.
FORGOTTEN_AFTER = 5
NO_SUMMARY = "The model wrote no summary."


@dataclass(frozen=True)
class Tries:
    """The summaries of a turn since the last one that was written, oldest first."""

    spans: list[Span]

    @property
    def failed(self) -> list[Span]:
        return [span for span in self.spans if span.status == Span.Status.FAILED]

    @property
    def error(self) -> str:
        return self.failed[-1].error if self.failed else NO_SUMMARY

    @property
    def pause_until(self) -> datetime | None:
        """When the next may be made, if that is not now."""
        noted = compaction_attributes(self.failed[-1]).get("retry_at", "") if self.failed else ""
        until = parse_datetime(noted) if noted else None
        return until if until and until > timezone.now() else None

    @property
    def is_given_up(self) -> bool:
        """Whether another one would be one too many."""
        cut = len(self.spans) - len(self.failed)
        is_final = bool(self.failed) and not compaction_attributes(self.failed[-1]).get("again")
        return is_final or len(self.failed) >= MAX_SUMMARY_FAILURES or cut >= MAX_CUT_SUMMARIES


def tries(journal: Journal) -> Tries:
    """Those of the turn since its last success."""
    found = summaries(journal).order_by("id")
    spans: list[Span] = []
    for span in found:
        spans = [] if span.status == Span.Status.SUCCEEDED else [*spans, span]
    return Tries(spans)


def recent(journal: Journal) -> Tries:
    """Those that still count: after some rounds it is tried again."""
    forgotten = journal.number + 1 - FORGOTTEN_AFTER
    spans = tries(journal).spans
    return Tries(
        [one for one in spans if compaction_attributes(one).get("before_round", 0) > forgotten]
    )


def is_open_since(journal: Journal, refused: Span) -> bool:
    """Whether a summary may help with a request that was refused as too long."""
    since = list(summaries(journal).filter(pk__gt=refused.pk).order_by("id"))
    if any(span.status == Span.Status.SUCCEEDED for span in since):
        return False
    return not Tries(since).is_given_up


def summaries(journal: Journal) -> Any:
    """The spans of all of them; of other compactions too little is left to do to be tried."""
    found = Span.objects.filter(trace=journal.root.trace_id, kind=Span.Kind.COMPACTION)
    return found.exclude(name__in=["micro", "cap"])
