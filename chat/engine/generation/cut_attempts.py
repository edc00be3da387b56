"""Attempts whose worker is gone: whoever takes the turn over stores what is known of them.

Their request was stored before it was sent. The bytes of their response are lost with the worker;
what people were shown of them is in Redis, character by character as it was announced, and is kept
as the attempt's `output`, marked as shown. What Redis has lost is lost.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from redis.exceptions import RedisError

from chat.engine.turn.claims import Claim, fenced
from chat.events.scripts import RunningTextState, take_over
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Turn
from db.fields import dump_json
from languages.stored import stored
from tracing import recorder
from tracing.models import Payload, Span
from tracing.store import payloads

logger = logging.getLogger(__name__)

WORKER_STOPPED = stored("The worker stopped before the answer was complete.")


def shown_text(claim: Claim, turn: Turn) -> RunningTextState | None:
    """The text shown of the turn's running attempt; None if there is none, or Redis is away. From
    now on older owners, which may only have been suspended, add nothing to it. Outside of a
    transaction: Redis may keep one waiting."""
    try:
        return take_over(turn.public_id, claim.epoch)
    except RedisError as error:
        logger.warning("The text shown of turn %s is not kept: %s", turn.public_id, error)
        return None


def supersede(
    claim: Claim, turn: Turn, cut: Sequence[Span], shown: RunningTextState | None
) -> None:
    """Closes the attempts, and stores the shown text with the one that it is of. Raises Fenced."""
    with fenced(claim):
        for span in cut:
            if shown and any(shown.parts.values()) and UUID(shown.generation) == span.public_id:
                payloads.store_all(turn.conversation.archive, [_output(span, shown.parts)])
        rows = Span.objects.filter(pk__in=[span.pk for span in cut])
        recorder.close_spans(rows, Span.Status.SUPERSEDED, WORKER_STOPPED)


def _output(span: Span, parts: dict[str, str]) -> payloads.Record:
    """Without calls: they were not complete. `calls` is what was shown of them."""
    message: CanonicalMessage = {"role": "assistant", "content": parts["content"]}
    if parts["reasoning"]:
        message["reasoning_content"] = parts["reasoning"]
    output = {"message": message, "errors": [], "origins": [], "reissued": {}}
    if parts["calls"]:
        output["calls"] = parts["calls"]
    details: payloads.Details = {"attributes": {"shown": True}}
    return span, Payload.Stage.OUTPUT, dump_json(output).encode(), details
