"""Rows of a page of the list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from tracing.journal import phases
from tracing.journal import subagents as nested
from tracing.journal.phases import TraceState
from tracing.list.query import Page
from tracing.models import Span, Trace
from tracing.models.attributes import trace_attributes
from tracing.page.links import address, address_in
from tracing.search.snippets import Snippet, snippets


class Started(NamedTuple):
    """The start of a trace in ISO 8601, and as its row shows it."""

    exact: str
    minute: str


@dataclass(frozen=True)
class Row:
    """A trace in the list. `match_href` opens it at the match; `state` is None after its end."""

    trace: Trace
    elapsed: timedelta
    snippet: Snippet = field(default_factory=Snippet)
    match_href: str = ""
    subagents: int = 0
    state: TraceState | None = None

    @property
    def started(self) -> Started:
        moment = timezone.localtime(self.trace.started)
        return Started(moment.isoformat(), f"{moment:%Y-%m-%d %H:%M}")

    @property
    def model(self) -> str:
        model = trace_attributes(self.trace).get("model")
        return model if isinstance(model, str) else ""


def rows(page: Page) -> list[Row]:
    by_trace = snippets([trace.pk for trace in page.traces], page.terms) if page.terms else {}
    addresses = _addresses(by_trace)
    now: datetime = timezone.now()
    subagents, states = nested.subagent_counts(page.traces), phases.states(page.traces)
    return [
        Row(
            trace,
            trace.elapsed(now),
            by_trace.get(trace.pk, Snippet()),
            addresses.get(trace.pk, ""),
            subagents.get(trace.pk, 0),
            states.get(trace.pk),
        )
        for trace in page.traces
    ]


def _addresses(snippets: Mapping[int, Snippet]) -> dict[int, str]:
    """Addresses of matches in spans, by the primary key of the trace; one query."""
    origins = {pk: one.origin for pk, one in snippets.items() if one.origin and one.origin.span}
    spans = (
        Span.objects.select_related("trace", "parent")
        .defer("attributes", "parent__attributes", "trace__attributes")
        .in_bulk([origin.span for origin in origins.values()])
    )
    return {
        pk: _address(spans[origin.span], origin.stage, snippets[pk].match)
        for pk, origin in origins.items()
        if origin.span in spans
    }


def _address(span: Span, stage: str, match: str) -> str:
    return address_in(span, stage, match) if stage else address(span)
