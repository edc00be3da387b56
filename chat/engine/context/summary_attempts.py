"""The summaries that a turn has tried to write, and whether another attempt may help."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from chat.engine.turn.journal import Journal
from languages.stored import stored
from limits.models import MAX_CUT_SUMMARIES, MAX_SUMMARY_FAILURES
from tracing.models import Span
from tracing.models.attributes import compaction_attributes

# Rounds after which a failed summary is tried again.
RETRY_AFTER_ROUNDS = 5
NO_SUMMARY = stored("The model wrote no summary.")


@dataclass(frozen=True)
class SummaryAttempts:
    """Compaction spans of summaries of a turn, oldest first, none of which succeeded."""

    spans: list[Span]

    @property
    def failed(self) -> list[Span]:
        return [span for span in self.spans if span.status == Span.Status.FAILED]

    @property
    def error(self) -> str:
        return self.failed[-1].error if self.failed else NO_SUMMARY

    @property
    def pause_until(self) -> datetime | None:
        """When the next attempt is due; None if it is due now."""
        until = self.failed[-1].retry_at if self.failed else None
        return until if until and until > timezone.now() else None

    @property
    def is_given_up(self) -> bool:
        """Whether no further attempt is made."""
        interrupted = len(self.spans) - len(self.failed)
        is_final = bool(self.failed) and not compaction_attributes(self.failed[-1]).get("again")
        return (
            is_final or len(self.failed) >= MAX_SUMMARY_FAILURES or interrupted >= MAX_CUT_SUMMARIES
        )


def since_success(journal: Journal) -> SummaryAttempts:
    """The attempts of the turn since its last summary that succeeded."""
    spans: list[Span] = []
    for span in summary_spans(journal).order_by("id"):
        spans = [] if span.status == Span.Status.SUCCEEDED else [*spans, span]
    return SummaryAttempts(spans)


def recent(journal: Journal) -> SummaryAttempts:
    """The attempts before the latest `RETRY_AFTER_ROUNDS` rounds and the next one."""
    before = journal.number + 1 - RETRY_AFTER_ROUNDS
    return SummaryAttempts(
        [
            span
            for span in since_success(journal).spans
            if compaction_attributes(span).get("before_round", 0) > before
        ]
    )


def may_help_after(journal: Journal, refusal: Span) -> bool:
    """Whether a summary may still help with a request that was refused as too long."""
    later = list(summary_spans(journal).filter(pk__gt=refusal.pk).order_by("id"))
    if any(span.status == Span.Status.SUCCEEDED for span in later):
        return False
    return not SummaryAttempts(later).is_given_up


def summary_spans(journal: Journal) -> QuerySet[Span]:
    """The compaction spans that are summaries: the other layers make no model call."""
    compactions = Span.objects.filter(trace=journal.root.trace_id, kind=Span.Kind.COMPACTION)
    return compactions.exclude(name__in=["micro", "cap"])
