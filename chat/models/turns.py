"""Turns, from a user message to the answer."""

import uuid
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from chat.models.agent import Preset
from chat.models.conversations import PARENT_CONVERSATION, Conversation
from chat.models.group_shares import own_or_shared, shared
from chat.models.messages import Compaction, Message
from chat.models.providers import LanguageModel
from db import prepared
from db.literals import Literal, Number, literals
from db.prepared import Change, PreparedQuerySet
from db.users import AnyUser
from limits.chat import MAX_LAST_TURNS
from limits.web import MAX_LOG_S
from tracing.models import Span, Trace

# The expression of `Turn.counted_user_id`.
COUNTED_USER = Coalesce("author_id", "user_id")


class Leaf(NamedTuple):
    """The last turn of a conversation's chosen branch, without keys if there is none yet.
    `has_open`: a turn of the conversation is open, on whichever branch. `is_compared`: it is one of
    several answers of which none is chosen yet."""

    pk: int | None = None
    public_id: uuid.UUID | None = None
    is_compared: bool = False
    has_open: bool = False


class TurnQuerySet(PreparedQuerySet["Turn"]):
    def for_user(self, user: AnyUser) -> "TurnQuerySet":
        """The turns that this user may see: those of their own conversations that are not
        deleted."""
        return self.filter(conversation__owner_id=user.pk, deleted=None)

    def readable_by(self, user: AnyUser) -> "TurnQuerySet":
        """The turns of conversations that this user may read, and of the subagents in them."""
        within = shared(user, f"conversation__{PARENT_CONVERSATION}")
        return self.filter(own_or_shared(user, "conversation") | within, deleted=None)

    def writable_by(self, user: AnyUser) -> "TurnQuerySet":
        """The turns of conversations in which this user may send messages."""
        return self.filter(own_or_shared(user, "conversation", to_write=True), deleted=None)

    def changeable_by(self, user: AnyUser) -> "TurnQuerySet":
        """The turns that this user may stop, and change while they wait: all of their own
        conversations; in those of others the ones that they wrote, while they may write there."""
        return self.filter(of_owner_or_author(user), deleted=None)

    def in_line(self) -> "TurnQuerySet":
        """The turns that wait for earlier ones of their conversations, and were not rung yet. Found
        by the index `turn_in_line`."""
        return self.filter(status=Literal(Turn.Status.QUEUED), wakeups=Number(0))

    def begun(self) -> "TurnQuerySet":
        """Open, and not in line."""
        return self.open().filter(wakeups__gt=0)

    def compared_with(self, turn: "Turn") -> "TurnQuerySet":
        """The turns of its comparison, itself among them, by their lanes; of several tries in a
        lane the latest one. Found by the index `turn_comparison`."""
        is_tried_again = Q(retried_by__isnull=False, retried_by__deleted=None)
        of_it = self.filter(comparison=turn.comparison, deleted=None).exclude(is_tried_again)
        return of_it.filter(conversation=turn.conversation_id).order_by("lane")

    def shown_in(self, conversation: int) -> "TurnQuerySet":
        """The turns that a conversation's page shows: its chosen branch, without those that wait
        for an answer on it. With the rows that it needs of each. Found by the index `turn_shown`.
        """
        shown = self.filter(conversation=conversation, is_shown=True)
        waiting = Q(status=Turn.Status.QUEUED, wakeups=0, parent__status__in=Turn.OPEN)
        return shown.exclude(waiting).with_shown_rows()

    def with_shown_rows(self) -> "TurnQuerySet":
        """`has_bare_spans`: whether its trace has model calls or tool calls without a message."""
        related = ("question__parent", "model", "trace", "conversation", "retry_of", "feedback")
        shown = (Span.Kind.GENERATION, Span.Kind.TOOL, Span.Kind.COMPACTION)
        bare = Span.objects.filter(trace=OuterRef("trace"), kind__in=shown, messages=None)
        rows = self.select_related(*related).defer("question__parent__body").with_names()
        return rows.annotate(has_bare_spans=Exists(bare.order_by()))

    def with_names(self) -> "TurnQuerySet":
        """`author_name`, `owner_name`: of who wrote it, null for the owner, and of the owner."""
        owner = F("conversation__owner__username")
        return self.annotate(author_name=F("author__username"), owner_name=owner)

    def latest_ids_in(self, conversations: "models.QuerySet[Conversation]") -> list[uuid.UUID]:
        """The public ids of the turns of these conversations of which Redis may have a running
        text."""
        since = timezone.now() - timedelta(seconds=MAX_LOG_S)
        turns = self.filter(Q(ended=None) | Q(ended__gt=since), conversation__in=conversations)
        return list(turns.values_list("public_id", flat=True))

    @prepared.rows
    def last_shown_in(self, conversation: int) -> "models.QuerySet[Turn]":
        """One more than a page shows at first, the latest first; each with whether turns of the
        conversation are in line."""
        line = self.in_line().filter(conversation=OuterRef("conversation")).order_by()
        shown = self.shown_in(conversation).annotate(has_line=Exists(line))
        return shown.order_by("-id")[: MAX_LAST_TURNS + 1]

    def open(self) -> "TurnQuerySet":
        """Found by the index `turn_open`."""
        return self.filter(status__in=literals(Turn.OPEN))

    def runnable(self, now: datetime) -> "TurnQuerySet":
        """Open, and rung or left behind by an owner.

        A turn that waits for an earlier one of its conversation was not rung. `now` is a clock
        that agrees with those of the owners to within the lease.
        """
        rung = Q(owner="", wakeups__gt=F("seen"))
        return self.open().filter(rung | Q(lease_expires__lt=now))

    @prepared.update
    def take(self, turn: int, owner: str, now: datetime, until: datetime) -> Change:
        """Makes this process the owner of a runnable turn, until its lease expires."""
        epoch = F("epoch") + 1
        return Change(
            self.runnable(now).filter(pk=turn), owner=owner, epoch=epoch, lease_expires=until
        )

    @prepared.one
    def epoch_of(self, turn: int) -> "models.QuerySet[Turn, int]":
        return self.filter(pk=turn).values_list("epoch", flat=True)

    @prepared.first
    def owner_of(self, turn: int) -> "models.QuerySet[Turn, str]":
        """The process that owns the turn, "" without one."""
        return self.filter(pk=turn).values_list("owner", flat=True)

    @prepared.update
    def change_owned(
        self, /, claimed_turn: int, claimed_by: str, claimed_epoch: int, **columns: Any
    ) -> Change:
        """Sets columns of an open turn, if this owner still has it."""
        owned = self.open().filter(pk=claimed_turn, owner=claimed_by, epoch=claimed_epoch)
        return Change(owned, **columns)

    @prepared.update
    def release(
        self,
        released_turn: int,
        claimed_by: str,
        claimed_epoch: int,
        read_wakeups: int,
        status: str,
    ) -> Change:
        """Lets go of a turn that this owner still has, if it was not rung since `read_wakeups`."""
        owned = self.open().filter(pk=released_turn, owner=claimed_by, epoch=claimed_epoch)
        unchanged = owned.filter(wakeups=read_wakeups)
        return Change(unchanged, owner="", lease_expires=None, seen=read_wakeups, status=status)

    @prepared.update
    def end(
        self, turn: int, status: str, error: str, ceiling: str, answer: int | None, ended: datetime
    ) -> Change:
        """Ends a turn: all wakeups count as seen, and it has no owner."""
        columns = {"status": status, "error": error, "ceiling": ceiling, "answer": answer}
        let_go = {"owner": "", "lease_expires": None, "seen": F("wakeups")}
        return Change(self.filter(pk=turn), ended=ended, **columns, **let_go)

    @prepared.update
    def ask(self, turn: int, question: int) -> Change:
        """Sets the message that the turn answers."""
        return Change(self.filter(pk=turn), question=question)

    @prepared.one
    def for_journal(self, turn: int) -> "models.QuerySet[Turn]":
        """With all rows that a step of it needs; `is_compacted` says whether any messages of the
        conversation are summarised or shortened: most conversations are short; `has_notes` whether
        notes wait to be put into the turn."""
        notes = self.in_line().filter(steers=OuterRef("pk")).order_by()
        compactions = Compaction.objects.filter(conversation=OuterRef("conversation")).order_by()
        return (
            self.select_related(
                *("user__personal", "conversation__archive", "question", "trace", "retry_of"),
                *("model__provider", "model__preset", "conversation__preset"),
            )
            .defer(*_unread_by_steps())
            .annotate(is_compacted=Exists(compactions), has_notes=Exists(notes))
            .annotate(author_name=F("author__username"))
            .filter(pk=turn)
        )

    def leaf(self, conversation: int) -> "Leaf":
        """The last turn of the chosen branch."""
        row = self._leaf(conversation)
        if row is None:  # none yet, or all are deleted
            return Leaf(has_open=self.first_open_of(conversation) is not None)
        return Leaf(*row)

    @prepared.first
    def _leaf(self, conversation: int) -> "models.QuerySet[Turn, Any]":
        """Found by the index `turn_shown`."""
        open_turns = self.open().filter(conversation=OuterRef("conversation"))
        shown = self.filter(conversation=conversation, is_shown=True).order_by("-pk")
        with_open = shown.annotate(has_open=Exists(open_turns))
        return with_open.values_list("pk", "public_id", "is_compared", "has_open")[:1]

    @prepared.first
    def first_open_of(self, conversation: int) -> "models.QuerySet[Turn, int]":
        """Its primary key."""
        turns = self.open().filter(conversation=conversation).order_by("pk")
        return turns.values_list("pk", flat=True)[:1]

    @prepared.first
    def next_of(self, conversation: int) -> "models.QuerySet[Turn, Any]":
        """Primary key, wakeups and author of an open turn: one that has begun, else the first in
        line."""
        turns = self.open().filter(conversation=conversation).order_by("-wakeups", "pk")
        return turns.values_list("pk", "wakeups", "author_id")[:1]

    @prepared.first
    def of_call(self, call: int) -> "models.QuerySet[Turn]":
        """The turn that this span belongs to."""
        return self.filter(trace__in=Span.objects.filter(pk=call).values("trace"))

    @prepared.update
    def wake(self, turn: int) -> Change:
        """Counts a fact from outside the owner, if the turn is open."""
        return Change(self.open().filter(pk=turn), wakeups=F("wakeups") + 1)

    @prepared.update
    def claim_call(
        self, call: int, owner: str, now: datetime, until: datetime, started: datetime
    ) -> Change:
        """Makes this process the owner of an approved call that has none, or whose lease expired,
        if its turn is open and not to stop."""
        approved = Span.objects.filter(pk=call, kind=Span.Kind.TOOL, status=Span.Status.APPROVED)
        free = approved.filter(Q(owner="") | Q(lease_expires__lt=now))
        going_on = free.filter(trace__in=self.open().filter(stop_requested=None).values("trace"))
        token = F("token") + 1
        return Change(going_on, owner=owner, token=token, lease_expires=until, started=started)

    @prepared.one
    def for_call(self, trace: int) -> "models.QuerySet[Turn]":
        """The turn of a call's trace, with what the call is given to run with."""
        related = ("conversation__archive", "conversation__preset", "model__preset")
        with_user = self.select_related(*related, "user__personal")
        return with_user.filter(trace=trace)

    @prepared.rows
    def usage_of_subagents(self, trace: int | None) -> "models.QuerySet[Turn, Any]":
        """Trace, rounds and tokens of the turns that the calls of a trace began."""
        nested = self.filter(conversation__parent_call__trace=trace)
        return nested.values_list("trace", "rounds", "tokens_in", "tokens_out")

    @prepared.rows
    def latest_generations(self, conversation: int, model: str) -> "models.QuerySet[Turn, Any]":
        """The attributes of the last generations of a conversation by one model."""
        generations = self.filter(
            conversation=conversation,
            trace__spans__kind=Span.Kind.GENERATION,
            trace__spans__status__in=[Span.Status.SUCCEEDED, Span.Status.FAILED],
            trace__spans__name=model,
        )
        newest = generations.order_by("-trace", "-trace__spans__id")
        return newest.values_list("trace__spans__attributes", flat=True)[:8]


