"""The rows of a page of the list, as they are shown."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from tracing import nested, phases
from tracing.listing.finding import Page
from tracing.models import Trace
from tracing.phases import State
from tracing.search.snippets import Piece, snippets


@dataclass(frozen=True)
class Row:
    trace: Trace
    elapsed: timedelta
    snippet: list[Piece]
    subagents: int = 0
    # Of one that runs.
    state: State | None = None

    @property
    def model(self) -> str:
        known = self.trace.attributes.get("model")
        return known if isinstance(known, str) else ""


def rows(page: Page) -> list[Row]:
    found = snippets([trace.pk for trace in page.traces], page.terms) if page.terms else {}
    now: datetime = timezone.now()
    began, states = nested.counts(page.traces), phases.states(page.traces)
    return [
        Row(
            trace,
            trace.elapsed(now),
            found.get(trace.pk, []),
            began.get(trace.pk, 0),
            states.get(trace.pk),
        )
        for trace in page.traces
    ]
