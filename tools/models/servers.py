"""MCP servers, as they are registered and as they described themselves."""

import uuid
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from db.fields import JSONTextField
from db.groups import NOBODY, is_given, is_in_group_of
from jobs import Checkable
from languages.later import later
from limits.tools import MAX_OWN_SERVERS, MAX_SERVER_CHECK_SILENCE
from tools.definitions.names import candidates
from tools.encryption import EncryptedJSONField, EncryptedTextField
from tools.errors import Failure
from tools.models.policy import Policy
from tools.permissions import (
    AnyUser,
    changes_servers,
    may_add_programs,
    may_change_servers,
    may_own_servers,
)
from tools.values.advice import Known, advice
from tools.values.server_config import NeedsAccount, ServerConfig

name_is_a_slug = RegexValidator(
    r"^[a-z0-9]+(?:[-_][a-z0-9]+)*\Z",
    later("Use lower-case letters, digits, and single - or _ between."),
)


TOO_MANY_SERVERS = later(
    "You may have %(most)s servers of your own. Delete those that you no longer need.",
    most=MAX_OWN_SERVERS,
)


class ServerQuerySet(models.QuerySet["Server"]):
    def has_room(self, user: AnyUser, more: int = 1) -> bool:
        """Whether this user may own so many more."""
        return self.filter(owner=user.pk).count() + more <= MAX_OWN_SERVERS

    def for_user(self, user: AnyUser) -> "ServerQuerySet":
        """The servers whose tools this user may be offered: what is shared with them or given to
        a group of theirs, and their own where the operator allows those."""
        of_all = Q(owner=None, shared=Server.Shared.EVERYONE)
        in_group = is_given(Server, user.pk or NOBODY)
        chosen = Q(owner=None, shared=Server.Shared.CHOSEN)
        offered = of_all & in_group | chosen & Q(shared_with=user.pk)
        offered |= chosen & is_in_group_of(Server, user.pk or NOBODY)
        own = Q(owner=user.pk)
        if settings.USER_SERVERS:
            offered |= own
        for_admins = Q(owner=None, shared=Server.Shared.STAFF)
        offered |= (for_admins | of_all | own) & changes_servers(user)
        return self.filter(pk__in=self.model._default_manager.filter(offered).values("pk"))

    def editable_by(self, user: AnyUser) -> "ServerQuerySet":
        """The servers that this user may change: everybody's by permission, and their own."""
        if not may_own_servers(user):
            return self.none()
        editable = Q(owner=user.pk)
        if may_change_servers(user):
            is_program = Q(transport=Server.Transport.STDIO)
            editable |= Q(owner=None) if may_add_programs(user) else Q(owner=None) & ~is_program
        return self.filter(editable)


