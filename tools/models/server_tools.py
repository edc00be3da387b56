"""The tools of MCP servers, as they were listed."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import F, Q

from db import prepared
from db.fields import JSONTextField
from db.prepared import PreparedQuerySet
from tools.definitions import quality
from tools.definitions.names import candidates
from tools.definitions.quality import Quality
from tools.models.policy import Policy
from tools.models.servers import Server
from tools.permissions import AnyUser
from tools.values.tool import Tool
from tracing.formatting.json_text import indented

_AllTools = Callable[["ServerToolQuerySet", int | None], list["ServerTool"]]
_ToolByName = Callable[["ServerToolQuerySet", int | None, str], list["ServerTool"]]


class ServerToolQuerySet(PreparedQuerySet["ServerTool"]):
    def callable(self) -> "ServerToolQuerySet":
        """What can be offered to a model, servers by name, tools as listed."""
        approved = self.filter(enabled=True, server__enabled=True, hash=F("approved_hash"))
        return approved.select_related("server").order_by("server__name", "position")

    def for_user(self, user: AnyUser) -> "ServerToolQuerySet":
        """The tools of the servers that this user may use."""
        return self.filter(server__in=Server.objects.for_user(user))

    def callable_by(self, user: AnyUser) -> list["ServerTool"]:
        """What can be offered to a model in a conversation of this user's. Not to be changed."""
        all_tools, _ = _callable_by(user.is_superuser, user.is_staff, settings.USER_SERVERS)
        return all_tools(self, user.pk)

    def named(self, name: str, user: AnyUser) -> "ServerTool | None":
        """The one of these that a model calls by this name. Not to be changed."""
        _, by_name = _callable_by(user.is_superuser, user.is_staff, settings.USER_SERVERS)
        return next(iter(by_name(self, user.pk, name)), None)


# Columns of a server that each contact changes, and those of a tool that no model is told.
_NOT_OFFERED = (
    *("title", "output_schema", "approved", "defects", "server__instructions"),
    *("server__last_contact", "server__last_error", "server__last_error_kind"),
    *("server__last_error_status", "server__last_stderr", "server__latency_ms"),
)


@cache
def _callable_by(
    is_superuser: bool, is_staff: bool, user_servers: bool
) -> tuple[_AllTools, _ToolByName]:
    """Prepared for every user of this kind: the statements' texts depend on nothing else."""

    def of_user(tools: ServerToolQuerySet, user: int | None) -> ServerToolQuerySet:
        someone = User(pk=user, is_superuser=is_superuser, is_staff=is_staff)
        return tools.callable().for_user(someone).defer(*_NOT_OFFERED)

    @prepared.shared
    def callable_by(tools: ServerToolQuerySet, user: int | None) -> ServerToolQuerySet:
        return of_user(tools, user)

    @prepared.shared
    def named(tools: ServerToolQuerySet, user: int | None, name: str) -> ServerToolQuerySet:
        return of_user(tools, user).filter(offered_name=name)

    return callable_by, named


class ServerTool(models.Model):
    """A tool as a server listed it, word for word; `hash` changes when any of that does.

    `approved` is the definition that somebody with the right to has seen, and `approved_hash` its
    hash: a tool that is new or has changed since is not offered until it was looked at.
    """

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    title = models.CharField(max_length=200, blank=True, default="")
    description = models.TextField(blank=True, default="")
    input_schema = JSONTextField()
    output_schema = JSONTextField(null=True, blank=True)
    annotations = JSONTextField(null=True, blank=True)
    # What models are offered instead of `input_schema`, if that is not what providers take, and
    # what is wrong with it (`tools.definitions.offered_schemas`).
    offered_schema = JSONTextField(null=True, blank=True)
    defects = JSONTextField(default=list, blank=True)
    hash = models.CharField(max_length=64)
    approved = JSONTextField(null=True, blank=True)
    approved_hash = models.CharField(max_length=64, blank=True, default="")
    enabled = models.BooleanField(default=True)
    # Empty: as the server's settings say.
    policy = models.CharField(max_length=8, choices=Policy.choices, blank=True, default="")
    # The name by which a model calls it (`tools.definitions.names`), given when the tool is first
    # stored.
    offered_name = models.CharField(max_length=64, unique=True, blank=True)

    objects = ServerToolQuerySet.as_manager()

    class Meta:
        ordering = ("server", "position")
        constraints = (
            models.UniqueConstraint(fields=["server", "name"], name="tool_once_a_server"),
            models.CheckConstraint(
                condition=Q(policy__in=["", "allow", "ask", "deny"]), name="tool_policy_known"
            ),
        )
        indexes = (
            # The tools of a server in its own order, offered to every turn.
            models.Index(fields=["server", "position"], name="tool_in_order"),
        )

    def __str__(self) -> str:
        return self.offered_name

    def save(self, *args: Any, **fields: Any) -> None:
        if not self.offered_name:
            self.offered_name = self._free_name()
            if fields.get("update_fields") is not None:
                fields["update_fields"] = {*fields["update_fields"], "offered_name"}
        super().save(*args, **fields)

    def _free_name(self) -> str:
        names = list(candidates(self.server.name, self.name))
        others = ServerTool.objects.exclude(pk=self.pk).filter(offered_name__in=names)
        used_names = set(others.values_list("offered_name", flat=True))
        return next(name for name in names if name not in used_names)

    @property
    def needs_review(self) -> bool:
        """Whether it is new, or has changed since it was approved."""
        return bool(self.hash != self.approved_hash)

    @property
    def chosen_policy(self) -> str:
        """What a call of it needs: its own policy, else the server's."""
        return self.policy or self.server.policy_of(self.name)

    @property
    def definition(self) -> dict[str, Any]:
        """All that a model or an admin judges it by, and `hash` is made of."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
        }

    @cached_property
    def quality(self) -> Quality:
        """What it costs a model to read, and what it is not told."""
        measured = quality.of(self.offered_name, self.description, self.input_schema)
        return replace(measured, warnings=(*self.defects, *measured.warnings))

    @property
    def pretty_input(self) -> str:
        return indented(self.input_schema)

    @property
    def pretty_offered(self) -> str:
        return indented(self.offered_schema)

    @property
    def pretty_output(self) -> str:
        return indented(self.output_schema)

    def approve(self) -> None:
        """Somebody with the right to has seen the tool as it is now."""
        self.approved, self.approved_hash = self.definition, self.hash
        self.save(update_fields=["approved", "approved_hash"])

    @cached_property
    def tool(self) -> Tool:
        """`as_tool()`, for a row that is not changed."""
        return self.as_tool()

    def as_tool(self) -> Tool:
        return Tool(
            name=self.offered_name,
            description=self.description,
            parameters=self.input_schema,
            offered_schema=self.offered_schema,
            server=self.server.name,
            tool=self.name,
            idempotent=self.server.repeats(self.name),
            policy=self.chosen_policy,
            hash=self.hash,
            annotations=self.annotations,
            config=self.server.config(),
        )
