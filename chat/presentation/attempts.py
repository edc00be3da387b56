"""What a round's model calls came to, in sentences: the attempts that failed, and what is missing
in an answer that came."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import generation_attributes

# Finish reasons of an answer that is not whole.
CUT = {
    "length": "The answer was cut off at its length limit. Ask the model to continue.",
    "content_filter": "The answer was cut off by the provider's content filter.",
}
SILENT = "The model returned an empty answer."


@dataclass(frozen=True)
class AttemptView:
    """Model calls, one after the other, that failed in the same way and were made again. Without
    an `error` it is the one that ended the turn."""

    first: int
    last: int
    error: str
    interrupted: bool = False

    @property
    def label(self) -> str:
        """Which ones, and what became of them."""
        if self.first == self.last:
            return f"Attempt {self.first} {'was interrupted' if self.interrupted else 'failed'}"
        became = "were interrupted" if self.interrupted else "failed"
        return f"Attempts {self.first} to {self.last} {became}"


def failed_attempts(generations: Sequence[Span], ended_by: str) -> dict[int, list[AttemptView]]:
    """By round, of a turn's generations in their order. The error that a turn was `ended_by`, if it
    was, is told by the turn itself."""
    attempts: dict[int, list[AttemptView]] = defaultdict(list)
    for span in generations[:-1] if ended_by else generations:
        if span.status in (Span.Status.FAILED, Span.Status.SUPERSEDED):
            _note(attempts[span.parent.number if span.parent else 0], span)
    if ended_by and generations and generations[-1].parent:
        _shorten(attempts[generations[-1].parent.number], visible(ended_by))
    return attempts


def _shorten(attempts: list[AttemptView], ended_by: str) -> None:
    """What is told just below need not be told twice."""
    if attempts and attempts[-1].error == ended_by:
        attempts[-1] = replace(attempts[-1], error="")


def _note(attempts: list[AttemptView], span: Span) -> None:
    interrupted = span.status == Span.Status.SUPERSEDED
    view = AttemptView(span.number, span.number, visible(span.error), interrupted)
    if attempts and replace(attempts[-1], first=view.first, last=view.last) == view:
        view = replace(view, first=attempts.pop().first)
    attempts.append(view)


def notes(generation: Span | None, body: dict[str, Any]) -> Iterator[str]:
    """What is to be said of a round's answer beside its text and calls."""
    if generation is None or generation.status != Span.Status.SUCCEEDED:
        return
    cut = CUT.get(str(generation_attributes(generation).get("finish_reason")))
    if cut:
        yield cut
    if body.get("tool_calls"):
        return
    for error in generation_attributes(generation).get("errors") or ():
        yield visible(str(error))
    if not cut and not body.get("content") and not body.get("refusal"):
        yield SILENT
