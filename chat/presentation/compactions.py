"""What was left out of a request, as the thread marks it: one line that opens to what it was."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from chat.models import Compaction
from limits.files import MAX_SHOWN_REPLACED
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import CompactionAttributes, compaction_attributes


@dataclass(frozen=True)
class LeftOut:
    """A result that is sent as a placeholder."""

    tool: str
    characters: int


@dataclass(frozen=True)
class CompactionView:
    """One marker. `text` is the summary, `results` what is sent as placeholders, and `more` how
    many of those are not named."""

    id: str
    state: str
    heading: str
    reason: str
    focus: str
    text: str
    results: Sequence[LeftOut]
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
    """Those that ended, by the rows of their spans. One query, if there is a summary."""
    shown = [span for span in spans if span.status in (Span.Status.SUCCEEDED, Span.Status.FAILED)]
    written = [span.pk for span in shown if span.name not in ("micro", "cap")]
    rows = Compaction.objects.filter(span__in=written) if written else Compaction.objects.none()
    texts = {pk: str(text) for pk, text in rows.values_list("span", "summary")}
    return [(span.pk, _view(span, texts.get(span.pk, ""))) for span in shown]


def _view(span: Span, text: str) -> CompactionView:
    noted = compaction_attributes(span)
    replaced = noted.get("replaced") or ()
    return CompactionView(
        id=str(span.public_id),
        state=str(span.status),
        heading=_heading(span),
        reason=visible(str(noted.get("reason") or _why_shortened(noted))),
        focus=visible(str(noted.get("focus") or "")),
        text=visible(text),
        results=[LeftOut(visible(one["tool"]), one["characters"]) for one in replaced][
            :MAX_SHOWN_REPLACED
        ],
        more=max(0, len(replaced) - MAX_SHOWN_REPLACED),
        error=visible(span.error),
        at=span.ended or span.created,
        is_cap=span.name == "cap",
        omitted=int(noted.get("omitted") or 0),
    )


def _heading(span: Span) -> str:
    noted = compaction_attributes(span)
    if span.status == Span.Status.FAILED:
        return "Older messages could not be summarised"
    if span.name == "micro":
        count = noted.get("results") or 0
        said = f"{count:,} older result{'' if count == 1 else 's'} shortened"
        return f"{said}{_tokens(noted, ', ')}"
    if span.name == "cap":
        return f"Cut to fit the model{_tokens(noted, ': ')}"
    count = noted.get("messages") or 0
    said = f"Summarised: {count:,} message{'' if count == 1 else 's'}"
    return f"{said}{_tokens(noted, ', ')}"


def _tokens(noted: CompactionAttributes, gap: str) -> str:
    before, after = noted.get("tokens_before"), noted.get("tokens_after")
    return f"{gap}{before:,} → {after:,} tokens" if before and after is not None else ""


def _why_shortened(noted: CompactionAttributes) -> str:
    before, window = noted.get("tokens_before"), noted.get("context_window")
    if not before or not window:
        return ""
    if noted.get("layer") == "cap":
        return f"The request had about {before:,} tokens, the context window has {window:,}."
    return f"The context window was {100 * before / window:.0f} % full."


class Marks:
    """The compactions of a turn in their order, each given out with the first answer after it."""

    def __init__(self, views: Sequence[tuple[int, CompactionView]] = ()) -> None:
        self._left = list(views)

    def before(self, generation: int | None) -> list[CompactionView]:
        """Those before this generation's span, and after the one that was asked for last."""
        taken = [view for pk, view in self._left if generation is not None and pk < generation]
        self._left = self._left[len(taken) :]
        return taken

    @property
    def rest(self) -> list[CompactionView]:
        """Those after the last answer."""
        return [view for _, view in self._left]


def marks(spans: Sequence[Span]) -> dict[int, Marks]:
    """What is shown of these spans (in their order), by the rows of their traces."""
    views = compaction_views(spans)
    of = {span.pk: span.trace_id for span in spans}
    found: dict[int, list[tuple[int, CompactionView]]] = defaultdict(list)
    for pk, view in views:
        found[of[pk]].append((pk, view))
    return {trace: Marks(known) for trace, known in found.items()}
