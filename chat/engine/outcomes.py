"""What came of a generation, written in one transaction: evidence, messages, calls, the end."""

import logging
import random
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from chat import doorbell, events
from chat.engine import claims, ends, history
from chat.engine.attempts import Attempt
from chat.engine.ceilings import ceilings
from chat.engine.claims import Claim, fenced
from chat.engine.evidence import records
from chat.engine.generated import Generated
from chat.engine.results import told
from chat.engine.running import Cut
from chat.engine.steps import Finish
from chat.events.log import begin_running
from chat.llm.errors import StatusFailure
from chat.llm.messages import ToolCall
from chat.models import Message, Turn
from tools import registry
from tracing import payloads
from tracing.models import Span

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 4
LONGEST_RETRY_AFTER = 120.0


def settle(claim: Claim, attempt: Attempt, generated: Generated) -> bool:
    """Writes the attempt's outcome. True: the turn goes on, False: this owner is done with it."""
    if generated.cut is Cut.HANDOVER:
        claims.hand_over(claim)
        return False
    with fenced(claim, **_tokens(generated)):
        _close_generation(attempt, generated)
        payloads.store_all(attempt.turn.conversation.archive, records(attempt, generated))
        over = _conclude(attempt, generated)
    return not over


def _tokens(generated: Generated) -> dict[str, Any]:
    usage = generated.usage or {}
    return {
        "tokens_in": F("tokens_in") + int(usage.get("prompt_tokens") or 0),
        "tokens_out": F("tokens_out") + int(usage.get("completion_tokens") or 0),
    }


def _conclude(attempt: Attempt, generated: Generated) -> bool:
    """The rows that follow from an outcome. True if the turn has ended."""
    if generated.cut is Cut.STOPPED:
        _end(attempt, generated, Finish(Turn.Status.STOPPED))
    elif generated.error is not None:
        if "retry_at" in attempt.generation.attributes:
            return False
        _end(attempt, generated, Finish(Turn.Status.FAILED, generated.sentence))
    elif generated.calls:
        return _propose(attempt, generated)
    else:
        _end(attempt, generated, Finish(Turn.Status.DONE))
    return True


def _close_generation(attempt: Attempt, generated: Generated) -> None:
    span = attempt.generation
    span.ended = timezone.now()
    span.status = generated.status
    span.error = generated.sentence
    span.attributes |= generated.described()
    retry_in = _retry_in(span.number, generated)
    if retry_in is not None:
        span.attributes["retry_in_ms"] = round(retry_in * 1000)
        span.attributes["retry_at"] = (span.ended + timedelta(seconds=retry_in)).isoformat()
    Span.objects.filter(pk=span.pk).update(
        ended=span.ended, status=span.status, error=span.error, attributes=span.attributes
    )
    transaction.on_commit(
        partial(_announce_generation, attempt, span.attributes.get("retry_in_ms"))
    )


def _retry_in(number: int, generated: Generated) -> float | None:
    """Seconds until the next attempt; None if there is to be none."""
    error = generated.error
    if error is None or generated.cut or not error.retryable or number >= MOST_ATTEMPTS:
        return None
    asked = error.retry_after if isinstance(error, StatusFailure) else None
    if asked is not None:
        return asked if asked <= LONGEST_RETRY_AFTER else None
    first: float = settings.RETRY_SECONDS
    return first * 2.0 ** (number - 1) * (1 + 0.25 * random.random())


def _propose(attempt: Attempt, generated: Generated) -> bool:
    """Writes the assistant message and a span for each call. True if there are too many."""
    message = _append_answer(attempt, generated)
    most = ceilings().calls_a_round
    if len(generated.calls) > most:
        for position, call in enumerate(generated.calls, 1):
            refused = _call_span(attempt, message, position, call, Span.Status.CANCELLED)
            history.append(
                attempt.turn,
                Message.Role.TOOL,
                {
                    "role": "tool",
                    "content": told(refused),
                    "tool_call_id": call["id"],
                    "is_error": True,
                },
                span=refused,
            )
        sentence = f"The model asked for {len(generated.calls)} calls at once; {most} is the most."
        ends.conclude(attempt.turn, Finish(Turn.Status.FAILED, sentence))
        transaction.on_commit(partial(announce_end, attempt.turn.pk, attempt.round.number, []))
        return True
    spans = [
        _call_span(attempt, message, position, call, Span.Status.APPROVED)
        for position, call in enumerate(generated.calls, 1)
    ]
    arguments = [call["function"]["arguments"] for call in generated.calls]
    payloads.store_all(
        attempt.turn.conversation.archive,
        [
            (span, "arguments", text.encode(errors="surrogatepass"), {})
            for span, text in zip(spans, arguments, strict=True)
        ],
    )
    transaction.on_commit(partial(_ring_calls, attempt, spans, arguments))
    return False


def _call_span(
    attempt: Attempt, message: Message, position: int, call: ToolCall, status: Span.Status
) -> Span:
    name = str(call["function"]["name"])
    tool = registry.find(name)
    return Span.objects.create(
        trace=attempt.round.trace,
        parent=attempt.round,
        kind=Span.Kind.TOOL,
        name=name[:200],
        number=position,
        status=status,
        attributes={
            "call_id": call["id"],
            "server": tool.server if tool else "",
            "tool": tool.tool if tool else name,
            "idempotent": bool(tool and tool.idempotent),
            "message": str(message.public_id),
        },
    )


def _append_answer(attempt: Attempt, generated: Generated) -> Message:
    return history.append(
        attempt.turn, Message.Role.ASSISTANT, generated.message, span=attempt.generation
    )


def _end(attempt: Attempt, generated: Generated, end: Finish) -> None:
    """Ends the turn with what this generation said, whole or in part."""
    whole = end.status == Turn.Status.DONE
    answer = _append_answer(attempt, generated) if whole or generated.said_something else None
    ends.conclude(attempt.turn, end, answer)
    transaction.on_commit(partial(announce_end, attempt.turn.pk, attempt.round.number, []))


def announce_attempt(attempt: Attempt) -> None:
    """A generation begins: its running text is empty, older text of the round is void."""
    begin_running(
        attempt.turn.public_id,
        attempt.generation.public_id,
        attempt.turn.epoch,
        attempt.round.number,
    )
    turn = attempt.turn
    shown = [events.generation_event(turn, attempt.round.number, attempt.generation)]
    if turn.status != Turn.Status.STREAMING:
        turn.status = Turn.Status.STREAMING
        turn.rounds = attempt.round.number
        shown.insert(0, events.turn_event(turn))
    events.emit_many(attempt.conversation, shown)


def _announce_generation(attempt: Attempt, retry_in_ms: int | None) -> None:
    events.emit(
        attempt.conversation,
        events.generation_event(
            attempt.turn, attempt.round.number, attempt.generation, retry_in_ms
        ),
    )


def _ring_calls(attempt: Attempt, spans: list[Span], arguments: list[str]) -> None:
    for span in spans:
        doorbell.ring_call(span.pk)
    events.emit_many(
        attempt.conversation,
        [
            events.call_event(attempt.turn, attempt.round.number, span, text)
            for span, text in zip(spans, arguments, strict=True)
        ],
    )


def announce_end(turn_id: int, round_number: int, closed: list[Span]) -> None:
    """The turn's final state, and the state of the calls that ended with it."""
    turn = Turn.objects.select_related("conversation", "question", "model").get(pk=turn_id)
    calls = [events.call_event(turn, round_number, call, "", told(call)) for call in closed]
    events.emit_many(turn.conversation.public_id, [*calls, events.turn_event(turn)])
