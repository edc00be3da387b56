"""What people had read of an attempt whose worker was killed, kept as its `output`.

A killed worker stores nothing: the bytes of its response are lost with it. The text that it showed
is in Redis until the next attempt begins, character by character as it was announced.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import DatabaseError, transaction
from redis.exceptions import RedisError

from chat.events.scripts import peek
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Turn
from db.fields import dump_json
from db.threads import in_database
from tracing.models import Archive, Payload, Span
from tracing.store import payloads

logger = logging.getLogger(__name__)


def keep(turn: Turn, interrupted: Sequence[Span]) -> None:
    """Stores the shown text with the attempt that it is of. Called before the next attempt begins,
    outside of a transaction. What Redis has lost is lost."""
    try:
        state = peek(turn.conversation.public_id, [turn.public_id]).running.get(turn.public_id)
        span = next((one for one in interrupted if state and _is_of(one, state.generation)), None)
        if span is None or state is None or not any(state.parts.values()):
            return
        in_database(_store, turn.conversation.archive, span, _message(state.parts))
    except (RedisError, DatabaseError) as error:
        logger.warning("The text shown of turn %s is not kept: %s", turn.public_id, error)


def _is_of(span: Span, generation: str) -> bool:
    return span.public_id == UUID(generation)


def _message(parts: dict[str, str]) -> CanonicalMessage:
    """Without calls: they were not complete."""
    message: CanonicalMessage = {"role": "assistant", "content": parts["content"]}
    if parts["reasoning"]:
        message["reasoning_content"] = parts["reasoning"]
    return message


def _store(archive: Archive, span: Span, message: CanonicalMessage) -> None:
    output = {"message": message, "errors": [], "origins": [], "reissued": {}}
    details: payloads.Details = {"attributes": {"shown": True}}
    with transaction.atomic():
        record = (span, Payload.Stage.OUTPUT, dump_json(output).encode(), details)
        payloads.store_all(archive, [record])
