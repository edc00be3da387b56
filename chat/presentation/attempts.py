"""Failed attempts of a round's model call, and notes on answers that are not whole."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.utils.translation import gettext, ngettext

from languages.later import later
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import generation_attributes

# Notes by finish reason, for answers that are not whole.
CUT_NOTES = {
    "length": later("The answer was cut off at its length limit. Ask the model to continue."),
    "content_filter": later("The answer was cut off by the provider's content filter."),
}
EMPTY_NOTE = later("The model returned an empty answer.")


@dataclass(frozen=True)
class AttemptView:
    """Consecutive attempts, by number, that failed in the same way and were repeated. `error` is
    empty where the turn shows the same error."""

    first: int
    last: int
    error: str
    interrupted: bool = False

    @property
    def label(self) -> str:
        """A whole sentence of attempts that were interrupted: their error says no more."""
        count = self.last - self.first + 1
        if self.interrupted:
            return ngettext(
                "The answer was begun again: the program stopped in the middle of it.",
                "The answer was begun again %(count)s times: the program stopped in the middle of "
                "it.",
                count,
            ) % {"count": count}
        if count == 1:
            return gettext("Attempt %(number)s failed") % {"number": self.first}
        values = {"first": self.first, "last": self.last}
        return gettext("Attempts %(first)s to %(last)s failed") % values


@dataclass(frozen=True)
class _Failure:
    """Two attempts with equal failures failed in the same way."""

    status: str
    kind: str | None
    status_code: int | None
    error: str


def failed_attempts(
    generations: Sequence[Span], *, turn_failed: bool
) -> dict[int, list[AttemptView]]:
    """The failed attempts of a turn's `generations`, by the number of their round. The last
    generation of a turn that failed is left out: the turn shows its error."""
    fatal = generations[-1] if turn_failed and generations else None
    by_round: dict[int, list[Span]] = defaultdict(list)
    for span in generations:
        if span.status in (Span.Status.FAILED, Span.Status.SUPERSEDED) and span is not fatal:
            by_round[span.parent.number if span.parent else 0].append(span)
    attempts = defaultdict(list, {number: _views(spans) for number, spans in by_round.items()})
    number = fatal.parent.number if fatal and fatal.parent else 0
    if fatal and number in by_round and _failure(by_round[number][-1]) == _failure(fatal):
        attempts[number][-1] = replace(attempts[number][-1], error="")
    return attempts


def _failure(span: Span) -> _Failure:
    attributes = generation_attributes(span)
    return _Failure(
        str(span.status), attributes.get("error_kind"), attributes.get("status_code"), span.error
    )


def _views(spans: Sequence[Span]) -> list[AttemptView]:
    """One view for consecutive attempts that failed in the same way."""
    groups = [list(group) for _, group in groupby(spans, _failure)]
    return [
        AttemptView(
            first=group[0].number,
            last=group[-1].number,
            error=visible(group[0].error),
            interrupted=group[0].status == Span.Status.SUPERSEDED,
        )
        for group in groups
    ]


def notes(generation: Span | None, body: dict[str, Any]) -> Iterator[str]:
    """Notes on a round's answer: it was cut off, could not be parsed, or is empty."""
    if generation is None or generation.status != Span.Status.SUCCEEDED:
        return
    cut = CUT_NOTES.get(str(generation_attributes(generation).get("finish_reason")))
    if cut:
        yield cut
    if body.get("tool_calls"):
        return
    for error in generation_attributes(generation).get("errors") or ():
        yield visible(str(error))
    if not cut and not body.get("content") and not body.get("refusal"):
        yield EMPTY_NOTE
