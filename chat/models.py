"""Conversations, messages and turns; providers, models and presets.

A conversation is a tree of messages; a turn leads from one user message to the answer. What a turn
did on its way, and what it needs to go on after a crash, are the spans of its trace.
"""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from chat import workspaces
from chat.llm.services import ANTHROPIC
from tools.encryption import EncryptedTextField
from tracing.fields import JSONTextField, LabelField, SentenceField
from tracing.models import Archive, Span, Trace
from tracing.prepared import Given


class Provider(models.Model):
    """Who serves models. The cassette provider is this server itself; its URL is worked out."""

    class Kind(models.TextChoices):
        OPENAI = "openai", "OpenAI-compatible"
        ANTHROPIC = "anthropic", "Anthropic Messages API"
        CASSETTE = "cassette", "Built-in cassette"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.OPENAI)
    # Not a URLField: that refuses hosts of one word, which is what containers have.
    base_url = models.CharField(
        max_length=500, blank=True, default="", validators=[RegexValidator(r"^https?://\S+$")]
    )
    api_key = EncryptedTextField(blank=True, default="")
    # The slug of the known service (`chat.llm.services`) that it was made from.
    service = models.CharField(max_length=32, blank=True, default="")
    # The models that the endpoint named when it was last asked, and when that was (the form is
    # `chat.providers.catalogue.ListedModel`).
    listed = JSONTextField(default=list, blank=True)
    listed_at = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["openai", "anthropic", "cassette"]),
                name="provider_kind_known",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("providers:provider", args=[self.public_id])

    @property
    def endpoint(self) -> str:
        """The base URL to call: of a built-in cassette, this server's own."""
        if self.kind == self.Kind.CASSETTE:
            return f"{settings.INTERNAL_URL}/cassettes/{self.slug}/v1"
        return self.base_url

    @property
    def slug(self) -> str:
        """The name in the URL of a built-in cassette."""
        return slugify(self.name) or self.public_id.hex

    @property
    def protocol(self) -> str:
        """What is spoken there: `anthropic`, else `openai`. A cassette says it by its service."""
        is_anthropic = self.kind == self.Kind.ANTHROPIC or (
            self.kind == self.Kind.CASSETTE and self.service == ANTHROPIC.slug
        )
        return "anthropic" if is_anthropic else "openai"


class CassetteFile(models.Model):
    """The cassette that a built-in provider plays (`docs/cassettes.md`), as it was uploaded.

    The walkthrough has none: it ships with the program.
    """

    provider = models.OneToOneField(
        Provider, on_delete=models.CASCADE, related_name="cassette_file"
    )
    compressed = models.BinaryField()
    size = models.PositiveIntegerField(help_text="Bytes, not compressed.")
    answers = models.PositiveIntegerField(help_text="How many recorded answers it has.")
    created = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"cassette of {self.provider_id}"


