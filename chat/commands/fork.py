"""Forking: a new conversation whose history is an earlier one's up to a round: the branch of that
round's turn, shown or not, and no other.

    before the turn's question ◄─ no round ─┤ question │ round 1 │ round 2 │ … ├─ a round: up to it,
                                                                               its results included

Messages, ended turns and attachments are copied; spans are not: the fork names the trace that it
comes from. A fork from before the question has the question in the composer.
"""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import storage
from chat.agent import todos
from chat.attachments.references import SCHEME, references
from chat.errors import Rejected
from chat.files import workspace_sizes
from chat.files.copying import copy
from chat.llm.messages import text_of
from chat.models import Attachment, Compaction, Conversation, Message, Preset, Turn
from chat.placement import copies
from db.fields import dump_json
from languages.later import later
from limits.chat import MAX_FORKED_BYTES, MAX_FORKED_FILES, MAX_TITLE
from tools.errors import ToolError
from tracing.journal import actions
from tracing.models import Archive, Span, Trace

logger = logging.getLogger(__name__)

NO_CONVERSATION = later("Only turns of a conversation can be forked.")
OF_A_SUBAGENT = later("A subagent's turn cannot be forked. Fork the turn that started it.")
NO_QUESTION = later("This turn has no question. Fork the turn before it.")
NOT_WHOLE = later(
    "This round is not complete yet. Fork it when its answer and all results are there, or fork "
    "before the question."
)
SUFFIX = " (fork)"
NOT_COPIED = later("The workspace's files were not copied: too many or too large.")


@dataclass(frozen=True)
class Fork:
    """The new conversation; `note` is a sentence on what was not copied."""

    conversation: Conversation
    note: str = ""


@dataclass(frozen=True)
class UnaskedQuestion:
    """The question of a fork from before it, as a draft for the composer."""

    text: str
    attachments: list[dict[str, object]]

    @property
    def attachments_json(self) -> str:
        return dump_json(self.attachments)


def fork(user: User, trace: Trace, number: int | None) -> Fork:
    """A new conversation of this user, up to round `number` of the turn; None: before its question.

    Raises `Rejected`. The caller has checked that the user may see the trace.
    """
    related = ("conversation", "question", "preset")
    turn = Turn.objects.filter(trace=trace).select_related(*related).first()
    if turn is None:
        raise Rejected(NO_CONVERSATION)
    if turn.question is None:
        raise Rejected(NO_QUESTION)
    if turn.conversation.parent_call_id is not None:
        raise Rejected(OF_A_SUBAGENT)
    tail = _message_before(turn) if number is None else _last_of_round(turn, number)
    path = _path(turn.conversation, tail)
    is_own = turn.conversation.owner_id == user.pk
    size = turn.conversation.workspace_bytes if is_own else 0
    storage.check_upload(user.pk, size if size <= MAX_FORKED_BYTES else 0)  # else none are copied
    with transaction.atomic():
        target = _new(user, turn, trace, number)
        _Copier(user, turn, target).copy(path)
        # The task list of that round: later calls may name an item by its id alone.
        target.todos = todos.list_after([message.body for message in path])
        target.save(update_fields=["todos"])
        actions.record(trace.pk, "fork", user.pk, round=number, conversation=str(target.public_id))
    note = _copy_workspace(turn.conversation, target) if is_own else ""
    workspace_sizes.count(target.public_id)
    return Fork(target, note)


def unasked(conversation: Conversation) -> UnaskedQuestion | None:
    """The question of a fork from before it, until the fork has a turn."""
    if conversation.forked_from_id is None or conversation.forked_round is not None:
        return None
    if conversation.turns.filter(created__gte=conversation.created).exists():
        return None
    turns = Turn.objects.filter(trace=conversation.forked_from_id).select_related("question")
    turn = turns.first()
    if turn is None or turn.question is None:
        return None
    referenced = list(references([turn.question.body]))
    own = Attachment.objects.for_user(conversation.owner)
    existing = own.filter(public_id__in=[one.id for one in referenced])
    existing_ids = set(existing.values_list("public_id", flat=True))
    attachments: list[dict[str, object]] = [
        {"id": str(one.id), "name": one.name, "size": one.size, "mediaType": one.media_type}
        for one in referenced
        if one.id in existing_ids
    ]
    return UnaskedQuestion(_text(turn.question.body), attachments)


