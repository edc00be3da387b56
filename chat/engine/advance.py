"""`advance(turn_id)` answers every ring: claim, read the journal, do the one next step, let go."""

import logging
from datetime import datetime

from django.db import OperationalError
from django.utils import timezone

from chat import events
from chat.engine import attempts, claims, ends, journal, outcomes
from chat.engine.ceilings import ceilings
from chat.engine.claims import Claim, let_go_of_connection
from chat.engine.generation import run_attempt
from chat.engine.journal import Journal
from chat.engine.running import Cut, Running, registry
from chat.engine.steps import Finish, OpenAttempt, OpenRound, Rest, Step, WaitUntil, next_step
from chat.errors import Fenced
from chat.models import Turn

logger = logging.getLogger(__name__)

INTERNAL = (
    "Something went wrong inside the server. What was said so far is kept; send your message "
    "again, and tell the operator if it happens twice."
)


def advance(turn_id: int) -> None:
    """Brings a turn forward until it is over or has to wait. Safe to call at any time, from any
    process, any number of times."""
    if registry.closing:
        return
    try:
        claim = claims.claim(turn_id)
        if claim is None:
            registry.poke(turn_id)
            return
        with registry.entry(claim) as running:
            _own(claim, running)
    finally:
        let_go_of_connection()


def _own(claim: Claim, running: Running) -> None:
    try:
        while _do_next(claim, running):
            pass
    except Fenced as fenced:
        logger.info("%s", fenced)
    except OperationalError:
        # The lease runs out and the reaper tries again: nothing is known to be lost.
        logger.exception("The database failed while turn %s was advanced", claim.turn_id)
    except Exception:
        logger.exception("Turn %s cannot go on", claim.turn_id)
        _fail(claim)


def _do_next(claim: Claim, running: Running) -> bool:
    """Does one step. False: this process has nothing more to do with the turn."""
    if running.reason is Cut.HANDOVER:
        claims.hand_over(claim)
        return False
    read = journal.read(claim.turn_id)
    step = next_step(read, ceilings())
    return _perform(claim, running, read, step)


def _perform(claim: Claim, running: Running, read: Journal, step: Step) -> bool:
    match step:
        case OpenRound():
            return _generate(claim, running, attempts.open_round(claim, read, step))
        case OpenAttempt():
            return _generate(claim, running, attempts.open_attempt(claim, read, step))
        case WaitUntil(when):
            _wait(running, when)
            return True
        case Rest():
            return not _rest(claim, read)
        case Finish():
            closed = ends.finish(claim, read, step)
            outcomes.announce_end(read.turn, read.number, closed)
            return False


def _generate(claim: Claim, running: Running, attempt: attempts.Attempt) -> bool:
    """Runs an attempt and writes what came of it. False if that ended the turn."""
    attempt.turn.epoch = claim.epoch
    outcomes.announce_attempt(attempt)
    generated = run_attempt(claim, attempt, running)
    if generated.cut is Cut.FENCED:
        raise Fenced(f"turn {claim.turn_id} was taken over")
    return outcomes.settle(claim, attempt, generated)


def _wait(running: Running, when: datetime) -> None:
    let_go_of_connection()
    running.interrupted.wait(max(0.0, (when - timezone.now()).total_seconds()))


def _rest(claim: Claim, read: Journal) -> bool:
    let_go = claims.release(claim, read.turn.wakeups, Turn.Status.WAITING)
    if let_go and read.turn.status != Turn.Status.WAITING:
        read.turn.status = Turn.Status.WAITING
        read.turn.epoch = claim.epoch
        events.emit(read.turn.conversation.public_id, events.turn_event(read.turn))
    return let_go


def _fail(claim: Claim) -> None:
    """A defect of ours ends the turn in a sentence, not in silence."""
    try:
        read = journal.read(claim.turn_id)
        closed = ends.finish(claim, read, Finish(Turn.Status.FAILED, INTERNAL))
        outcomes.announce_end(read.turn, read.number, closed)
    except Exception:
        logger.exception("Turn %s cannot even be ended; its lease runs out", claim.turn_id)