class Preset(models.Model):
    """How a conversation begins: system prompt, tools, starters.

    `tools` lists patterns of tool names (`sqlite-*`); null offers every tool. `policies` says what
    their calls need, before the servers' own settings: `[["sqlite-*", "allow"], …]`.
    """

    name = models.CharField(max_length=80, unique=True)
    system_prompt = models.TextField(blank=True, default="")
    tools = JSONTextField(null=True, blank=True, default=None)
    policies = JSONTextField(default=list, blank=True)
    starters = JSONTextField(default=list, blank=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


# What was never moved keeps the order of the alphabet.
ADMINS_ORDER = ("position", "label", "id")
# How long a check may wait for a worker, and how long each of its calls may take.
CHECK_TAKEN_WITHIN = timedelta(seconds=30)
CHECK_OVERDUE_AFTER = timedelta(minutes=6)


class LanguageModelQuerySet(models.QuerySet["LanguageModel"]):
    def offered(self) -> "LanguageModelQuerySet":
        """What people can choose, the default first."""
        choices = self.filter(enabled=True, provider__enabled=True)
        return choices.select_related("provider", "preset").order_by("-is_default", *ADMINS_ORDER)

    def overdue(self, now: datetime) -> "LanguageModelQuerySet":
        """Whose check no worker took, or whose worker is probably gone."""
        asked = Q(check_state="asked", check_changed__lt=now - CHECK_TAKEN_WITHIN)
        running = Q(check_state="running", check_changed__lt=now - CHECK_OVERDUE_AFTER)
        return self.filter(asked | running)

    def in_order(self) -> "LanguageModelQuerySet":
        """All of them as an admin ordered them."""
        return self.select_related("provider", "preset").order_by(*ADMINS_ORDER)


class LanguageModel(models.Model):
    """A model id at a provider, and how to speak with it.

    A check (a test or a probe) goes `idle → asked → running → succeeded | failed`, and from there
    to `asked` again. `probed` holds what the last probe found, under the names of the columns that
    it is to fill where an admin has chosen nothing.
    """

    class Dialect(models.TextChoices):
        AUTO = "auto"
        NATIVE = "native"
        NOUS = "nous"
        FUNCTIONS = "functions"
        ANTHROPIC = "anthropic"

    class ReturnsReasoning(models.TextChoices):
        NEVER = "never"
        TOOL_ROUNDS = "tool_rounds"
        ALWAYS = "always"

    class Check(models.TextChoices):
        IDLE = "idle"
        ASKED = "asked"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="language_models")
    name = models.CharField(max_length=200, help_text="The id that the provider knows.")
    label = models.CharField(max_length=80, blank=True, default="")
    dialect = models.CharField(max_length=16, choices=Dialect.choices, default=Dialect.NATIVE)
    preset = models.ForeignKey(Preset, on_delete=models.SET_NULL, null=True, blank=True)
    # Canonical: temperature, top_p, max_tokens, stop, seed, reasoning_effort; what stands under
    # `extra` goes into the request's body as it is.
    parameters = JSONTextField(default=dict, blank=True)
    context_window = models.PositiveIntegerField(null=True, blank=True, help_text="Tokens.")
    # US dollars for a million tokens.
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_cached = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    takes_tools = models.BooleanField(default=True)
    takes_images = models.BooleanField(default=False)
    returns_reasoning = models.CharField(
        max_length=16, choices=ReturnsReasoning.choices, default=ReturnsReasoning.NEVER
    )
    # Jinja, as in a Hugging Face tokenizer; empty means Qwen2.5's (dialect `chatml`).
    chat_template = models.TextField(blank=True, default="")
    probed = JSONTextField(default=dict, blank=True)
    check_state = models.CharField(max_length=16, choices=Check.choices, default=Check.IDLE)
    check_changed = models.DateTimeField(null=True, blank=True)
    check_error = models.TextField(blank=True, default="")
    check_trace = models.ForeignKey(
        Trace, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    position = models.PositiveIntegerField(default=0)

    objects = LanguageModelQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(dialect__in=["auto", "native", "nous", "functions", "anthropic"]),
                name="model_dialect_known",
            ),
            models.CheckConstraint(
                condition=Q(returns_reasoning__in=["never", "tool_rounds", "always"]),
                name="model_returns_reasoning_known",
            ),
            models.CheckConstraint(
                condition=Q(check_state__in=["idle", "asked", "running", "succeeded", "failed"]),
                name="model_check_state_known",
            ),
            models.UniqueConstraint(fields=["provider", "name"], name="model_once_a_provider"),
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="model_one_default"
            ),
        )

    def __str__(self) -> str:
        return self.label or self.name

    def get_absolute_url(self) -> str:
        return reverse("providers:model", args=[self.public_id])

    @property
    def is_being_checked(self) -> bool:
        return self.check_state in (self.Check.ASKED, self.Check.RUNNING)

    @property
    def is_overdue(self) -> bool:
        """Whether the worker that should check it is probably gone."""
        return type(self).objects.overdue(timezone.now()).filter(pk=self.pk).exists()

    @property
    def speaks(self) -> str:
        """The name of the dialect to use: the chosen one, else the probed. The Messages API knows
        its own alone, and nobody else knows that one."""
        if self.provider.protocol == "anthropic":
            return self.Dialect.ANTHROPIC
        chosen = self.probed.get("dialect") if self.dialect == self.Dialect.AUTO else self.dialect
        return str(self.Dialect.NATIVE if chosen in (None, self.Dialect.ANTHROPIC) else chosen)

    @property
    def reads_images(self) -> bool:
        """Whether images can be sent: the model takes them, and its dialect has a form for them."""
        return self.takes_images and self.speaks in (self.Dialect.NATIVE, self.Dialect.ANTHROPIC)


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def for_user(self, user: Any) -> "ConversationQuerySet":
        """The conversations that this user may see: their own."""
        return self.filter(owner_id=user.pk)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the archives, and with them conversations and evidence; then the workspaces."""
        workspaces.remove_after_commit(self.values_list("public_id", flat=True))
        return Archive.objects.filter(conversation__in=self).delete()


class Conversation(models.Model):
    """The durable thread that a user sees."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, related_name="conversation")
    title = models.CharField(max_length=200, blank=True, default="")
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True, blank=True)
    # What this conversation offers: `{"servers": [names], "off": [tool names]}`; null is all of
    # the preset's.
    tools = JSONTextField(null=True, blank=True, default=None)
    # Tools that a person allowed for this conversation: `[{"tool": name, "hash": …}, …]`.
    granted = JSONTextField(default=list, blank=True)
    # The turn that it was forked from, and the round; no round: before the answer began.
    forked_from = models.ForeignKey(
        Trace, on_delete=models.SET_NULL, null=True, blank=True, related_name="forks"
    )
    forked_round = models.PositiveIntegerField(null=True, blank=True)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        indexes = (
            # The sidebar: a user's conversations, newest first.
            models.Index(fields=["owner", "-updated"], name="conversation_newest"),
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


class Message(models.Model):
    """One persisted entry of a conversation, in canonical form.

    `body` is the canonical message itself (role, content, tool_calls, …). `parent` is null at the
    root of the tree, and on the user message of a turn that still waits for the one before it.
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
    def for_user(self, user: Any) -> "AttachmentQuerySet":
        """The attachments that are this user's own, to send and to remove."""
        return self.filter(owner_id=user.pk)

    def readable_by(self, user: Any) -> "AttachmentQuerySet":
        """What this user may see: their own, and for staff all that were sent, as in the traces."""
        own = Q(owner_id=user.pk)
        return self.filter(own | Q(message__isnull=False) if user.is_staff else own)

    def unsent(self) -> "AttachmentQuerySet":
        """What was uploaded and belongs to no message yet."""
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
            # The sweep of what was uploaded and never sent.
            models.Index(fields=["created"], condition=Q(message=None), name="attachment_unsent"),
        )

    def __str__(self) -> str:
        return str(self.name)


