"""Forking: a new conversation whose history is an earlier one's up to a round.

    before the turn's question ◄─ no round ─┤ question │ round 1 │ round 2 │ … ├─ a round: up to it,
                                                                               its results included

Messages, ended turns and attachments are copied; spans are not: what led there is told by the trace
of the first conversation, which the new one names. A fork goes on with the next message; before the
question that is the question itself, which waits in the composer.
"""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import storage, workspaces
from chat.agent import todos
from chat.attachments.references import SCHEME, references
from chat.errors import Rejected
from chat.files import workspace_sizes
from chat.files.copying import copy
from chat.llm.messages import text_of
from chat.models import Attachment, Compaction, Conversation, Message, Preset, Turn
from db.fields import dump_json
from limits.chat import MAX_FORKED_BYTES, MAX_FORKED_FILES, MAX_TITLE
from tools.errors import ToolError
from tracing.journal import actions
from tracing.models import Archive, Span, Trace

logger = logging.getLogger(__name__)

NO_CONVERSATION = "Only turns of a conversation can be forked."
OF_A_SUBAGENT = "A subagent's turn cannot be forked. Fork the turn that started it."
NO_QUESTION = "This turn has no question. Fork the turn before it."
NOT_WHOLE = (
    "This round is not complete yet. Fork it when its answer and all results are there, or fork "
    "before the question."
)
SUFFIX = " (fork)"
NOT_COPIED = "The workspace's files were not copied: too many or too large."


@dataclass(frozen=True)
class Fork:
    """The new conversation; `note` says what of the old one it does not have."""

    conversation: Conversation
    note: str = ""


@dataclass(frozen=True)
class Unasked:
    """The question that a fork begins with, as the composer takes it."""

    text: str
    attachments: list[dict[str, object]]

    @property
    def attachments_json(self) -> str:
        return dump_json(self.attachments)


def fork(user: User, trace: Trace, number: int | None) -> Fork:
    """A conversation of this user's own, up to a round of the turn, or before its question.

    Raises Rejected. The caller has made sure that the user may see the trace.
    """
    turn = Turn.objects.filter(trace=trace).select_related("conversation", "question").first()
    if turn is None:
        raise Rejected(NO_CONVERSATION)
    if turn.question is None:
        raise Rejected(NO_QUESTION)
    if turn.conversation.parent_call_id is not None:
        raise Rejected(OF_A_SUBAGENT)
    tail = _before(turn) if number is None else _end_of(turn, number)
    path = _path(turn.conversation, tail)
    is_own = turn.conversation.owner_id == user.pk
    size = turn.conversation.workspace_bytes if is_own else 0
    storage.check_upload(user.pk, size if size <= MAX_FORKED_BYTES else 0)  # else none are copied
    with transaction.atomic():
        made = _new(user, turn, trace, number)
        _Copier(user, turn, made).copy(path)
        # The list as it was then: what is told of an item later may be its id alone.
        made.todos = todos.left_by([message.body for message in path])
        made.save(update_fields=["todos"])
        actions.record(trace.pk, "fork", user.pk, round=number, conversation=str(made.public_id))
    note = _copy_workspace(turn.conversation, made) if is_own else ""
    workspace_sizes.count(made.public_id)
    return Fork(made, note)


def unasked(conversation: Conversation) -> Unasked | None:
    """The question of a fork from before it, as long as nothing was asked since."""
    if conversation.forked_from_id is None or conversation.forked_round is not None:
        return None
    if conversation.turns.filter(created__gte=conversation.created).exists():
        return None
    asked = Turn.objects.filter(trace=conversation.forked_from_id).select_related("question")
    turn = asked.first()
    if turn is None or turn.question is None:
        return None
    named = list(references([turn.question.body]))
    own = Attachment.objects.for_user(conversation.owner)
    kept = set(
        own.filter(public_id__in=[one.id for one in named]).values_list("public_id", flat=True)
    )
    attachments: list[dict[str, object]] = [
        {"id": str(one.id), "name": one.name, "size": one.size, "mediaType": one.media_type}
        for one in named
        if one.id in kept
    ]
    return Unasked(_typed(turn.question.body), attachments)


def _typed(body: Any) -> str:
    """What a person wrote: of a message with attachments its text parts."""
    return text_of(body.get("content"))


def _before(turn: Turn) -> int | None:
    """The message before the question. A question that waited has none until its turn begins."""
    return turn.question.parent_id if turn.question else None


def _end_of(turn: Turn, number: int) -> int:
    """The last message of a round. Raises Rejected if the round is not complete."""
    found = Message.objects.filter(
        turn=turn, span__parent__number=number, span__parent__kind=Span.Kind.ROUND
    ).order_by("id")
    said = [message for message in found if message.role == Message.Role.ASSISTANT]
    results = [message for message in found if message.role == Message.Role.TOOL]
    if not said:
        raise Rejected(NOT_WHOLE)
    if len(results) < len(said[-1].body.get("tool_calls") or ()):
        raise Rejected(NOT_WHOLE)
    return found[len(found) - 1].pk


def _path(conversation: Conversation, tail: int | None) -> list[Message]:
    """From the root to this message."""
    rows = {row.pk: row for row in conversation.messages.all()} if tail else {}
    path: list[Message] = []
    while tail is not None:
        path.append(rows[tail])
        tail = rows[tail].parent_id
    if not path:  # the first question: what the preset says stands before it
        first = conversation.messages.filter(parent=None, role=Message.Role.SYSTEM)
        path = list(first.order_by("id")[:1])
    return path[::-1]


