"""`advance(turn_id)` answers every ring: claim, read the journal, do the one next step, release.

_begin ─────► one transaction: the claim, and the first step as below
_take_step ─► _prepare_step   one transaction: journal, `steps.next_step`, the rows of the step
           ─► the model call that these rows began, outside of any transaction
           ─► `finish_generation` or `finish_summary`, one transaction
"""

import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import assert_never

from django.db import OperationalError, transaction
from django.utils import timezone

from chat import doorbell, events
from chat.engine.context import compacting
from chat.engine.context.compacting import Summarising
from chat.engine.generation import attempts, cut_attempts, recording
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.outcome import Generated
from chat.engine.generation.running import run_attempt
from chat.engine.turn import claims, endings, journal
from chat.engine.turn.ceilings import ceilings
from chat.engine.turn.claims import Claim
from chat.engine.turn.journal import Journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import (
    Finish,
    Leave,
    NextStep,
    OpenAttempt,
    OpenRound,
    OpenSummary,
    ReadAgain,
    Rest,
    Step,
    Supersede,
    WaitUntil,
    next_step,
)
from chat.engine.worker.identity import process_name
from chat.engine.worker.running_turns import Cut, RunningTurn, running_turns
from chat.errors import Fenced
from chat.models import COUNTED_USER, Turn
from db.threads import after_commit, in_database
from host.log_ids import log_ids, note
from jobs.fair_slots import FairSlots
from languages.stored import stored
from tracing.models import Span

logger = logging.getLogger(__name__)

INTERNAL_ERROR = stored(
    "Internal error. The conversation so far is kept. Send your message again; if it fails "
    "again, tell the operator."
)

# Seconds before each try to let go of a turn after the database has failed.
LET_GO_PAUSE_S = 1.0
LET_GO_TRIES = 5

# What the database's part of a step leaves to do.
PreparedStep = Attempt | Summarising | Supersede | WaitUntil | NextStep

# Turns that run in this process at the same time; the worker sets its number of threads.
slots = FairSlots(200)


def advance(turn_id: int, rung: float | None = None, user_id: int = 0) -> None:
    """Advances a turn until it is over or has to wait, as soon as its user (0: looked up) has a
    slot. Safe to call at any time, from any process, any number of times. `rung` is the moment of
    the ring, in seconds since 1970."""
    if running_turns.closing:
        return
    if turn_id in running_turns:
        _claim_and_own(turn_id, rung)  # pokes its owner, unless that has just released it
        return
    user_id = user_id or in_database(_user_of, turn_id)
    if not slots.has_room(user_id) and in_database(_is_to_stop, turn_id):
        _claim_and_own(turn_id, rung)  # a stop is quick: it does not wait for a slot
        return
    slots.run(user_id, turn_id, partial(_claim_and_own, turn_id, rung))


def _user_of(turn_id: int) -> int:
    """The key of the person whose turn it is; 0 if the turn was deleted."""
    return Turn.objects.filter(pk=turn_id).values_list(COUNTED_USER, flat=True).first() or 0


def _is_to_stop(turn_id: int) -> bool:
    return Turn.objects.open().filter(pk=turn_id, stop_requested__isnull=False).exists()


def _claim_and_own(turn_id: int, rung: float | None) -> None:
    if running_turns.closing:
        return
    with log_ids(turn=turn_id):
        _claim_and_own_logged(turn_id, rung)


def _claim_and_own_logged(turn_id: int, rung: float | None) -> None:
    begun = in_database(_begin, turn_id, TakenUp.now(rung))
    if begun is None:
        _poke(turn_id)
        return
    claim, step = begun
    with running_turns.entry(claim) as running:
        _own(claim, running, step)


def _poke(turn_id: int) -> None:
    """Has the process that runs the turn look at it at once."""
    if running_turns.poke(turn_id):
        return
    owner = in_database(Turn.objects.owner_of, turn_id)
    if owner and owner != process_name():
        doorbell.ring_owner(owner, turn_id)


def _begin(turn_id: int, taken_up: TakenUp) -> tuple[Claim, PreparedStep | None] | None:
    """Claims the turn and prepares its first step, in one transaction; None as of `claims.claim`.
    If that fails, the turn is claimed alone: its owner prepares the step again, and ends the turn
    if that cannot be done."""
    try:
        with transaction.atomic():
            if not claims.take(turn_id):
                return None
            read = journal.read(turn_id)
            claim = Claim(turn_id, process_name(), read.turn.epoch)
            assert read.turn.trace is not None
            note(trace=str(read.turn.trace.public_id), user=read.turn.user_id)
            step = _prepare(claim, read, taken_up)
    except OperationalError:
        raise
    except Exception:
        logger.info("Turn %s is claimed without its first step", turn_id, exc_info=True)
        alone = claims.claim(turn_id)
        return None if alone is None else (alone, None)
    return claim, _with_attachments(step)


def _own(claim: Claim, running: RunningTurn, step: PreparedStep | None) -> None:
    """Takes one step after another, the first as it was prepared, until this process is done with
    the turn."""
    try:
        while True:
            match _take_step(claim, running, step):
                case ReadAgain():
                    step = None
                case Leave():
                    return
    except Fenced as fenced:
        logger.info("%s", fenced)
    except OperationalError:
        # The reaper tries again: nothing is known to be lost.
        logger.exception("The database failed while turn %s was advanced", claim.turn_id)
        _let_go(claim)
    except Exception:
        logger.exception("Turn %s cannot go on", claim.turn_id)
        _finish_after_defect(claim)