class TurnQuerySet(models.QuerySet["Turn"]):
    def for_user(self, user: Any) -> "TurnQuerySet":
        """The turns that this user may see: those of their own conversations."""
        return self.filter(conversation__owner_id=user.pk)

    def open(self) -> "TurnQuerySet":
        return self.filter(status__in=Turn.OPEN)

    def runnable(self, now: datetime | Given) -> "TurnQuerySet":
        """Open, and rung or left behind by an owner.

        A turn that waits for an earlier one of its conversation was not rung. `now` is a clock
        that agrees with those of the owners to within the lease.
        """
        rung = Q(owner="", wakeups__gt=F("seen"))
        return self.open().filter(rung | Q(lease_expires__lt=now))


class Turn(models.Model):
    """From one user message to the final assistant message.

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
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns"
    )
    client_key = models.CharField(max_length=64)
    question = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="asked_turn", null=True
    )
    answer = models.OneToOneField(
        Message, on_delete=models.SET_NULL, related_name="answered_turn", null=True, blank=True
    )
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True)
    trace = models.OneToOneField(Trace, on_delete=models.SET_NULL, null=True, related_name="turn")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    error = models.TextField(blank=True, default="")
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

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    status__in=["queued", "streaming", "waiting", "done", "failed", "stopped"]
                ),
                name="turn_status_known",
            ),
            # Sending the same message again finds the same turn.
            models.UniqueConstraint(fields=["user", "client_key"], name="turn_once_a_key"),
            # At most one turn of a conversation runs.
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(status__in=["streaming", "waiting"]),
                name="turn_one_runs",
            ),
        )
        indexes = (
            # The reaper: open turns.
            models.Index(
                fields=["id"],
                condition=Q(status__in=["queued", "streaming", "waiting"]),
                name="turn_open",
            ),
            # The thread of a conversation; the earlier open turn.
            models.Index(fields=["conversation", "id"], name="turn_of_conversation"),
        )

    def __str__(self) -> str:
        return f"turn {self.public_id}"

    @property
    def is_open(self) -> bool:
        return self.status in self.OPEN


class QuestionQuerySet(models.QuerySet["Question"]):
    def for_user(self, user: Any) -> "QuestionQuerySet":
        """The questions that this user may answer: those of their own conversations."""
        return self.filter(span__trace__turn__conversation__owner_id=user.pk)


class Question(models.Model):
    """What a server asks of a person in the middle of a tool call (MCP: elicitation).

    `open → answered | declined | cancelled | expired`, by compare-and-set. A form has a `schema`, a
    request to visit a page a `url`. With a `request_state` the call is made again with the answer,
    on any session; without one a live session waits for it.
    """

    class Kind(models.TextChoices):
        FORM = "form"
        URL = "url"

    class State(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        DECLINED = "declined"
        CANCELLED = "cancelled"
        EXPIRED = "expired"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    span = models.ForeignKey(Span, on_delete=models.CASCADE, related_name="questions")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    key = models.CharField(max_length=200, blank=True, default="")
    message = SentenceField(blank=True, default="")
    schema = JSONTextField(null=True, blank=True)
    url = models.TextField(blank=True, default="")
    request_state = models.TextField(blank=True, default="")
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    answer = JSONTextField(null=True, blank=True)
    asked = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField(null=True, blank=True)
    settled = models.DateTimeField(null=True, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["form", "url"]), name="question_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "answered", "declined", "cancelled", "expired"]),
                name="question_state_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class PlaygroundQuerySet(models.QuerySet["Playground"]):
    def for_user(self, user: Any) -> "PlaygroundQuerySet":
        """The playgrounds that this user may use: their own."""
        return self.filter(archive__owner_id=user.pk)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Deletes the archives, and with them the playgrounds and the traces of their runs."""
        return Archive.objects.filter(playground__in=self).delete()


