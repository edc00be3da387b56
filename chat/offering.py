"""What a conversation offers to its model: what the preset says, or what the person chose.

A choice (`Conversation.tools`) is `{"servers": [names], "off": [names of tools]}`: the tools of
these servers but for those that are off. The tools of this program count as a server whose name is
empty. Either way nothing is offered that the user may not use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.errors import Rejected
from chat.models import Conversation, Preset
from tools import registry
from tools.local.agent import TASK
from tools.models import Server
from tools.tool import Tool

MOST_NAMES = 5_000
LONGEST_NAME = 300  # characters
UNREADABLE = "The choice of tools cannot be read. Load the page again."

Choice = dict[str, list[str]]


@dataclass(frozen=True)
class OfferedTool:
    """A tool as the menu shows it."""

    tool: Tool
    is_on: bool

    @property
    def label(self) -> str:
        """The server's own name for it: the menu has the server above it."""
        return self.tool.tool or self.tool.name


@dataclass(frozen=True)
class OfferedServer:
    """A server of the menu with its tools; the tools of this program have none (`row`)."""

    name: str
    tools: Sequence[OfferedTool]
    row: Server | None = None

    @property
    def is_on(self) -> bool:
        return any(one.is_on for one in self.tools)

    @property
    def count(self) -> int:
        return sum(one.is_on for one in self.tools)

    @property
    def is_dead(self) -> bool:
        return self.row is not None and self.row.check_state == Server.Check.FAILED


def offered(choice: Choice | None, user: Any, preset: Preset | None) -> list[Tool]:
    """The tools of the next request."""
    if choice is None:
        return registry.offered(preset.tools if preset else None, user)
    return [tool for tool in registry.offered(None, user) if _is_chosen(tool, choice)]


def find(name: str, conversation: Conversation, user: Any) -> Tool | None:
    """The tool of this name, if its server and itself are not switched off here."""
    tool = registry.find(name, user)
    choice = conversation.tools
    if tool is None or (conversation.parent_call_id is not None and name == TASK.name):
        return None
    if choice is None or tool is registry.READ_RESULT:
        return tool
    return tool if _is_chosen(tool, choice) else None


def menu(choice: Choice | None, user: Any, preset: Preset | None) -> list[OfferedServer]:
    """Everything that the user could switch on here, and what is."""
    on = {tool.name for tool in offered(choice, user, preset)}
    by_server: dict[str, list[OfferedTool]] = {}
    for tool in registry.offered(None, user):
        by_server.setdefault(tool.server, []).append(OfferedTool(tool, tool.name in on))
    rows = {row.name: row for row in Server.objects.for_user(user).filter(enabled=True)}
    for name in rows:
        by_server.setdefault(name, [])
    return [OfferedServer(name, tools, rows.get(name)) for name, tools in by_server.items()]


def read_choice(written: object) -> Choice | None:
    """A choice as a client sends it; null is the preset's. Raises `Rejected`."""
    if written is None:
        return None
    if not isinstance(written, dict):
        raise Rejected(UNREADABLE)
    return {key: _names(written.get(key, [])) for key in ("servers", "off")}


def _names(written: object) -> list[str]:
    if not isinstance(written, list) or len(written) > MOST_NAMES:
        raise Rejected(UNREADABLE)
    if not all(isinstance(one, str) and len(one) <= LONGEST_NAME for one in written):
        raise Rejected(UNREADABLE)
    return [one.encode(errors="replace").decode().replace("\0", "") for one in written]


def _is_chosen(tool: Tool, choice: Choice) -> bool:
    if tool.name in choice.get("off", ()):
        return False
    return tool.server in choice.get("servers", ())
