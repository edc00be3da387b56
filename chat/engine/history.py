"""The conversation as the next request needs it: the path from its root to the turn's latest
message. Messages alone hold it; spans may be gone."""

from typing import Any

from chat.models import Message, Turn


def messages(turn: Turn) -> list[dict[str, Any]]:
    """Canonical messages, oldest first."""
    rows = Message.objects.filter(conversation_id=turn.conversation_id).values_list(
        "pk", "parent_id", "body"
    )
    by_id = {pk: (parent, body) for pk, parent, body in rows}
    path = []
    at = tail_id(turn)
    while at is not None:
        parent, body = by_id[at]
        path.append(body)
        at = parent
    return path[::-1]


def tail_id(turn: Turn) -> int | None:
    """The latest message of this turn: what the next one follows."""
    return (
        Message.objects.filter(turn_id=turn.pk).order_by("-id").values_list("pk", flat=True).first()
    )


def append(turn: Turn, role: str, body: dict[str, Any], **links: Any) -> Message:
    """Adds a message to the end of this turn."""
    return Message.objects.create(
        conversation_id=turn.conversation_id,
        turn_id=turn.pk,
        parent_id=tail_id(turn),
        role=role,
        body=body,
        **links,
    )