def _text(body: Any) -> str:
    """The text of a message, without its attachments."""
    return text_of(body.get("content"))


def _message_before(turn: Turn) -> int | None:
    """The message before the question. A question that waits has none until its turn begins."""
    return turn.question.parent_id if turn.question else None


def _last_of_round(turn: Turn, number: int) -> int:
    """The last message of a round. Raises Rejected if the round is not complete."""
    messages = Message.objects.filter(
        turn=turn, span__parent__number=number, span__parent__kind=Span.Kind.ROUND
    ).order_by("id")
    answers = [message for message in messages if message.role == Message.Role.ASSISTANT]
    results = [message for message in messages if message.role == Message.Role.TOOL]
    if not answers:
        raise Rejected(NOT_WHOLE)
    if len(results) < len(answers[-1].body.get("tool_calls") or ()):
        raise Rejected(NOT_WHOLE)
    return messages[len(messages) - 1].pk


def _path(conversation: Conversation, tail: int | None) -> list[Message]:
    """The messages from the root to this one; only the system prompt without one."""
    rows = {row.pk: row for row in conversation.messages.all()} if tail else {}
    path: list[Message] = []
    while tail is not None:
        path.append(rows[tail])
        tail = rows[tail].parent_id
    if not path:  # before the first question
        first = conversation.messages.filter(parent=None, role=Message.Role.SYSTEM)
        path = list(first.order_by("id")[:1])
    return path[::-1]


def _new(user: User, turn: Turn, trace: Trace, number: int | None) -> Conversation:
    source = turn.conversation
    return Conversation.objects.create(
        owner=user,
        archive=Archive.objects.create(owner=user),
        title=_title(str(source)),
        named_by=Conversation.NamedBy.PERSON,
        model_id=turn.model_id or source.model_id,
        preset=_usable_preset(user, _preset_of(turn)),
        tools=source.tools,
        skills=source.skills,
        activated=source.activated,
        limits=source.limits,
        instructions=source.instructions if source.owner_id == user.pk else "",
        parameters=source.parameters,
        project_id=source.project_id if source.owner_id == user.pk else None,
        forked_from=trace,
        forked_round=number,
    )


def _preset_of(turn: Turn) -> Preset | None:
    """The assistant of the turn's branch: the conversation's, unless another branch is shown."""
    is_current = turn.is_shown and not turn.is_compared
    return turn.conversation.preset if is_current else turn.preset


def _usable_preset(user: User, preset: Preset | None) -> Preset | None:
    """The preset that the fork goes on with: one that the user may have."""
    is_withheld = (
        preset is not None and Preset.objects.withheld_from(user).filter(pk=preset.pk).exists()
    )
    return None if is_withheld else _preset(user, preset)


def _preset(user: User, preset: Preset | None) -> Preset | None:
    """The preset of what is forked, unless it belongs to another person."""
    is_foreign = preset is not None and preset.owner_id not in (None, user.pk)
    return None if is_foreign else preset


def _title(title: str) -> str:
    stem = title.removesuffix(SUFFIX)
    return stem[: MAX_TITLE - len(SUFFIX)] + SUFFIX


