"""The messages of conversations, their attachments, and what is sent in place of older ones."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from chat.models.conversations import PARENT_CONVERSATION, Conversation
from chat.models.group_shares import own_or_shared, shared
from db import prepared
from db.fields import JSONTextField, LabelField, SentenceField
from db.prepared import PreparedQuerySet
from db.users import AnyUser
from tracing.models import Span
from tracing.permissions import may_view_traces


class MessageQuerySet(PreparedQuerySet["Message"]):
    def readable_by(self, user: AnyUser) -> "MessageQuerySet":
        """The messages of conversations that this user may read, and of the subagents in them."""
        within = shared(user, f"conversation__{PARENT_CONVERSATION}")
        return self.filter(own_or_shared(user, "conversation") | within)

    @prepared.rows
    def answered_calls(self, turn: int) -> "models.QuerySet[Message, int | None]":
        """The keys of the calls of a turn that have a tool message."""
        results = self.filter(turn=turn, role=Message.Role.TOOL)
        return results.values_list("span_id", flat=True)

    @prepared.rows
    def bodies_of(self, conversation: int) -> "models.QuerySet[Message, Any]":
        """Primary key, parent, turn and body of every message."""
        messages = self.filter(conversation_id=conversation)
        return messages.values_list("pk", "parent_id", "turn_id", "body")

    @prepared.rows
    def bodies_of_branch(self, conversation: int, turn: int) -> "models.QuerySet[Message, Any]":
        """The same of the messages of the shown branch, of this turn, and before the first one."""
        of_branch = Q(turn=None) | Q(turn__is_shown=True) | Q(turn=turn)
        messages = self.filter(of_branch, conversation_id=conversation)
        return messages.values_list("pk", "parent_id", "turn_id", "body")

    @prepared.first
    def last_of_turn(self, turn: int) -> "models.QuerySet[Message]":
        return self.filter(turn=turn).order_by("-id")[:1]

    def shown_in(self, conversation: int) -> "models.QuerySet[Message]":
        """The messages of the chosen branch, the last one first. Those of a turn are in the order
        of their keys; a question that waited is older than the answer that it follows."""
        of_branch = Q(turn=None) | Q(turn__is_shown=True)
        messages = self.filter(of_branch, conversation=conversation)
        return messages.order_by(F("turn").desc(nulls_last=True), "-id")


class Message(models.Model):
    """One persisted entry of a conversation, in canonical form.

    `body` is the canonical message itself (role, content, tool_calls, …). `parent` is null at the
    root of the tree, and on the user message of a turn that still waits for the one before it.
    `turn` says to which branch a message belongs; it is null before the first turn. A system prompt
    that was chosen later belongs to the turn after which it was chosen, or of whose branch it is
    the beginning.
    """

    class Role(models.TextChoices):
        SYSTEM = "system"
        USER = "user"
        ASSISTANT = "assistant"
        TOOL = "tool"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="messages"
    )
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    turn = models.ForeignKey(
        "Turn", on_delete=models.CASCADE, null=True, blank=True, related_name="messages"
    )
    span = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="messages"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    body = JSONTextField()
    created = models.DateTimeField(default=timezone.now)

    objects = MessageQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(role__in=["system", "user", "assistant", "tool"]),
                name="message_role_known",
            ),
        )
        indexes = (
            # The thread of a conversation; the history for the next request.
            models.Index(fields=["conversation", "id"], name="message_of_conversation"),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.public_id}"


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    def for_user(self, user: AnyUser) -> "AttachmentQuerySet":
        """The user's own attachments, which they may send and remove."""
        return self.filter(owner_id=user.pk)

    def readable_by(self, user: AnyUser) -> "AttachmentQuerySet":
        """The attachments that this user may see: their own, those of conversations that they may
        read, and all sent ones with the right to view traces."""
        own = Q(owner_id=user.pk) | own_or_shared(user, "message__conversation")
        return self.filter(own | Q(message__isnull=False) if may_view_traces(user) else own)

    def sendable_by(self, user: AnyUser, conversation: uuid.UUID | None) -> "AttachmentQuerySet":
        """Those that this user may send in a conversation: their own, and what its messages have
        if they may write in it."""
        own = Q(owner_id=user.pk)
        if conversation is None:
            return self.filter(own)
        writable = Conversation.objects.writable_by(user).filter(public_id=conversation)
        return self.filter(own | Q(message__conversation__in=writable))

    def unsent(self) -> "AttachmentQuerySet":
        """Uploads that belong to no message yet."""
        return self.filter(message=None)


class Attachment(models.Model):
    """An image or a text file of a user message.

    Uploaded first, without a message; sending the message ties it. The message's body refers to it
    as `attachment:<public id>`; the bytes are put in its place when a request is made.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attachments"
    )
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, null=True, blank=True, related_name="attachments"
    )
    name = LabelField(max_length=200)
    media_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField(help_text="Bytes.")
    content = models.BinaryField()
    created = models.DateTimeField(default=timezone.now)

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        indexes = (
            # The sweep of uploads that were not sent.
            models.Index(fields=["created"], condition=Q(message=None), name="attachment_unsent"),
        )

    def __str__(self) -> str:
        return str(self.name)


class CompactionQuerySet(PreparedQuerySet["Compaction"]):
    @prepared.rows
    def of_conversation(self, conversation: int) -> "models.QuerySet[Compaction, Any]":
        """Kind, last message and summary of each, oldest first."""
        rows = self.filter(conversation=conversation).order_by("id")
        return rows.values_list("kind", "upto_id", "summary")


class Compaction(models.Model):
    """A text that is sent in place of older messages, which stay unchanged.

    `micro`: results of tools up to the message `upto` are sent as placeholders. `summary`: all
    messages up to `upto`, but for the system prompt, are sent as `summary`. The latest of each
    kind counts.
    """

    class Kind(models.TextChoices):
        MICRO = "micro"
        SUMMARY = "summary"

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="compactions"
    )
    span = models.ForeignKey(Span, on_delete=models.SET_NULL, null=True, related_name="compactions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    upto = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="+")
    summary = SentenceField(blank=True, default="")
    created = models.DateTimeField(default=timezone.now)

    objects = CompactionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["micro", "summary"]), name="compaction_kind_known"
            ),
        )
        indexes = (
            # The latest one of a conversation, by kind.
            models.Index(fields=["conversation", "kind", "-id"], name="compaction_latest"),
        )

    def __str__(self) -> str:
        return f"{self.kind} up to {self.upto_id}"
