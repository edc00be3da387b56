"""Where a conversation stands: the frame that a client starts from after a loss."""

import uuid
from dataclasses import asdict
from typing import Any

from redis.exceptions import RedisError

from chat.events.log import PEEK, EventId, client, log_key, run_key
from chat.events.payloads import turn_state
from chat.markdown import BlockSplitter
from chat.models import Conversation, Turn


def snapshot(conversation: Conversation) -> tuple[dict[str, Any], EventId | None]:
    """The frame and its cursor. The log is read before the rows: an event in between is applied
    once more, which changes nothing, but none is missed."""
    shown = _shown(conversation)
    cursor, running = _peek(conversation.public_id, [turn.public_id for turn in shown])
    turns = [
        {**turn_state(turn), "running": running.get(turn.public_id) if turn.is_open else None}
        for turn in _shown(conversation)
    ]
    frame = {
        "type": "snapshot",
        "conversation": str(conversation.public_id),
        "cursor": str(cursor) if cursor else None,
        "turns": turns,
    }
    return frame, cursor


def _shown(conversation: Conversation) -> list[Turn]:
    """The last ended turn and the open ones, oldest first."""
    turns = Turn.objects.filter(conversation=conversation).select_related("question", "model")
    open_turns = list(turns.open().order_by("id"))
    ended = turns.exclude(status__in=Turn.OPEN).order_by("-id").first()
    return sorted([*open_turns, *([ended] if ended else [])], key=lambda turn: turn.pk)


def _peek(
    conversation: uuid.UUID, turns: list[uuid.UUID]
) -> tuple[EventId | None, dict[uuid.UUID, dict[str, Any]]]:
    try:
        keys = [log_key(conversation), *(run_key(turn) for turn in turns)]
        last, *texts = client().eval(PEEK, len(keys), *keys)
    except RedisError:
        return None, {}
    cursor = EventId.parse(last.decode()) if last else None
    running = {turn: _running(found) for turn, found in zip(turns, texts, strict=True)}
    return cursor, {turn: found for turn, found in running.items() if found}


def _running(found: Any) -> dict[str, Any] | None:
    (generation, epoch, round_number), content, reasoning = found
    if generation is None:
        return None
    text = content.decode(errors="surrogatepass")
    return {
        "generation": generation.decode(),
        "epoch": int(epoch),
        "round": int(round_number),
        "parts": {"content": text, "reasoning": reasoning.decode(errors="surrogatepass")},
        "blocks": {"content": [asdict(block) for block in BlockSplitter().feed(text)]},
    }