def _new(user: User, turn: Turn, trace: Trace, number: int | None) -> Conversation:
    source = turn.conversation
    return Conversation.objects.create(
        owner=user,
        archive=Archive.objects.create(owner=user),
        title=_title(str(source)),
        model_id=turn.model_id or source.model_id,
        preset=_preset(user, source),
        tools=source.tools,
        skills=source.skills,
        activated=source.activated,
        limits=source.limits,
        forked_from=trace,
        forked_round=number,
    )


def _preset(user: User, source: Conversation) -> Preset | None:
    """The same one, unless it is a person's own whose conversation somebody else forks."""
    is_theirs = source.preset is not None and source.preset.owner_id not in (None, user.pk)
    return None if is_theirs else source.preset


def _title(title: str) -> str:
    stem = title.removesuffix(SUFFIX)
    return stem[: MAX_TITLE - len(SUFFIX)] + SUFFIX


class _Copier:
    """Copies a path of messages, with the turns that they are of, into a new conversation."""

    def __init__(self, user: User, last: Turn, made: Conversation) -> None:
        self._user = user
        self._last = last
        self._made = made
        self._turns: dict[int, Turn] = {}

    def copy(self, path: Sequence[Message]) -> None:
        known = {message.turn_id for message in path if message.turn_id}
        old = {turn.pk: turn for turn in Turn.objects.filter(pk__in=known)}
        tail: Message | None = None
        made: dict[int, Message] = {}
        for message in path:
            tail = self._copy_message(message, old.get(message.turn_id or 0), tail)
            made[message.pk] = tail
        if path:
            self._copy_compactions(path[-1], made)
        for turn in self._turns.values():
            turn.save()

    def _copy_compactions(self, last: Message, made: dict[int, Message]) -> None:
        """What the model was sent in place of these messages when the last of them was written."""
        rows = Compaction.objects.filter(upto__in=made, created__lt=last.created)
        for row in rows.order_by("id"):
            Compaction.objects.create(
                conversation=self._made, kind=row.kind, upto=made[row.upto_id], summary=row.summary
            )

    def _copy_message(self, message: Message, turn: Turn | None, tail: Message | None) -> Message:
        copied = self._copy_turn(turn) if turn else None
        made = Message.objects.create(
            conversation=self._made,
            parent=tail,
            turn=copied,
            role=message.role,
            body=message.body,
            created=message.created,
        )
        if message.role == Message.Role.USER:
            self._copy_attachments(message, made)
        if turn is not None and copied is not None:
            if message.pk == turn.question_id:
                copied.question = made
            if message.pk == turn.answer_id:
                copied.answer = made
            copied.rounds += message.role == Message.Role.ASSISTANT
        return made

    def _copy_turn(self, turn: Turn) -> Turn:
        """Ended, whatever it was: what is not there yet stays with the first conversation."""
        if turn.pk not in self._turns:
            whole = not turn.is_open and turn.pk != self._last.pk
            self._turns[turn.pk] = Turn.objects.create(
                conversation=self._made,
                user=self._user,
                client_key=f"fork-{uuid.uuid4()}",
                model_id=turn.model_id,
                status=turn.status if whole else Turn.Status.DONE,
                error=turn.error if whole else "",
                wakeups=1,
                seen=1,
                tokens_in=turn.tokens_in if whole else 0,
                tokens_out=turn.tokens_out if whole else 0,
                created=turn.created,
                started=turn.started,
                ended=turn.ended or timezone.now(),
            )
        return self._turns[turn.pk]

    def _copy_attachments(self, message: Message, made: Message) -> None:
        named = {one.id for one in references([message.body])}
        if not named:
            return
        body = dict(made.body)
        for sent in Attachment.objects.filter(public_id__in=named):
            copied = Attachment.objects.create(
                owner=self._user,
                message=made,
                name=sent.name,
                media_type=sent.media_type,
                size=sent.size,
                content=bytes(sent.content),
            )
            body["content"] = [
                _renamed(part, sent.public_id, copied.public_id) for part in body["content"]
            ]
        made.body = body
        made.save(update_fields=["body"])


def _renamed(part: Any, old: uuid.UUID, new: uuid.UUID) -> Any:
    """The part, a reference to the old attachment made one to the new."""
    before, after = f"{SCHEME}{old}", f"{SCHEME}{new}"
    image, file = part.get("image_url") or {}, part.get("file") or {}
    if image.get("url") == before:
        return {**part, "image_url": {**image, "url": after}}
    if file.get("file_id") == before:
        return {**part, "file": {**file, "file_id": after}}
    return part


def _copy_workspace(source: Conversation, made: Conversation) -> str:
    """Copies the files as they are now; a sentence if there are too many. Links are left out."""
    folder, to = workspaces.folder(source.public_id), workspaces.folder(made.public_id)
    if not folder.is_dir():
        return ""
    try:
        if not copy(folder, to, MAX_FORKED_FILES, MAX_FORKED_BYTES):
            return NOT_COPIED
    except (OSError, ToolError):
        logger.exception("the workspace %s was not copied", folder)
        return NOT_COPIED
    return ""
