"""The next step of a turn, as a pure function of its journal.

`Step` is what the journal asks for; `NextStep` is how the owner's loop goes on after a model call
or a transaction. Both unions are closed: `chat.engine.turn.advance` matches on them.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from chat.engine.turn.ceilings import Ceilings, is_nested, spent_limit
from chat.engine.turn.journal import Journal
from chat.models import Turn
from languages.stored import stored
from limits.models import MAX_CUT_ATTEMPTS
from tracing.models import Span
from tracing.models.attributes import turn_attributes

Status = Span.Status


@dataclass(frozen=True)
class OpenRound:
    """Write round `number` and its first attempt; the round before is closed with it."""

    number: int


@dataclass(frozen=True)
class OpenAttempt:
    """Write attempt `number` of the open round; the `interrupted` ones are superseded."""

    number: int
    interrupted: tuple[Span, ...] = ()


@dataclass(frozen=True)
class OpenSummary:
    """Write the spans of the summary that is all that this turn is about."""


@dataclass(frozen=True)
class WaitUntil:
    """The next attempt or summary is due at `when`."""

    when: datetime


@dataclass(frozen=True)
class Rest:
    """Nothing to do until a tool, a person or another turn rings: the owner releases the turn."""


@dataclass(frozen=True)
class Finish:
    """The turn ends. `error` is a sentence for people, "" of a success; `ceiling` the name of the
    ceiling that was broken, "" if none was."""

    status: Turn.Status
    error: str = ""
    ceiling: str = ""


Step = OpenRound | OpenAttempt | OpenSummary | WaitUntil | Rest | Finish


@dataclass(frozen=True)
class ReadAgain:
    """The owner goes on: it reads the journal again and takes the next step."""


@dataclass(frozen=True)
class Leave:
    """The owner is done with the turn: it is over, released, or handed over."""


NextStep = ReadAgain | Leave


def next_step(journal: Journal, ceilings: Ceilings) -> Step:
    """The one next step of a turn that is owned and open."""
    if journal.turn.stop_requested:
        return Finish(Turn.Status.STOPPED)
    if journal.turn.model is None:
        return Finish(
            Turn.Status.FAILED, stored("The model was deleted. Choose another one and send again.")
        )
    if "compact_only" in turn_attributes(journal.root):
        return OpenSummary()
    if journal.round is None:
        return _open_first_round(journal, ceilings)
    latest = journal.generations[-1]
    if latest.status == Status.SUCCEEDED:
        return _after_answer(journal, ceilings)
    if latest.status == Status.FAILED:
        return _after_failure(latest)
    return _after_interruption(journal.generations)


def _open_first_round(journal: Journal, ceilings: Ceilings) -> Step:
    """For a subagent, what its whole tree has used by now counts; for another turn, which may have
    waited in line, what is left of the limits of who pays for it."""
    if is_nested(journal.turn):
        return _open_round(journal, ceilings)
    if broken := spent_limit(journal.turn):
        return Finish(Turn.Status.FAILED, broken.sentence, broken.name)
    return OpenRound(1)


def _after_answer(journal: Journal, ceilings: Ceilings) -> Step:
    if any(call.is_open for call in journal.calls):
        return Rest()
    return _open_round(journal, ceilings)


def _open_round(journal: Journal, ceilings: Ceilings) -> Step:
    if broken := ceilings.broken(journal):
        return Finish(Turn.Status.FAILED, broken.sentence, broken.name)
    return OpenRound(journal.number + 1)


def _after_failure(latest: Span) -> Step:
    if latest.retry_at is None:
        return Finish(Turn.Status.FAILED, latest.error)
    if latest.retry_at > timezone.now():
        return WaitUntil(latest.retry_at)
    return OpenAttempt(latest.number + 1)


def _after_interruption(generations: list[Span]) -> Step:
    interrupted = tuple(span for span in generations if span.status == Status.RUNNING)
    superseded = sum(span.status == Status.SUPERSEDED for span in generations)
    if superseded + len(interrupted) > MAX_CUT_ATTEMPTS:
        return Finish(
            Turn.Status.FAILED,
            stored(
                "The server was interrupted repeatedly while the model answered. Your message is "
                "kept; send it again later."
            ),
        )
    return OpenAttempt(generations[-1].number + 1, interrupted)