class Playground(models.Model):
    """A model call to try in other words: what is to be sent, and what came of each run.

    `draft` is JSON text as somebody types it, so it may be none yet (`chat.replay.playground`).
    `source` is the generation that it was opened with, if it is still there.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    archive = models.OneToOneField(Archive, on_delete=models.CASCADE, related_name="playground")
    source = models.ForeignKey(
        Span, on_delete=models.SET_NULL, null=True, blank=True, related_name="playgrounds"
    )
    title = LabelField(max_length=200, blank=True, default="")
    draft = JSONTextField(default=str, blank=True)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)

    objects = PlaygroundQuerySet.as_manager()

    class Meta:
        ordering = ("-updated", "-id")

    def __str__(self) -> str:
        return str(self.title) or "Playground"

    def get_absolute_url(self) -> str:
        return reverse("playground:playground", args=[self.public_id])

    def delete(
        self, using: str | None = None, keep_parents: bool = False
    ) -> tuple[int, dict[str, int]]:
        """Deletes the archive, and with it this row and the traces of its runs."""
        return self.archive.delete(using=using, keep_parents=keep_parents)


# How long a run may wait for a worker, and how long a worker may be silent about it.
RUN_TAKEN_WITHIN = timedelta(seconds=30)
RUN_OVERDUE_AFTER = timedelta(seconds=30)


class PlaygroundRun(models.Model):
    """One call of a model that a playground made: `asked → running → succeeded | failed | stopped`.

    `draft` is the JSON text as it was when the run was asked for; what was really sent and what
    came back is in the trace. `changed` moves while a worker is at it.
    """

    class State(models.TextChoices):
        ASKED = "asked"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        STOPPED = "stopped"

    OPEN = (State.ASKED, State.RUNNING)

    playground = models.ForeignKey(Playground, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField()
    trace = models.OneToOneField(Trace, on_delete=models.CASCADE, related_name="playground_run")
    model = models.ForeignKey(LanguageModel, on_delete=models.SET_NULL, null=True)
    draft = JSONTextField(default=str, blank=True)
    state = models.CharField(max_length=16, choices=State.choices, default=State.ASKED)
    stop_requested = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)
    changed = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["asked", "running", "succeeded", "failed", "stopped"]),
                name="playground_run_state_known",
            ),
            models.UniqueConstraint(
                fields=["playground", "number"], name="playground_run_number_once"
            ),
        )
        indexes = (
            # The timer: runs that nobody may be working on any more.
            models.Index(
                fields=["id"],
                condition=Q(state__in=["asked", "running"]),
                name="playground_run_open",
            ),
        )

    def __str__(self) -> str:
        return f"run {self.number}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def is_overdue(self) -> bool:
        """Whether no worker took it, or the one that did is probably gone."""
        within = RUN_TAKEN_WITHIN if self.state == self.State.ASKED else RUN_OVERDUE_AFTER
        return self.is_open and self.changed < timezone.now() - within