def of_owner_or_author(user: AnyUser, path: str = "") -> Q:
    """The condition that the turn at this path ("": the row itself) is in a conversation of the
    user's, or was written by the user in one in which they may write; or by a subagent for it."""
    prefix = f"{path}__" if path else ""
    direct = shared(user, f"{prefix}conversation", to_write=True)
    nested = shared(user, f"{prefix}conversation__{PARENT_CONVERSATION}", to_write=True)
    own = Q(**{f"{prefix}conversation__owner_id": user.pk})
    return own | Q(**{f"{prefix}author_id": user.pk or 0}) & (direct | nested)


def _unread_by_steps() -> list[str]:
    """Columns of joined rows that no step of a turn needs: of the question and of the turn that was
    retried all but their public ids, of the user what says who they are."""
    questions = ["body", "created", "role"]
    users = ["password", "first_name", "last_name", "email", "last_login", "date_joined"]
    kept = ("id", "public_id")
    retried = [field.name for field in Turn._meta.concrete_fields if field.name not in kept]
    return [
        *(f"question__{name}" for name in questions),
        *(f"user__{name}" for name in users),
        *(f"retry_of__{name}" for name in retried),
    ]


class Turn(models.Model):
    """From one user message to the final assistant message.

    The turns of a conversation are a tree like its messages, by `parent`. Those with `is_shown` are
    one path of it from a root to a leaf, the chosen branch (`chat.commands.branches` changes it,
    under the lock of the conversation's row). A parent is older than its children, so that there
    are no cycles and a path is in the order of its keys.

    `queued → streaming ⇄ waiting → done | failed | stopped`; the first final state wins. `wakeups`
    counts the facts that came from outside the owner, `seen` those that an owner had read when it
    let go; a turn behind another one begins with no fact, and gets its first when that one ends.
    `epoch` counts the owners and fences their writes.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        STREAMING = "streaming"
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    OPEN = (Status.QUEUED, Status.STREAMING, Status.WAITING)

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    # The owner of the conversation, whose tools and settings it has.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns"
    )
    # Who wrote its question, if that is not the conversation's owner. `is_of_member` stays when the
    # account of that person is deleted.
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="turns_elsewhere",
        null=True,
        blank=True,
        db_index=False,
    )
    is_of_member = models.BooleanField(default=False, editable=False)
    client_key = models.CharField(max_length=64)
    question = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="asked_turn", null=True
    )
    answer = models.OneToOneField(
        Message, on_delete=models.SET_NULL, related_name="answered_turn", null=True, blank=True
    )
    # The turn whose last message its question follows; null: it is the first of its branch.
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, related_name="children", null=True, blank=True
    )
    # Whether it is on the branch that the conversation shows and goes on with.
    is_shown = models.BooleanField(default=True)
    # When its branch was left last; null: never. Of siblings the latest is shown again.
    hidden = models.DateTimeField(null=True, blank=True)
    # The first turn with this question, of which this one is another answer; null: this is it.
    original = models.ForeignKey(
        "self", on_delete=models.SET_NULL, related_name="repeats", null=True, blank=True
    )
    # Whether its question is the product's instruction to go on with an answer that was cut.
    continues = models.BooleanField(default=False)
    # The assistant that the conversation had when it was asked, which comes back with its branch.
    preset = models.ForeignKey(
        Preset, on_delete=models.SET_NULL, related_name="+", null=True, blank=True
    )
    # The id that the turns of a comparison have in common: answers of several models or assistants
    # to one question (`chat.commands.comparisons`).
    comparison = models.UUIDField(null=True, blank=True, editable=False)
    # Its place in the comparison, from 0. Turns of one comparison run at the same time.
    lane = models.PositiveSmallIntegerField(default=0, editable=False)
    # Whether they are shown side by side: until a person has chosen one to go on with.
    is_compared = models.BooleanField(default=False, editable=False)
    # The failed or stopped turn that this one replaces, with the same question.
    retry_of = models.OneToOneField(
        "self", on_delete=models.SET_NULL, related_name="retried_by", null=True, blank=True
    )
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True)
    trace = models.OneToOneField(Trace, on_delete=models.SET_NULL, null=True, related_name="turn")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    error = models.TextField(blank=True, default="")
    # Name of the ceiling that ended it (`chat.engine.turn.ceilings`), or "".
    ceiling = models.CharField(max_length=32, blank=True, default="")
    wakeups = models.PositiveIntegerField(default=1)
    seen = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=64, blank=True, default="")
    epoch = models.PositiveIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True, blank=True)
    stop_requested = models.DateTimeField(null=True, blank=True)
    rounds = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    # While it is in line: the running turn that its message goes into (`chat.engine.turn.notes`),
    # unless that one ends before. After it went there, the same, and the turn is deleted.
    steers = models.ForeignKey(
        "self", on_delete=models.SET_NULL, related_name="notes", null=True, blank=True
    )
    # When a person deleted it, or the earlier turn that it follows (`chat.commands.deletion`): it
    # is shown nowhere, and erased some time later.
    deleted = models.DateTimeField(null=True, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    status__in=["queued", "streaming", "waiting", "done", "failed", "stopped"]
                ),
                name="turn_status_known",
            ),
            # No cycles: a parent was stored before its children.
            models.CheckConstraint(
                condition=Q(parent=None) | Q(parent__lt=F("id")), name="turn_after_its_parent"
            ),
            # Sending the same message again finds the same turn.
            models.UniqueConstraint(
                fields=["user", "client_key"],
                condition=Q(is_of_member=False),
                name="turn_once_a_key",
            ),
            # The same, of messages in conversations of others.
            models.UniqueConstraint(
                fields=["author", "client_key"],
                condition=Q(author__isnull=False),
                name="turn_once_a_key_of_author",
            ),
            # At most one turn of a conversation runs, and of a comparison one in each lane.
            models.UniqueConstraint(
                fields=["conversation", "lane"],
                condition=Q(status__in=["streaming", "waiting"]),
                name="turn_one_runs",
            ),
            models.CheckConstraint(
                condition=Q(is_compared=False) | Q(comparison__isnull=False),
                name="turn_compared_with_others",
            ),
        )
        indexes = (
            # The reaper: open turns.
            models.Index(
                fields=["id"],
                condition=Q(status__in=["queued", "streaming", "waiting"]),
                name="turn_open",
            ),
            # The tree of a conversation; the earlier open turn.
            models.Index(fields=["conversation", "id"], name="turn_of_conversation"),
            # The thread of a conversation, and its last turn.
            models.Index(
                fields=["conversation", "id"], condition=Q(is_shown=True), name="turn_shown"
            ),
            # The turns in line.
            models.Index(
                fields=["conversation", "id"],
                condition=Q(status="queued", wakeups=0),
                name="turn_in_line",
            ),
            # The turns of a comparison.
            models.Index(
                fields=["comparison"],
                condition=Q(comparison__isnull=False),
                name="turn_comparison",
            ),
            # The turns to erase.
            models.Index(
                fields=["deleted"], condition=Q(deleted__isnull=False), name="turn_deleted"
            ),
        )

    def __str__(self) -> str:
        return f"turn {self.public_id}"

    def set_own_assistant(self, conversation: Conversation) -> None:
        """Gives its conversation, in memory, the turn's own assistant: turns that are compared run
        at the same time with different ones."""
        if self.comparison is not None and self.preset_id != conversation.preset_id:
            conversation.preset = self.preset

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN

    @property
    def counted_user_id(self) -> int:
        """Whose turn it is where people take turns: the author's, else the owner's."""
        return self.author_id or self.user_id

    @property
    def author_username(self) -> str | None:
        """Of who wrote it; None for the owner, or a former member. No query for a turn that was
        read with `author_name`, as by `with_names`."""
        if self.author_id is None:
            return None
        known: str | None = self.__dict__.get("author_name")
        return known or (self.author.get_username() if self.author else None)

    @property
    def has_personal_texts(self) -> bool:
        """Whether its requests may have what is personal to the owner: nobody else writes."""
        return not (self.is_of_member or self.conversation.is_shared_to_write)

    @property
    def is_in_line(self) -> bool:
        """Whether it waits for an earlier turn of its conversation."""
        return self.status == self.Status.QUEUED and self.wakeups == 0
