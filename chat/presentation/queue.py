"""What stands below the last turn of the thread: deletions that can be undone, and the messages
that wait in line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from chat.llm.messages import text_of
from chat.models import Conversation, Message, Turn
from chat.models.conversations import undo_until
from chat.presentation.attachments import AttachmentView, attachment_views
from chat.presentation.viewers import OWNER, Viewer
from limits.chat import MAX_IN_LINE, MAX_QUEUED_PREVIEW
from tracing.formatting.text import visible


@dataclass(frozen=True)
class QueuedView:
    """A message in line. `number` counts from 1; `before` is the message before which it stands if
    it moves up, `after_next` that before which it stands if it moves down, "" for the end."""

    id: UUID
    message: str
    number: int
    text: str
    is_cut: bool
    attachments: Sequence[AttachmentView]
    is_note: bool
    is_last: bool
    before: str
    after_next: str
    # Who wrote it, "" of the viewer's own; whether the viewer may change it.
    author: str = ""
    can_change: bool = True

    @property
    def is_summary(self) -> bool:
        """Whether it is only a summary that a person asked for."""
        return not self.message


@dataclass(frozen=True)
class Deleted:
    """A deletion that can be undone: that of a message with what followed it, or of one in line."""

    turn: str
    messages: int
    was_queued: bool
    until: datetime


@dataclass(frozen=True)
class Foot:
    """What is below the thread's last turn."""

    queue: Sequence[QueuedView] = ()
    deleted: Sequence[Deleted] = ()
    max_in_line: int = MAX_IN_LINE


def foot(conversation: Conversation, viewer: Viewer = OWNER, *, has_queue: bool = True) -> Foot:
    """In one query; without a queue in none. One more for a member, if something was deleted."""
    queue = _queue(conversation, viewer) if has_queue else ()
    return Foot(queue, _deleted(conversation, viewer) if viewer.may_write else ())


def _queue(conversation: Conversation, viewer: Viewer) -> list[QueuedView]:
    line = Turn.objects.in_line().filter(conversation=conversation).order_by("pk")
    turns = list(line.with_names().select_related("question"))
    ids = [str(turn.public_id) for turn in turns]
    return [_queued(turn, at, ids, viewer) for at, turn in enumerate(turns)]


def _queued(turn: Turn, at: int, ids: list[str], viewer: Viewer) -> QueuedView:
    text = _text(turn.question)
    return QueuedView(
        id=turn.public_id,
        message=str(turn.question.public_id) if turn.question else "",
        number=at + 1,
        text=text[:MAX_QUEUED_PREVIEW],
        is_cut=len(text) > MAX_QUEUED_PREVIEW,
        attachments=attachment_views(turn.question) if turn.question else (),
        is_note=turn.steers_id is not None,
        is_last=at == len(ids) - 1,
        before=ids[at - 1] if at else "",
        after_next=ids[at + 2] if at + 2 < len(ids) else "",
        author=viewer.author(turn),
        can_change=viewer.may_change(turn),
    )


def _text(question: Message | None) -> str:
    return visible(text_of(question.body.get("content"))) if question else ""


def _deleted(conversation: Conversation, viewer: Viewer) -> list[Deleted]:
    undoable = conversation.undoable
    if undoable and not viewer.is_owner:
        withdrawn = [one["turn"] for one in undoable if one["kind"] == "queue"]
        own = Turn.objects.filter(public_id__in=withdrawn, author=viewer.user)
        ids = {str(public_id) for public_id in own.values_list("public_id", flat=True)}
        undoable = [one for one in undoable if one["turn"] in ids]
    return [
        Deleted(one["turn"], one["messages"], one["kind"] == "queue", undo_until(one))
        for one in undoable
    ]
