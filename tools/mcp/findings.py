"""The finding of a check, and storing it in the rows of the server."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mcp_types
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from db.fields import storable
from languages.stored import stored
from limits.mcp import MAX_FORMER_TOOLS, MAX_LISTED_TOOL_NAME, MAX_NOTES
from tools.definitions import offered_schemas
from tools.definitions.offered_schemas import Offered
from tools.errors import Failure
from tools.health import contacts
from tools.models import Server, ServerContact, ServerTool
from tools.values.server_config import ServerConfig

Listed = list[dict[str, Any]]
# Columns of a tool that people decide, kept while the server does not list it.
SETTINGS = ("approved", "approved_hash", "enabled", "policy")


@dataclass(frozen=True)
class Finding:
    """What a server said of itself and listed, or why there was no session."""

    failure: Failure | None = None
    stderr: str = ""
    latency_ms: int | None = None
    name: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: Sequence[mcp_types.Tool] = field(default_factory=tuple)
    resources: Listed = field(default_factory=list)
    prompts: Listed = field(default_factory=list)
    notes: Sequence[str] = ()  # what is missing in the lists, as sentences

    @property
    def error(self) -> str:
        """Why there was no session; empty if there was one."""
        return self.failure.reason if self.failure else ""

    @property
    def era(self) -> str:
        return "legacy" if self.protocol in HANDSHAKE_PROTOCOL_VERSIONS else "modern"


def store(server: Server, finding: Finding) -> None:
    """Stores a finding in the rows of `server`; a failed check leaves the known tools unchanged."""
    _store(server, finding, _offers(finding.tools))


@transaction.atomic
def _store(server: Server, finding: Finding, offers: Mapping[str, Offered]) -> None:
    now = timezone.now()
    contacts.record(
        server,
        ServerContact.Purpose.CHECK,
        error=finding.error,
        latency_ms=finding.latency_ms,
    )
    row = Server.objects.filter(pk=server.pk)
    is_first = row.filter(tools_listed=None).exists()
    row.update(
        last_error=storable(finding.error),
        last_error_kind=finding.failure.kind if finding.failure else "",
        last_error_status=finding.failure.status if finding.failure else None,
        last_stderr=storable(finding.stderr),
    )
    # A check that was asked for meanwhile is still to come, or runs in another worker.
    others = Q(check_state=Server.Check.RUNNING) & ~Q(check_epoch=server.check_epoch)
    row.exclude(Q(check_state=Server.Check.ASKED) | others).update(
        check_state=Server.Check.FAILED if finding.error else Server.Check.SUCCEEDED,
        check_changed=now,
    )
    if not finding.error:
        row.update(
            era=finding.era,
            server_name=storable(finding.name)[:200],
            server_version=storable(finding.version)[:200],
            protocol=finding.protocol,
            instructions=storable(finding.instructions),
            latency_ms=finding.latency_ms,
            last_contact=now,
            tools_listed=now,
            resources=finding.resources,
            prompts=finding.prompts,
        )
        _store_tools(server, finding.tools, finding.notes, offers, approved=is_first)


def store_changed(
    config: ServerConfig, tools: Sequence[mcp_types.Tool], notes: Sequence[str]
) -> None:
    """Stores the changed list of an open session.

    Nothing happens if the server is no longer registered like this, or was never checked.
    """
    server = Server.objects.filter(name=config.name, enabled=True).first()
    if server is not None and server.tools_listed and is_of(server, config):
        _store_tools(server, tools, notes, _offers(tools), approved=False)


def is_of(server: Server, config: ServerConfig) -> bool:
    """Whether `config` is the configuration of `server`, whoever is signed in."""
    return replace(server.config(), sign_in=None) == replace(config, sign_in=None)


@transaction.atomic
def _store_tools(
    server: Server,
    listed: Sequence[mcp_types.Tool],
    notes: Sequence[str],
    offers: Mapping[str, Offered],
    *,
    approved: bool,
) -> None:
    """Makes the rows equal to the list; a tool that stays, or comes back, keeps its settings.

    Registering a server approves the tools of its first list. A tool that is new or changed later
    waits for a review.
    """
    tools, unusable = _usable(listed)
    row = Server.objects.select_for_update().get(pk=server.pk)
    unlisted = server.tools.exclude(name__in=tools)
    former = row.former_tools | {tool.name: _settings(tool) for tool in unlisted}
    unlisted.delete()
    _write_tools(server, tools, offers)
    for tool in server.tools.filter(name__in=former, approved_hash=""):
        for name, value in former.pop(tool.name).items():
            setattr(tool, name, value)
        tool.save(update_fields=SETTINGS)
    row.former_tools = dict(list(former.items())[-MAX_FORMER_TOOLS:])
    row.list_notes = [storable(note) for note in (*notes, *unusable)]
    row.save(update_fields=["former_tools", "list_notes"])
    if approved:
        for tool in server.tools.all():
            tool.approve()


def _usable(listed: Sequence[mcp_types.Tool]) -> tuple[dict[str, mcp_types.Tool], list[str]]:
    """The tools that can be called, by name, and sentences about the others."""
    tools: dict[str, mcp_types.Tool] = {}
    notes = []
    for tool in listed:
        # A name is called as it is, so what cannot be stored cannot be called.
        if len(tool.name) > MAX_LISTED_TOOL_NAME or tool.name != storable(tool.name):
            notes.append(
                stored(
                    "the tool %(name)s was left out: its name cannot be stored",
                    name=repr(tool.name[:50]),
                )
            )
        elif tool.name in tools:
            notes.append(
                stored("a second tool named %(name)s was left out", name=repr(tool.name[:50]))
            )
        else:
            tools[tool.name] = tool
    return tools, notes[:MAX_NOTES]


def _settings(tool: ServerTool) -> dict[str, Any]:
    return {name: getattr(tool, name) for name in SETTINGS}


def _offers(tools: Sequence[mcp_types.Tool]) -> dict[str, Offered]:
    """The schemas that models are offered, computed before the database is locked."""
    offers = offered_schemas.of_list([tool.input_schema for tool in reversed(tools)])
    return {tool.name: one for tool, one in zip(reversed(tools), offers, strict=True)}


def _write_tools(
    server: Server, tools: dict[str, mcp_types.Tool], offers: Mapping[str, Offered]
) -> None:
    for position, tool in enumerate(tools.values()):
        offer = offers[tool.name]
        ServerTool.objects.update_or_create(
            server=server,
            name=tool.name,
            defaults={
                "position": position,
                "title": storable(tool.title or "")[:200],
                "description": storable(tool.description or ""),
                "input_schema": tool.input_schema,
                "output_schema": tool.output_schema,
                "annotations": _annotations(tool),
                "hash": fingerprint(tool),
                "offered_schema": None if offer.schema == tool.input_schema else offer.schema,
                "defects": [storable(sentence) for sentence in offer.defects],
            },
        )


def _annotations(tool: mcp_types.Tool) -> dict[str, Any] | None:
    """The server's hints about a tool, which nothing verifies."""
    if tool.annotations is None:
        return None
    return tool.annotations.model_dump(by_alias=True, mode="json", exclude_none=True)


def fingerprint(tool: mcp_types.Tool) -> str:
    """Hash of a tool's name, description and schemas."""
    judged = [tool.name, tool.description, tool.input_schema, tool.output_schema]
    return hashlib.sha256(json.dumps(judged, sort_keys=True).encode()).hexdigest()
