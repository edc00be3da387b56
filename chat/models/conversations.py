"""Conversations: trees of messages."""

import uuid
from datetime import datetime
from typing import Any, Literal, TypedDict

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from chat import workspaces
from chat.models.agent import Preset
from chat.models.finding import Tag
from chat.models.group_shares import own_or_shared, shared
from chat.models.projects import Project
from chat.models.providers import LanguageModel
from db import prepared
from db.fields import JSONTextField, SentenceField
from db.groups import is_withheld
from db.prepared import Change, PreparedQuerySet
from db.users import AnyUser
from limits.chat import MAX_UNDO
from tracing.models import Archive, Span, Trace

# From a subagent's conversation to the one whose call began it.
PARENT_CONVERSATION = "parent_call__trace__turn__conversation"


class Deletion(TypedDict):
    """A deletion that a person may undo: that of a message with what followed it (`thread`), or of
    one that waited in line (`queue`). `turn` is its public id, `at` an ISO time, `messages` counts
    the messages of people, `shown` says whether they were on the shown branch."""

    turn: str
    kind: Literal["thread", "queue"]
    at: str
    messages: int
    shown: bool


def undo_until(deletion: Deletion) -> datetime:
    """Until when it can be undone."""
    return datetime.fromisoformat(deletion["at"]) + MAX_UNDO