def _let_go(claim: Claim) -> None:
    """Releases the turn as soon as the database answers. If that takes too long its lease expires,
    which would take ten seconds where only a connection was cut."""
    for _ in range(LET_GO_TRIES):
        time.sleep(LET_GO_PAUSE_S)
        try:
            in_database(claims.hand_over, claim)
        except OperationalError:
            continue
        return


def _take_step(claim: Claim, running: RunningTurn, step: PreparedStep | None) -> NextStep:
    if step is None:
        if running.reason is Cut.HANDOVER:
            in_database(claims.hand_over, claim)
            doorbell.ring_turn(claim.turn_id)  # another process goes on at once
            return Leave()
        step = in_database(_prepare_step, claim, TakenUp.now())
    match step:
        case Supersede(cut):
            _supersede(claim, cut)
            return ReadAgain()
        case Attempt():
            generated = _run(claim, running, step)
            return in_database(_finish_generation, claim, step, generated)
        case Summarising():
            generated = _run(claim, running, step)
            in_database(compacting.finish_summary, claim, step, generated)
            return ReadAgain()
        case WaitUntil(when):
            running.interruption.happened.wait(max(0.0, (when - timezone.now()).total_seconds()))
            return ReadAgain()
        case ReadAgain() | Leave():
            return step
        case _:
            assert_never(step)


def _supersede(claim: Claim, cut: Sequence[Span]) -> None:
    """Stores what is known of attempts whose worker is gone. Not in one transaction with the claim:
    their text is in Redis."""
    turn = in_database(Turn.objects.for_journal, claim.turn_id)
    shown = cut_attempts.shown_text(claim, turn)
    in_database(cut_attempts.supersede, claim, turn, cut, shown)


def _prepare_step(claim: Claim, taken_up: TakenUp) -> PreparedStep:
    """A further step of a turn that is owned."""
    read = journal.read(claim.turn_id)
    read.turn.epoch = claim.epoch
    return _with_attachments(_prepare(claim, read, taken_up))


def _prepare(claim: Claim, read: Journal, taken_up: TakenUp) -> PreparedStep:
    """The database's part of a step: the rows of a model call that is to be made, or all of it."""
    step = _open(claim, read, next_step(read, ceilings()), taken_up)
    match step:
        case Rest():
            return _release(claim, read.turn)
        case Finish():
            _finish_turn(claim, read, step)
            return Leave()
        case Attempt() | Summarising() | Supersede() | WaitUntil():
            return step


def _with_attachments(step: PreparedStep) -> PreparedStep:
    """Bytes are read when the transaction is over."""
    return attempts.with_attachments(step) if isinstance(step, Attempt) else step


def _finish_generation(claim: Claim, attempt: Attempt, generated: Generated) -> NextStep:
    """Writes the outcome. If it leaves calls that are open, the turn is released with it: what
    would be read again is known, unless the turn was rung since."""
    with transaction.atomic():
        step = recording.finish_generation(claim, attempt, generated)
        if any(call.is_open for call in attempt.calls):
            return _release(claim, attempt.turn)
        return step


def _open(
    claim: Claim, read: Journal, step: Step, taken_up: TakenUp
) -> Attempt | Summarising | Supersede | WaitUntil | Rest | Finish:
    """Opens the model call that this step asks for; one that cannot be made may end the turn."""
    match step:
        case OpenRound():
            return attempts.open_round(claim, read, step, taken_up)
        case OpenAttempt():
            return attempts.open_attempt(claim, read, step)
        case OpenSummary():
            return attempts.open_summary(claim, read)
        case Supersede() | WaitUntil() | Rest() | Finish():
            return step


def _run(claim: Claim, running: RunningTurn, attempt: Attempt | Summarising) -> Generated:
    """Makes the model call of an attempt. Raises `Fenced` if the turn was taken over meanwhile."""
    generated = run_attempt(attempt, running)
    if generated.cut is Cut.FENCED:
        raise Fenced(f"turn {claim.turn_id} was taken over")
    return generated


def _release(claim: Claim, turn: Turn) -> NextStep:
    """Lets go of a turn that waits; reads again if it was rung since its journal was read."""
    if not claims.release(claim, turn.wakeups, Turn.Status.WAITING):
        return ReadAgain()
    if turn.status != Turn.Status.WAITING:
        turn.status = Turn.Status.WAITING
        event = events.turn_event(turn)
        after_commit(partial(events.emit, turn.conversation.public_id, event))
    return Leave()


def _finish_turn(claim: Claim, read: Journal, finish: Finish) -> None:
    finished = endings.finish_between_generations(claim, read, finish)
    after_commit(partial(recording.announce_end, read.turn, read.number, finished))


def _finish_after_defect(claim: Claim) -> None:
    """A defect of the program ends the turn with a sentence."""
    try:
        read = in_database(journal.read, claim.turn_id)
        if cut := read.cut_generations:
            _supersede(claim, cut)
        in_database(_finish_with_internal_error, claim)
    except Exception:
        logger.exception("Turn %s cannot even be ended; its lease expires", claim.turn_id)


def _finish_with_internal_error(claim: Claim) -> None:
    read = journal.read(claim.turn_id)
    read.turn.epoch = claim.epoch
    _finish_turn(claim, read, Finish(Turn.Status.FAILED, INTERNAL_ERROR))
