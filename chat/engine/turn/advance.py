"""`advance(turn_id)` answers every ring: claim, read the journal, do the one next step, let go."""

import logging
from functools import partial

from django.db import OperationalError
from django.utils import timezone

from chat import events
from chat.engine.context import compacting
from chat.engine.context.compacting import Summarising
from chat.engine.generation import attempts, recording
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.running import run_attempt
from chat.engine.turn import claims, endings, journal
from chat.engine.turn.ceilings import ceilings
from chat.engine.turn.claims import Claim
from chat.engine.turn.journal import Journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import (
    Compact,
    Finish,
    OpenAttempt,
    OpenRound,
    Rest,
    WaitUntil,
    next_step,
)
from chat.engine.worker.running import Cut, Running, registry
from chat.errors import Fenced
from chat.models import Turn
from db.threads import after_commit, in_database
from jobs.fair_slots import FairSlots

logger = logging.getLogger(__name__)

INTERNAL = (
    "Internal error. The conversation so far is kept. Send your message again; if it fails "
    "again, tell the operator."
)


# Those of this process; the worker says how many threads it has.
slots = FairSlots(200)


def advance(turn_id: int, rung: float | None = None, user_id: int = 0) -> None:
    """Brings a turn forward until it is over or has to wait, as soon as its user (0: looked up) has
    a slot. Safe to call at any time, from any process, any number of times. `rung` is when it was
    asked for, in seconds since 1970."""
    if registry.closing:
        return
    if turn_id in registry:
        _claim_and_own(turn_id, rung)  # its owner is told, or has just let go
        return
    user_id = user_id or in_database(_user_of, turn_id)
    if not slots.has_room(user_id) and in_database(_is_to_stop, turn_id):
        _claim_and_own(turn_id, rung)  # a moment's work, for which nobody waits in line
        return
    slots.run(user_id, turn_id, partial(_claim_and_own, turn_id, rung))


def _user_of(turn_id: int) -> int:
    """Whose turn it is; 0 if it is not there any more."""
    return Turn.objects.filter(pk=turn_id).values_list("user_id", flat=True).first() or 0


def _is_to_stop(turn_id: int) -> bool:
    return Turn.objects.open().filter(pk=turn_id, stop_requested__isnull=False).exists()


def _claim_and_own(turn_id: int, rung: float | None) -> None:
    if registry.closing:
        return
    claim = in_database(claims.claim, turn_id)
    if claim is None:
        registry.poke(turn_id)
        return
    with registry.entry(claim) as running:
        _own(claim, running, rung)


def _own(claim: Claim, running: Running, rung: float | None) -> None:
    try:
        while _do_next(claim, running, TakenUp.now(rung)):
            rung = None
    except Fenced as fenced:
        logger.info("%s", fenced)
    except OperationalError:
        # The lease runs out and the reaper tries again: nothing is known to be lost.
        logger.exception("The database failed while turn %s was advanced", claim.turn_id)
    except Exception:
        logger.exception("Turn %s cannot go on", claim.turn_id)
        _fail(claim)


def _do_next(claim: Claim, running: Running, taken_up: TakenUp) -> bool:
    """Does one step. False: this process has nothing more to do with the turn."""
    if running.reason is Cut.HANDOVER:
        in_database(claims.hand_over, claim)
        return False
    match in_database(_take_step, claim, taken_up):
        case Attempt() as attempt:
            return _generate(claim, running, attempt)
        case Summarising() as summary:
            return _summarise(claim, running, summary)
        case WaitUntil(when):
            running.interruption.happened.wait(max(0.0, (when - timezone.now()).total_seconds()))
            return True
        case goes_on:
            return goes_on


def _take_step(claim: Claim, taken_up: TakenUp) -> Attempt | Summarising | WaitUntil | bool:
    """The database's part of a step: an attempt to run, a time to wait for, or whether the turn
    goes on."""
    read = journal.read(claim.turn_id)
    read.turn.epoch = claim.epoch
    match next_step(read, ceilings()):
        case OpenRound() as step:
            return attempts.open_round(claim, read, step, taken_up)
        case OpenAttempt() as step:
            return _attempt(claim, read, step)
        case Compact():
            return _compact(claim, read)
        case WaitUntil() as step:
            return step
        case Rest():
            return not _rest(claim, read)
        case Finish() as step:
            _finish(claim, read, step)
            return False


def _attempt(
    claim: Claim, read: Journal, step: OpenAttempt
) -> Attempt | Summarising | WaitUntil | bool:
    """Another attempt at the open round, or the end of the turn if there is none to make."""
    match attempts.open_attempt(claim, read, step):
        case Finish() as end:
            _finish(claim, read, end)
            return False
        case goes_on:
            return goes_on


def _compact(claim: Claim, read: Journal) -> Summarising | WaitUntil | bool:
    """The next step of a turn that is about a summary alone."""
    match attempts.open_summary(claim, read):
        case Finish() as step:
            _finish(claim, read, step)
            return False
        case goes_on:
            return goes_on


def _generate(claim: Claim, running: Running, attempt: Attempt) -> bool:
    """Runs an attempt and writes what came of it. False if that ended the turn."""
    generated = run_attempt(attempt, running)
    if generated.cut is Cut.FENCED:
        raise Fenced(f"turn {claim.turn_id} was taken over")
    return in_database(recording.settle, claim, attempt, generated)


def _summarise(claim: Claim, running: Running, summary: Summarising) -> bool:
    """Has a summary written; the turn goes on, with it or without."""
    generated = run_attempt(summary, running)
    if generated.cut is Cut.FENCED:
        raise Fenced(f"turn {claim.turn_id} was taken over")
    if generated.cut is not Cut.HANDOVER:
        in_database(compacting.settle, claim, summary, generated)
    return True


def _rest(claim: Claim, read: Journal) -> bool:
    turn = read.turn
    let_go = claims.release(claim, turn.wakeups, Turn.Status.WAITING)
    if let_go and turn.status != Turn.Status.WAITING:
        turn.status = Turn.Status.WAITING
        event = events.turn_event(turn)
        after_commit(partial(events.emit, turn.conversation.public_id, event))
    return let_go


def _finish(claim: Claim, read: Journal, end: Finish) -> None:
    closed = endings.finish(claim, read, end)
    after_commit(partial(recording.announce_end, read.turn, read.number, closed))


def _fail(claim: Claim) -> None:
    """A defect of ours ends the turn in a sentence, not in silence."""
    try:
        in_database(_end_in_failure, claim)
    except Exception:
        logger.exception("Turn %s cannot even be ended; its lease runs out", claim.turn_id)


def _end_in_failure(claim: Claim) -> None:
    read = journal.read(claim.turn_id)
    read.turn.epoch = claim.epoch
    _finish(claim, read, Finish(Turn.Status.FAILED, INTERNAL))