class ConversationQuerySet(PreparedQuerySet["Conversation"]):
    def for_user(self, user: AnyUser) -> "ConversationQuerySet":
        """The conversations that this user may open and change: their own. Those of subagents are
        shown in the conversation whose call began them (`nested_for`)."""
        return self.filter(owner_id=user.pk).top_level()

    def readable_by(self, user: AnyUser) -> "ConversationQuerySet":
        """Those that this user may read: their own, and those shared with a group they are in."""
        return self.filter(own_or_shared(user)).top_level()

    def writable_by(self, user: AnyUser) -> "ConversationQuerySet":
        """Those in which this user may send messages: their own, and those shared for that."""
        return self.filter(own_or_shared(user, to_write=True)).top_level()

    def shared_with(self, user: AnyUser) -> "ConversationQuerySet":
        """Those of others that this user may read."""
        return self.filter(shared(user)).exclude(owner_id=user.pk).top_level()

    def listed_for(self, user: AnyUser) -> "ConversationQuerySet":
        """Those of `for_user` that lists and searches show: all but temporary ones, and those of
        programs."""
        return self.kept_for(user).filter(is_of_program=False)

    def of_programs_for(self, user: AnyUser) -> "ConversationQuerySet":
        """Those that programs began for this user over the API."""
        return self.kept_for(user).filter(is_of_program=True)

    def kept_for(self, user: AnyUser) -> "ConversationQuerySet":
        """Those of `for_user` that an export has: all but temporary ones."""
        return self.for_user(user).filter(is_temporary=False)

    def listed_or_shared_for(self, user: AnyUser) -> "ConversationQuerySet":
        """Those of `listed_for`, and those that others share with the user: what a search finds."""
        return self.readable_by(user).filter(is_temporary=False, is_of_program=False)

    def older_than(self, last: "Conversation | None") -> "ConversationQuerySet":
        """Those that follow `last` in the order of lists, the latest first; all without it."""
        if last is None:
            return self
        return self.filter(Q(updated__lt=last.updated) | Q(updated=last.updated, id__lt=last.pk))

    def nested_for(self, user: AnyUser) -> "ConversationQuerySet":
        """The conversations of the user's subagents."""
        return self.filter(owner_id=user.pk, parent_call__isnull=False)

    def nested_readable_by(self, user: AnyUser) -> "ConversationQuerySet":
        """The conversations of subagents in conversations that the user may read."""
        within = shared(user, PARENT_CONVERSATION)
        return self.filter(Q(owner_id=user.pk) | within, parent_call__isnull=False)

    def top_level(self) -> "ConversationQuerySet":
        """The conversations that people began: all but those of subagents."""
        return self.filter(parent_call=None)

    def with_preset(self) -> "ConversationQuerySet":
        """With the presets, and whether they are for groups that do not have the owner."""
        withheld = is_withheld(Preset, OuterRef("owner_id"), at="preset")
        return self.select_related("preset").annotate(has_withheld_preset=withheld)

    @prepared.first
    def to_send_in(self, user: int, conversation: uuid.UUID) -> "models.QuerySet[Conversation]":
        """The conversation with this public id, if this user may send messages in it."""
        own = self.filter(owner_id=user, public_id=conversation).top_level()
        return own.with_preset()

    @prepared.one
    def by_key(self, conversation: int) -> "models.QuerySet[Conversation]":
        return self.filter(pk=conversation)

    @prepared.update
    def touch(self, /, conversation: int, updated: datetime, **columns: Any) -> Change:
        """Moves a conversation to the top of the list, and sets these columns."""
        return Change(self.filter(pk=conversation), updated=updated, **columns)

    @prepared.update
    def lock(self, conversation: int) -> Change:
        """Locks a conversation until the end of the transaction: nobody sends in it, and no turn of
        it begins. 0: it was deleted."""
        return Change(self.filter(pk=conversation), updated=F("updated"))

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the archives, and with them conversations and evidence; then the workspaces."""
        workspaces.remove_after_commit(self.values_list("public_id", flat=True))
        return Archive.objects.filter(conversation__in=self).delete()


class Conversation(models.Model):
    """The durable thread that a user sees.

    Its title is the beginning of the first message, until the model gives it one (`named_by`:
    `"" → first_words → model`, by compare-and-set, so that there is one request at most) or a
    person does, which nothing replaces. A temporary one is in no list, and is erased when the
    person leaves it, at the latest some time after no socket follows it any more
    (`chat.commands.temporary`).
    """

    class NamedBy(models.TextChoices):
        NOBODY = "", "nobody yet"
        FIRST_WORDS = "first_words"
        MODEL = "model"
        PERSON = "person"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, related_name="conversation")
    # Of a subagent: the tool call whose result it computes.
    parent_call = models.ForeignKey(
        Span, on_delete=models.CASCADE, null=True, blank=True, related_name="subagents"
    )
    title = models.CharField(max_length=200, blank=True, default="")
    named_by = models.CharField(
        max_length=12, choices=NamedBy.choices, blank=True, default=NamedBy.NOBODY
    )
    is_temporary = models.BooleanField(default=False)
    # Of a temporary one: when a socket was last seen to follow it.
    watched = models.DateTimeField(null=True, blank=True)
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True, blank=True)
    preset = models.ForeignKey(
        Preset, on_delete=models.SET_NULL, null=True, blank=True, related_name="conversations"
    )
    # Its folder; always null for a subagent's and a temporary one.
    project = models.ForeignKey(
        Project, on_delete=models.SET_NULL, null=True, blank=True, related_name="conversations"
    )
    # The tools that it offers: `{"servers": [names], "off": [tool names], "on": [tool names]}`
    # (`chat.offering`); null for those of the preset.
    tools = JSONTextField(null=True, blank=True, default=None)
    # Patterns of the skills that it offers; null for those of the preset.
    skills = JSONTextField(null=True, blank=True, default=None)
    # Names of tools that `search_tools` found: sent in full from then on.
    activated = JSONTextField(default=list, blank=True)
    # Tools that a person allowed for this conversation and its subagents (always empty for a
    # subagent): `[{"tool": name, "hash": …}, …]`.
    granted = JSONTextField(default=list, blank=True)
    # The trace that it was forked from, and the round; without a round, before the question.
    forked_from = models.ForeignKey(
        Trace, on_delete=models.SET_NULL, null=True, blank=True, related_name="forks"
    )
    forked_round = models.PositiveIntegerField(null=True, blank=True)
    # Whether it has, or had, several branches: most have none, and read less.
    is_branched = models.BooleanField(default=False, editable=False)
    # Whether a message of it has, or had, a text as an attachment.
    has_files = models.BooleanField(default=False, editable=False)
    # The model's task list: `[{"id", "text", "status"}, …]`.
    todos = JSONTextField(default=list, blank=True)
    # What people deleted and may restore, the latest last (`chat.commands.deletion`).
    deletions = JSONTextField(default=list, blank=True)
    # Limits that differ from those of preset and deployment, by name (`chat.agent.limits`).
    limits = JSONTextField(default=dict, blank=True)
    # What its requests say after the system prompt.
    instructions = SentenceField(blank=True, default="")
    # Parameters of the model that a person has set for it (`chat.agent.own_settings`).
    parameters = JSONTextField(default=dict, blank=True)
    # Whether a program began it over the API: then no list shows it, unless it is asked for.
    is_of_program = models.BooleanField(default=False, editable=False)
    # What a program asked for with its last message (`chat.programs`); null for a person's.
    program = JSONTextField(null=True, blank=True, default=None)
    # Whether a group may write in it: then requests have nothing that is personal to anybody
    # (`chat.commands.group_sharing`).
    is_shared_to_write = models.BooleanField(default=False, editable=False)
    # Bytes of its workspace at the last count (`chat.files.workspace_sizes`).
    workspace_bytes = models.PositiveBigIntegerField(default=0, editable=False)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)
    # When its owner pinned it to the top of the list, and moved it out of the list.
    pinned = models.DateTimeField(null=True, blank=True)
    archived = models.DateTimeField(null=True, blank=True)
    tags = models.ManyToManyField(Tag, blank=True, related_name="conversations")

    objects = ConversationQuerySet.as_manager()

    class Meta:
        indexes = (
            # The sidebar: a user's conversations, newest first.
            models.Index(fields=["owner", "-updated"], name="conversation_newest"),
            # A user's pinned conversations.
            models.Index(
                fields=["owner", "-pinned"],
                condition=Q(pinned__isnull=False),
                name="conversation_pinned",
            ),
            # The conversations of a project, newest first.
            models.Index(
                fields=["project", "-updated"],
                condition=Q(project__isnull=False),
                name="conversation_of_project",
            ),
            # The temporary ones that nobody follows.
            models.Index(
                fields=["watched"], condition=Q(is_temporary=True), name="conversation_temporary"
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(named_by__in=["", "first_words", "model", "person"]),
                name="conversation_named_by_known",
            ),
        )

    def __str__(self) -> str:
        return self.title or "New conversation"

    def get_absolute_url(self) -> str:
        return reverse("chat:conversation", args=[self.public_id])

    def delete(
        self, using: str | None = None, keep_parents: bool = False
    ) -> tuple[int, dict[str, int]]:
        """Deletes the archive, and with it this row and all evidence; then the workspace."""
        workspaces.remove_after_commit([self.public_id])
        return self.archive.delete(using=using, keep_parents=keep_parents)

    @property
    def undoable(self) -> "list[Deletion]":
        """The deletions that can still be undone, the latest last."""
        now = timezone.now()
        return [one for one in self.deletions if undo_until(one) > now]

    @property
    def is_listed(self) -> bool:
        """Whether the list shows it: it is not temporary, archived, a program's or a subagent's."""
        is_left_out = self.is_temporary or self.is_of_program
        return self.archived is None and self.parent_call_id is None and not is_left_out

    @property
    def workspace(self) -> uuid.UUID:
        """The public id that names its workspace: that of the topmost conversation."""
        top = self
        while top.parent_call is not None:
            top = top.parent_call.trace.turn.conversation
        return top.public_id

    @property
    def place_in_parent(self) -> str:
        """The address of a subagent's call, in the conversation that began it."""
        assert self.parent_call is not None, "only a subagent's conversation has a parent"
        parent = self.parent_call.trace.turn.conversation
        turn = self.parent_call.trace.turn.public_id
        return f"{parent.get_absolute_url()}?at={turn}#call-{self.parent_call.public_id}"

    @property
    def top(self) -> "Conversation":
        """The topmost conversation, which a person began; itself, unless it is a subagent's."""
        if self.parent_call_id is None:
            return self
        return Conversation.objects.get(turns__trace__spans=self.parent_call_id).top

    def preset_is_withheld(self) -> bool:
        """Whether its assistant was given to groups that do not have the owner, who may not change
        it either. No query for a row of `with_preset` whose assistant is for everybody."""
        if self.preset_id is None or not getattr(self, "has_withheld_preset", True):
            return False
        return Preset.objects.withheld_from(self.owner).filter(pk=self.preset_id).exists()

    def preset_with(self, model: LanguageModel) -> Preset | None:
        """The chosen preset, else the model's."""
        return self.preset if self.preset_id else model.preset
