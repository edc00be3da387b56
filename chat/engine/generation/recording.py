"""The end of a generation, in one transaction: its payloads, the answer's message, the proposed
calls, and the end of the turn if there are none."""

import random
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.utils import timezone

from chat import doorbell, events, programs
from chat.agent import share, subagents
from chat.engine.generation import context_refusals, partial_text
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.evidence import records
from chat.engine.generation.outcome import Generated
from chat.engine.titles import due
from chat.engine.tool_calls import proposals
from chat.engine.turn import claims, endings
from chat.engine.turn.ceilings import ceilings
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.steps import Finish, Leave, NextStep, ReadAgain
from chat.engine.worker.running_turns import Cut
from chat.llm.errors import StatusFailure
from chat.models import Message, Turn
from chat.quotas import admission
from db.threads import after_commit
from languages.stored import stored
from limits.models import MAX_ATTEMPTS, MAX_RETRY_AFTER_S, MAX_WINDOW_REFUSALS
from tracing import recorder
from tracing.models.attributes import generation_attributes
from tracing.store import payloads


def finish_generation(claim: Claim, attempt: Attempt, generated: Generated) -> NextStep:
    """Writes the outcome of an attempt; one that another process is to repeat is handed over."""
    if generated.cut is Cut.HANDOVER:
        claims.hand_over(claim)
        return Leave()
    turn = attempt.turn
    turn.tokens_in += generated.tokens("prompt_tokens")
    turn.tokens_out += generated.tokens("completion_tokens")
    with fenced(claim, tokens_in=turn.tokens_in, tokens_out=turn.tokens_out):
        _finish_span(attempt, generated)
        evidence = records(attempt.generation, attempt.meant, generated)
        follow_ups = _write_follow_ups(attempt, generated, evidence)
        admission.count_usage(turn.conversation.owner_id)
        after_commit(partial(_announce_outcome, attempt, follow_ups))
        if due.is_due(turn):
            after_commit(partial(doorbell.ring_title, turn.pk, turn.counted_user_id))
    return ReadAgain() if turn.is_open else Leave()


def _write_follow_ups(
    attempt: Attempt, generated: Generated, evidence: list[payloads.Record]
) -> list[dict[str, Any]]:
    """Stores the evidence, and the rows that follow from an outcome: calls, or the end of the turn.
    Answers their events."""
    if generated.calls and programs.is_plain(attempt.turn.conversation):
        # The program runs them, and sends the results with its next message.
        payloads.store_all(attempt.turn.conversation.archive, evidence)
        return _finish_turn(attempt, generated, Finish(Turn.Status.DONE))
    if 0 < len(generated.calls) <= ceilings().calls_a_round:
        return _propose_calls(attempt, generated, evidence)
    payloads.store_all(attempt.turn.conversation.archive, evidence)
    if generated.cut is Cut.STOPPED:
        return _finish_turn(attempt, generated, Finish(Turn.Status.STOPPED))
    if generated.error is not None:
        if attempt.generation.retry_at is not None:
            return []
        return _finish_turn(attempt, generated, Finish(Turn.Status.FAILED, generated.sentence))
    if generated.calls:
        return _refuse_calls(attempt, generated)
    return _finish_turn(attempt, generated, Finish(Turn.Status.DONE))


def _propose_calls(
    attempt: Attempt, generated: Generated, evidence: list[payloads.Record]
) -> list[dict[str, Any]]:
    spans = proposals.propose(attempt, generated, evidence)
    attempt.calls.extend(spans)
    after_commit(partial(proposals.ring_approved, spans, attempt.turn.counted_user_id))
    return proposals.proposed_events(attempt, generated, spans)


def _refuse_calls(attempt: Attempt, generated: Generated) -> list[dict[str, Any]]:
    """An answer with more calls than a round may have ends the turn."""
    max_calls = ceilings().calls_a_round
    proposals.cancel_all(attempt, generated, max_calls)
    asked = len(generated.calls)
    sentence = stored(
        "The model asked for %(asked)s calls at once; the limit is %(most)s.",
        asked=asked,
        most=max_calls,
    )
    endings.finish_turn(attempt.turn, Finish(Turn.Status.FAILED, sentence, "calls_a_round"))
    return [events.turn_event(attempt.turn)]


def _finish_turn(attempt: Attempt, generated: Generated, finish: Finish) -> list[dict[str, Any]]:
    """Ends the turn with the text of this generation, whole or partial, or of one before it."""
    is_whole = finish.status == Turn.Status.DONE
    if is_whole or generated.has_text:
        answer: Message | None = proposals.append_answer(attempt, generated)
    else:
        answer = partial_text.append_of_round(attempt.history, attempt.round)
    endings.finish_turn(attempt.turn, finish, answer)
    return [events.turn_event(attempt.turn)]


def _finish_span(attempt: Attempt, generated: Generated) -> None:
    now = timezone.now()
    attributes = generated.attributes()
    retry_in = _retry_in_s(attempt.generation.number, generated)
    if refusal := context_refusals.record_refusal(
        attempt.turn, attempt.model, attempt.context, generated.error
    ):
        attributes.update(refusal)
        is_last = attempt.refusals + 1 >= MAX_WINDOW_REFUSALS
        attributes["too_long"], retry_in = True, None if is_last else 0.0
    retry_at = None
    if retry_in is not None:
        attributes["retry_in_ms"] = round(retry_in * 1000)
        retry_at = now + timedelta(seconds=retry_in)
    recorder.close_span(
        attempt.generation,
        generated.status,
        generated.sentence,
        attributes,
        ended=now,
        retry_at=retry_at,
    )


def _retry_in_s(number: int, generated: Generated) -> float | None:
    """Seconds until the next attempt; None if there is to be none."""
    error = generated.error
    if error is None or generated.cut or not error.retryable or number >= MAX_ATTEMPTS:
        return None
    retry_after = error.retry_after if isinstance(error, StatusFailure) else None
    if retry_after is not None:
        return retry_after if retry_after <= MAX_RETRY_AFTER_S else None
    first_pause: float = settings.RETRY_SECONDS
    return first_pause * 2.0 ** (number - 1) * (1 + 0.25 * random.random())


def _announce_outcome(attempt: Attempt, follow_ups: list[dict[str, Any]]) -> None:
    attributes = generation_attributes(attempt.generation)
    event = events.generation_event(
        attempt.turn, attempt.round.number, attempt.generation, attributes.get("retry_in_ms")
    )
    context_share = share.of_usage(attempt.turn.conversation, attempt.model, attributes)
    if context_share is not None:
        event["context"] = context_share.described()
    events.emit_many(attempt.conversation, [event, *follow_ups])
    subagents.announce_progress(attempt.turn)


def announce_end(turn: Turn, round_number: int, finished: list[endings.FinishedCall]) -> None:
    """The turn's final state, and the state of the calls that ended with it."""
    calls = [events.call_event(turn, round_number, call, "", shown) for call, shown in finished]
    events.emit_many(turn.conversation.public_id, [*calls, events.turn_event(turn)])
    subagents.announce_progress(turn)
