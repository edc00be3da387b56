"""Registered MCP servers and the tools that they listed."""

import json
import uuid
from datetime import timedelta
from fnmatch import fnmatchcase

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from tools.encryption import EncryptedJSONField
from tools.mcp.config import ServerConfig
from tools.tool import Tool
from tracing.fields import JSONTextField

CHECK_OVERDUE_AFTER = timedelta(minutes=2)

name_is_a_slug = RegexValidator(
    r"^[a-z0-9]+(?:[-_][a-z0-9]+)*\Z", "Use lower-case letters, digits, and single - or _ between."
)


class Server(models.Model):
    """An MCP server: how to reach it, what it said of itself, and how it does.

    A check (a connection that lists the tools) goes `idle → asked → running → succeeded | failed`,
    and from any of these to `asked` again. `env` and `headers` map names to values and are secret.
    """

    class Transport(models.TextChoices):
        STDIO = "stdio", "stdio (a program on this machine)"
        HTTP = "http", "Streamable HTTP"

    class Mode(models.TextChoices):
        AUTO = "auto", "Automatic"
        LEGACY = "legacy", "Legacy handshake"

    class Check(models.TextChoices):
        IDLE = "idle"
        ASKED = "asked"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=40, unique=True, validators=[name_is_a_slug])
    transport = models.CharField(max_length=8, choices=Transport.choices, default=Transport.STDIO)
    command = models.CharField(max_length=500, blank=True, default="")
    args = JSONTextField(default=list, blank=True)
    env = EncryptedJSONField(default=dict, blank=True)
    cwd = models.CharField(max_length=500, blank=True, default="")
    url = models.CharField(max_length=2000, blank=True, default="")
    headers = EncryptedJSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    timeout_s = models.PositiveIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.AUTO)
    # Patterns of tools that may be run again after a crash; only an operator can say so.
    idempotent_tools = JSONTextField(default=list, blank=True)
    created = models.DateTimeField(default=timezone.now)

    # What the server said when it was last reached. `era` is empty, `legacy` or `modern`.
    era = models.CharField(max_length=8, blank=True, default="")
    server_name = models.CharField(max_length=200, blank=True, default="")
    server_version = models.CharField(max_length=200, blank=True, default="")
    protocol = models.CharField(max_length=20, blank=True, default="")
    instructions = models.TextField(blank=True, default="")
    tools_listed = models.DateTimeField(null=True, blank=True)

    # Health.
    check_state = models.CharField(max_length=12, choices=Check.choices, default=Check.IDLE)
    check_changed = models.DateTimeField(null=True, blank=True)
    last_contact = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    last_stderr = models.TextField(blank=True, default="")
    latency_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(
                condition=Q(transport="stdio", url="") & ~Q(command="")
                | Q(transport="http", command="") & ~Q(url=""),
                name="server_has_its_address",
            ),
            models.CheckConstraint(
                condition=Q(mode__in=["auto", "legacy"]), name="server_mode_known"
            ),
            models.CheckConstraint(
                condition=Q(era__in=["", "legacy", "modern"]), name="server_era_known"
            ),
            models.CheckConstraint(
                condition=Q(check_state__in=["idle", "asked", "running", "succeeded", "failed"]),
                name="server_check_known",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("tools:server", args=[self.public_id])

    @property
    def address(self) -> str:
        """The command line or URL, as people read it."""
        return self.url or " ".join([self.command, *self.args])

    @property
    def is_being_checked(self) -> bool:
        return self.check_state in (self.Check.ASKED, self.Check.RUNNING)

    @property
    def is_overdue(self) -> bool:
        """Whether the worker that should check it is probably gone."""
        changed = self.check_changed
        return self.is_being_checked and (
            changed is None or timezone.now() - changed > CHECK_OVERDUE_AFTER
        )

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
            timeout_s=self.timeout_s,
            mode=self.mode,
            era=self.era,
        )

    def repeats(self, tool: str) -> bool:
        """Whether an operator marked `tool` as safe to run twice."""
        return any(fnmatchcase(tool, pattern) for pattern in self.idempotent_tools)


class ServerToolQuerySet(models.QuerySet["ServerTool"]):
    def callable(self) -> "ServerToolQuerySet":
        """What can be offered to a model, servers by name, tools as listed."""
        rows = self.filter(enabled=True, server__enabled=True).select_related("server")
        return rows.order_by("server__name", "position")


class ServerTool(models.Model):
    """A tool as a server listed it, word for word; `hash` changes when any of that does."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    title = models.CharField(max_length=200, blank=True, default="")
    description = models.TextField(blank=True, default="")
    input_schema = JSONTextField()
    output_schema = JSONTextField(null=True, blank=True)
    annotations = JSONTextField(null=True, blank=True)
    hash = models.CharField(max_length=64)
    enabled = models.BooleanField(default=True)

    objects = ServerToolQuerySet.as_manager()

    class Meta:
        ordering = ("server", "position")
        constraints = (
            models.UniqueConstraint(fields=["server", "name"], name="tool_once_a_server"),
        )
        indexes = (
            # The tools of a server in its own order, offered to every turn.
            models.Index(fields=["server", "position"], name="tool_in_order"),
        )

    def __str__(self) -> str:
        return self.offered_name

    @property
    def offered_name(self) -> str:
        """The name by which a model calls it."""
        return f"{self.server.name}-{self.name}"

    @property
    def pretty_input(self) -> str:
        return json.dumps(self.input_schema, ensure_ascii=False, indent=2)

    @property
    def pretty_output(self) -> str:
        return json.dumps(self.output_schema, ensure_ascii=False, indent=2)

    def as_tool(self) -> Tool:
        return Tool(
            name=self.offered_name,
            description=self.description,
            parameters=self.input_schema,
            server=self.server.name,
            tool=self.name,
            idempotent=self.server.repeats(self.name),
            config=self.server.config(),
        )