class _Copier:
    """Copies a path of messages with their turns into a new conversation."""

    def __init__(self, user: User, last: Turn, target: Conversation) -> None:
        self._user = user
        self._last = last
        self._target = target
        self._turns: dict[int, Turn] = {}
        self._latest: Turn | None = None

    def copy(self, path: Sequence[Message]) -> None:
        # A system prompt alone is no turn: it belongs to the one after which, or before which, it
        # was chosen.
        said = [message for message in path if message.role != Message.Role.SYSTEM]
        turn_ids = {message.turn_id for message in said if message.turn_id}
        rows = Turn.objects.filter(pk__in=turn_ids).select_related("preset")
        turns = {turn.pk: turn for turn in rows}
        tail: Message | None = None
        copies: dict[int, Message] = {}
        for message in path:
            turn = turns.get(message.turn_id or 0)
            tail = self._copy_message(message, turn, tail)
            copies[message.pk] = tail
        if path:
            self._copy_compactions(path[-1], copies)
        for turn in self._turns.values():
            turn.save()

    def _copy_compactions(self, last: Message, copies: dict[int, Message]) -> None:
        """Copies the compactions of these messages that were made before the last of them."""
        rows = Compaction.objects.filter(upto__in=copies, created__lt=last.created)
        for row in rows.order_by("id"):
            Compaction.objects.create(
                conversation=self._target,
                kind=row.kind,
                upto=copies[row.upto_id],
                summary=row.summary,
            )

    def _copy_message(self, message: Message, turn: Turn | None, tail: Message | None) -> Message:
        turn_copy = self._copy_turn(turn) if turn else None
        if message.role == Message.Role.SYSTEM and turn_copy is None:
            turn_copy = self._latest
        copied = Message.objects.create(
            conversation=self._target,
            parent=tail,
            turn=turn_copy,
            role=message.role,
            body=message.body,
            created=message.created,
        )
        if message.role == Message.Role.USER:
            self._copy_attachments(message, copied)
        if turn is not None and turn_copy is not None:
            if message.pk == turn.question_id:
                turn_copy.question = copied
            if message.pk == turn.answer_id:
                turn_copy.answer = copied
            turn_copy.rounds += message.role == Message.Role.ASSISTANT
        return copied

    def _copy_turn(self, turn: Turn) -> Turn:
        """A copy that has ended. The forked turn, and an open one, are copied in part: the copy
        counts as done, without tokens."""
        if turn.pk not in self._turns:
            is_whole = not turn.is_open and turn.pk != self._last.pk
            self._turns[turn.pk] = self._latest = Turn.objects.create(
                conversation=self._target,
                parent=self._latest,
                preset=_preset(self._user, turn.preset),
                continues=turn.continues,
                user=self._user,
                client_key=f"fork-{uuid.uuid4()}",
                model_id=turn.model_id,
                status=turn.status if is_whole else Turn.Status.DONE,
                error=turn.error if is_whole else "",
                wakeups=1,
                seen=1,
                tokens_in=turn.tokens_in if is_whole else 0,
                tokens_out=turn.tokens_out if is_whole else 0,
                created=turn.created,
                started=turn.started,
                ended=turn.ended or timezone.now(),
            )
        return self._turns[turn.pk]

    def _copy_attachments(self, message: Message, target: Message) -> None:
        ids = {one.id for one in references([message.body])}
        if not ids:
            return
        body = dict(target.body)
        for original in Attachment.objects.filter(public_id__in=ids):
            copied = Attachment.objects.create(
                owner=self._user,
                message=target,
                name=original.name,
                media_type=original.media_type,
                size=original.size,
                content=bytes(original.content),
            )
            body["content"] = [
                _with_reference(part, original.public_id, copied.public_id)
                for part in body["content"]
            ]
        target.body = body
        target.save(update_fields=["body"])


def _with_reference(part: Any, old: uuid.UUID, new: uuid.UUID) -> Any:
    """The content part, with a reference to the new attachment in place of the old."""
    before, after = f"{SCHEME}{old}", f"{SCHEME}{new}"
    image, file = part.get("image_url") or {}, part.get("file") or {}
    if image.get("url") == before:
        return {**part, "image_url": {**image, "url": after}}
    if file.get("file_id") == before:
        return {**part, "file": {**file, "file_id": after}}
    return part


def _copy_workspace(source: Conversation, target: Conversation) -> str:
    """Copies the current files, without links. Returns a sentence if they were not copied."""
    try:
        folder = copies.files(source.public_id)
        if not folder.is_dir():
            return ""
        with copies.changing(target.public_id) as to:
            if not copy(folder, to, MAX_FORKED_FILES, MAX_FORKED_BYTES):
                return NOT_COPIED
    except (OSError, ToolError):
        logger.exception("the workspace %s was not copied", source.public_id)
        return NOT_COPIED
    return ""