class Server(Checkable):
    """An MCP server: how to reach it, what it said of itself, and how it does.

    A check is a connection that lists the tools. `env` and `headers` map names to values and are
    secret. A server without an owner is everybody's business: admins register it, and say for whom.
    """

    class Transport(models.TextChoices):
        STDIO = "stdio", later("stdio (a program on this machine)")
        HTTP = "http", later("Streamable HTTP")
        SSE = "sse", "SSE (servers of 2024)"

    class Shared(models.TextChoices):
        EVERYONE = "everyone", later("Everyone")
        STAFF = "staff", later("Admins")
        CHOSEN = "chosen", later("Chosen people and groups")

    class Mode(models.TextChoices):
        AUTO = "auto", later("Automatic")
        LEGACY = "legacy", later("Legacy handshake")

    taken_within = MAX_SERVER_CHECK_SILENCE
    silent_within = MAX_SERVER_CHECK_SILENCE
    columns = replace(Checkable.columns, error="last_error")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=40, unique=True, validators=[name_is_a_slug])
    transport = models.CharField(max_length=8, choices=Transport.choices, default=Transport.STDIO)
    command = models.CharField(max_length=500, blank=True, default="")
    args = JSONTextField(default=list, blank=True)
    env = EncryptedJSONField(default=dict, blank=True)
    cwd = models.CharField(max_length=500, blank=True, default="")
    url = models.CharField(max_length=2000, blank=True, default="")
    headers = EncryptedJSONField(default=dict, blank=True)
    # The last URL that it had: whom the stored headers were given for, also while it is a program.
    headers_url = models.CharField(max_length=2000, blank=True, default="", editable=False)
    # Names among these of which somebody said whether their values are secret.
    marks = JSONTextField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    timeout_s = models.PositiveIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.AUTO)
    # Patterns of tools that may be run again after a crash; only an operator can say so.
    idempotent_tools = JSONTextField(default=list, blank=True)
    created = models.DateTimeField(default=timezone.now)

    # Who may use it. An owner's server is theirs alone.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="servers",
    )
    shared = models.CharField(max_length=8, choices=Shared.choices, default=Shared.EVERYONE)
    shared_with = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="shared_servers"
    )
    # Of a server for everyone: it is for these alone. Of one for chosen people: for these too.
    groups = models.ManyToManyField(Group, blank=True, related_name="servers")
    # What it listed beside tools, as MCP writes it (`Resource`, `Prompt`).
    resources = JSONTextField(default=list, blank=True)
    prompts = JSONTextField(default=list, blank=True)
    # Addresses of private networks are refused unless an operator allows them here.
    allow_private = models.BooleanField(default=False)

    # What its tools may do: the first pattern that fits (`[["read_*", "allow"], …]`), or `policy`.
    policy = models.CharField(max_length=8, choices=Policy.choices, default=Policy.ASK)
    policies = JSONTextField(default=list, blank=True)

    # A client that was registered beforehand; without one it is registered or described by URL.
    uses_oauth = models.BooleanField(default=False)
    oauth_client_id = models.CharField(max_length=500, blank=True, default="")
    oauth_client_secret = EncryptedTextField(blank=True, default="")
    oauth_scope = models.CharField(max_length=1000, blank=True, default="")

    # What the server said when it was last reached. `era` is empty, `legacy` or `modern`.
    era = models.CharField(max_length=8, blank=True, default="")
    server_name = models.CharField(max_length=200, blank=True, default="")
    server_version = models.CharField(max_length=200, blank=True, default="")
    protocol = models.CharField(max_length=20, blank=True, default="")
    instructions = models.TextField(blank=True, default="")
    tools_listed = models.DateTimeField(null=True, blank=True)
    # What is missing in the lists, as sentences.
    list_notes = JSONTextField(default=list, blank=True)
    # What people have said of tools that it does not list any more, by name: some servers list a
    # tool in some sessions only, and who has seen it once need not look at the same words again.
    former_tools = JSONTextField(default=dict, blank=True)

    # Health. Whose account is used where it wants one.
    check_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    last_contact = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    # Of `last_error`: the kind of a `Failure`, and its HTTP status or exit code.
    last_error_kind = models.CharField(max_length=32, blank=True, default="")
    last_error_status = models.IntegerField(null=True, blank=True)
    last_stderr = models.TextField(blank=True, default="")
    latency_ms = models.PositiveIntegerField(null=True, blank=True)

    objects = ServerQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        permissions = (("add_program", "Can add programs (stdio servers): as much as a shell"),)
        constraints = (
            *Checkable.Meta.constraints,
            models.CheckConstraint(
                condition=Q(transport="stdio", url="") & ~Q(command="")
                | Q(transport__in=["http", "sse"], command="") & ~Q(url=""),
                name="server_has_its_address",
            ),
            # It runs a program on this machine.
            models.CheckConstraint(
                condition=Q(owner=None) | ~Q(transport="stdio"), name="server_of_a_user_has_a_url"
            ),
            models.CheckConstraint(
                condition=Q(shared__in=["everyone", "staff", "chosen"]), name="server_shared_known"
            ),
            models.CheckConstraint(
                condition=Q(policy__in=["allow", "ask", "deny"]), name="server_policy_known"
            ),
            models.CheckConstraint(
                condition=Q(mode__in=["auto", "legacy"]), name="server_mode_known"
            ),
            models.CheckConstraint(
                condition=Q(era__in=["", "legacy", "modern"]), name="server_era_known"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **fields: Any) -> None:
        super().save(*args, **fields)
        for tool in self.tools.all():
            if tool.offered_name not in candidates(self.name, tool.name):
                tool.offered_name = ""  # the server was renamed
                tool.save(update_fields=["offered_name"])

    def get_absolute_url(self) -> str:
        return reverse("tools:server", args=[self.public_id])

    @property
    def address(self) -> str:
        """The command line or URL, as people read it."""
        return self.url or " ".join([self.command, *self.args])

    @property
    def advice(self) -> str:
        """What to do about `last_error`."""
        failure = Failure.stored(self.last_error, self.last_error_kind, self.last_error_status)
        return advice(failure, self.known) if failure else ""

    @property
    def known(self) -> Known:
        return Known(self.transport, self.command, self.uses_oauth, bool(self.headers))

    def config(self) -> ServerConfig:
        """How to reach this server, as a value that can leave the thread."""
        return ServerConfig(
            name=self.name,
            transport=self.transport,
            command=self.command,
            args=tuple(self.args),
            env=tuple(sorted(self.env.items())),
            cwd=self.cwd,
            url=self.url,
            headers=tuple(sorted(self.headers.items())),
            marks=tuple(sorted(self.marks.items())),
            timeout_s=self.timeout_s,
            mode=self.mode,
            allow_private=self.allow_private,
            sign_in=NeedsAccount(self.pk) if self.uses_oauth and self.pk else None,
            era=self.era,
        )

    def policy_of(self, tool: str) -> str:
        """What a call of `tool` needs, as far as the server's own settings say."""
        fitting = (policy for pattern, policy in self.policies if fnmatchcase(tool, pattern))
        return str(next(fitting, self.policy))

    def repeats(self, tool: str) -> bool:
        """Whether an operator marked `tool` as safe to run twice."""
        return any(fnmatchcase(tool, pattern) for pattern in self.idempotent_tools)
