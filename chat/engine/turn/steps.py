"""What is to be done next, as a pure function of the journal."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.engine.turn.ceilings import Ceilings, is_nested
from chat.engine.turn.journal import Journal
from chat.models import Turn
from limits.models import MAX_CUT_ATTEMPTS
from tracing.models import Span
from tracing.models.attributes import generation_attributes, turn_attributes

Status = Span.Status


@dataclass(frozen=True)
class OpenRound:
    """Begin round `number`; what the round before left open is closed with it."""

    number: int


@dataclass(frozen=True)
class OpenAttempt:
    """Call the model again in the open round; `cut` attempts are marked superseded."""

    number: int
    cut: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Compact:
    """Write the summary that a person asked for: all that this turn is about."""


@dataclass(frozen=True)
class WaitUntil:
    """A provider asked for a pause, or the next attempt is not due yet."""

    when: datetime


@dataclass(frozen=True)
class Rest:
    """Nothing to do until a tool, a person or another turn rings."""


@dataclass(frozen=True)
class Finish:
    """The turn ends, with a sentence if it did not go well, and the name of the ceiling if it was
    one."""

    status: Turn.Status
    error: str = ""
    ceiling: str = ""


Step = OpenRound | OpenAttempt | Compact | WaitUntil | Rest | Finish


def next_step(journal: Journal, ceilings: Ceilings) -> Step:
    """The one next step of a turn that is owned and open."""
    if journal.turn.stop_requested:
        return Finish(Turn.Status.STOPPED)
    if journal.turn.model is None:
        return Finish(
            Turn.Status.FAILED, "The model was deleted. Choose another one and send again."
        )
    if "compact_only" in turn_attributes(journal.root):
        return Compact()
    if journal.round is None:
        # What the others of its tree have used by now counts for a subagent too.
        return _open_round(journal, ceilings) if is_nested(journal.turn) else OpenRound(1)
    latest = journal.generations[-1]
    if latest.status == Status.SUCCEEDED:
        return _after_answer(journal, ceilings)
    if latest.status == Status.FAILED:
        return _after_failure(latest)
    return _after_cut(journal.generations)


def _after_answer(journal: Journal, ceilings: Ceilings) -> Step:
    if any(call.is_open for call in journal.calls):
        return Rest()
    return _open_round(journal, ceilings)


def _open_round(journal: Journal, ceilings: Ceilings) -> Step:
    if broken := ceilings.broken(journal):
        return Finish(Turn.Status.FAILED, broken.sentence, broken.name)
    return OpenRound(journal.number + 1)


def _after_failure(latest: Span) -> Step:
    retry_at = parse_datetime(generation_attributes(latest).get("retry_at", ""))
    if retry_at is None:
        return Finish(Turn.Status.FAILED, latest.error)
    if retry_at > timezone.now():
        return WaitUntil(retry_at)
    return OpenAttempt(latest.number + 1)


def _after_cut(generations: list[Span]) -> Step:
    cut = tuple(span for span in generations if span.status == Status.RUNNING)
    superseded = sum(span.status == Status.SUPERSEDED for span in generations)
    if superseded + len(cut) > MAX_CUT_ATTEMPTS:
        return Finish(
            Turn.Status.FAILED,
            "The server was interrupted repeatedly while the model answered. Your message is "
            "kept; send it again later.",
        )
    return OpenAttempt(generations[-1].number + 1, cut)
