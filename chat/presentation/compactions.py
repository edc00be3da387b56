"""Compactions in the thread: one line each, which opens to what was left out or summarised."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, ngettext

from chat.models import Compaction
from limits.files import MAX_SHOWN_REPLACED
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import CompactionAttributes, compaction_attributes


@dataclass(frozen=True)
class ShortenedResult:
    """A tool result that is sent as a placeholder; `characters` of it are left out."""

    tool: str
    characters: int


@dataclass(frozen=True)
class CompactionView:
    """One compaction. `text` is the summary; `results` are the results that are sent as
    placeholders, without `more` of them, which are not named."""

    id: str
    state: str
    heading: str
    reason: str
    focus: str
    text: str
    results: Sequence[ShortenedResult]
    more: int
    error: str
    at: datetime
    is_cap: bool = False
    omitted: int = 0

    @property
    def is_micro(self) -> bool:
        return bool(self.results) and not self.is_cap

    @property
    def has_failed(self) -> bool:
        return self.state == Span.Status.FAILED


def compaction_views(spans: Iterable[Span]) -> list[tuple[int, CompactionView]]:
    """The compactions that ended, each with the primary key of its span. One query, if there is a
    summary."""
    ended = [span for span in spans if span.status in (Span.Status.SUCCEEDED, Span.Status.FAILED)]
    summaries = [span.pk for span in ended if span.name not in ("micro", "cap")]
    rows = Compaction.objects.filter(span__in=summaries) if summaries else Compaction.objects.none()
    texts = {pk: str(text) for pk, text in rows.values_list("span", "summary")}
    return [(span.pk, _compaction_view(span, texts.get(span.pk, ""))) for span in ended]


def _compaction_view(span: Span, text: str) -> CompactionView:
    attributes = compaction_attributes(span)
    replaced = attributes.get("replaced") or ()
    return CompactionView(
        id=str(span.public_id),
        state=str(span.status),
        heading=_heading(span),
        reason=visible(str(attributes.get("reason") or _reason(attributes))),
        focus=visible(str(attributes.get("focus") or "")),
        text=visible(text),
        results=[ShortenedResult(visible(one["tool"]), one["characters"]) for one in replaced][
            :MAX_SHOWN_REPLACED
        ],
        more=max(0, len(replaced) - MAX_SHOWN_REPLACED),
        error=visible(span.error),
        at=span.ended or span.created,
        is_cap=span.name == "cap",
        omitted=int(attributes.get("omitted") or 0),
    )


def _heading(span: Span) -> str:
    attributes = compaction_attributes(span)
    if span.status == Span.Status.FAILED:
        return gettext("Older messages could not be summarised")
    if span.name == "micro":
        count = attributes.get("results") or 0
        heading = ngettext(
            "%(count)s older result shortened", "%(count)s older results shortened", count
        ) % {"count": f"{count:,}"}
        return f"{heading}{_tokens(attributes, ', ')}"
    if span.name == "cap":
        return f"{gettext('Cut to fit the model')}{_tokens(attributes, ': ')}"
    count = attributes.get("messages") or 0
    heading = ngettext("Summarised: %(count)s message", "Summarised: %(count)s messages", count) % {
        "count": f"{count:,}"
    }
    return f"{heading}{_tokens(attributes, ', ')}"


def _tokens(attributes: CompactionAttributes, separator: str) -> str:
    before, after = attributes.get("tokens_before"), attributes.get("tokens_after")
    if not before or after is None:
        return ""
    tokens = gettext("%(tokens_in)s → %(tokens_out)s tokens")
    return separator + tokens % {"tokens_in": f"{before:,}", "tokens_out": f"{after:,}"}


def _reason(attributes: CompactionAttributes) -> str:
    before, window = attributes.get("tokens_before"), attributes.get("context_window")
    if not before or not window:
        return ""
    if attributes.get("layer") == "cap":
        return gettext(
            "The request had about %(before)s tokens, the context window has %(window)s."
        ) % {"before": f"{before:,}", "window": f"{window:,}"}
    return gettext("The context window was %(window)s %% full.") % {
        "window": f"{100 * before / window:.0f}"
    }


class TurnCompactions:
    """The compactions of a turn in order, each given out once: with the first answer after it."""

    def __init__(self, views: Sequence[tuple[int, CompactionView]] = ()) -> None:
        self._queue = list(views)

    def before(self, generation: int | None) -> list[CompactionView]:
        """Takes the compactions before this generation's span (a primary key)."""
        taken = [view for pk, view in self._queue if generation is not None and pk < generation]
        self._queue = self._queue[len(taken) :]
        return taken

    @property
    def rest(self) -> list[CompactionView]:
        """The compactions that were not taken: they come after the last answer."""
        return [view for _, view in self._queue]


def turn_compactions(spans: Sequence[Span]) -> dict[int, TurnCompactions]:
    """The compactions of these spans (in order), by the primary key of their trace."""
    trace_of = {span.pk: span.trace_id for span in spans}
    by_trace: dict[int, list[tuple[int, CompactionView]]] = defaultdict(list)
    for pk, view in compaction_views(spans):
        by_trace[trace_of[pk]].append((pk, view))
    return {trace: TurnCompactions(views) for trace, views in by_trace.items()}
