"""The tools that a conversation offers to its model: by its preset, or by a person's choice.

A choice (`Conversation.tools`) is `{"servers": [names], "off": [names], "on": [names]}`: the tools
of these servers except those in `off`, and of the tools that have to be named (`Tool.opt_in`) those
in `on`. The tools of this program count as a server with an empty name. With `"web": true` or
`false`, the switch of the composer, the tools of the web are offered or not whatever the rest says;
a choice of nothing else leaves the other tools to the preset. Tools that the user may not use are
never offered, and a tool that is not offered cannot be called.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from django.utils.translation import gettext

from chat.errors import Rejected
from chat.models import Conversation, LanguageModel, PersonalSettings, Preset, ProjectFile
from db.users import AnyUser
from languages.later import later
from limits.chat import MAX_OFFERED_NAME, MAX_OFFERED_NAMES
from tools.catalogue import registry
from tools.definitions import quality
from tools.definitions.quality import Quality
from tools.local.agent import MEMORY_TOOLS, SEARCH_FILES, SEARCH_TOOLS, TASK
from tools.local.fetch_page import fetch_page
from tools.local.web_search import web_search
from tools.models import Server
from tools.values.tool import Tool

UNREADABLE = later("The choice of tools is invalid. Reload the page.")

# The tools that the switch of the web is for.
WEB_TOOLS = frozenset((web_search.__name__, fetch_page.__name__))


class Choice(TypedDict, total=False):
    servers: list[str]
    off: list[str]
    on: list[str]
    web: bool


_MEMORY = frozenset(tool.name for tool in MEMORY_TOOLS)


@dataclass(frozen=True)
class OfferedTool:
    """A tool as the menu shows it."""

    tool: Tool
    is_on: bool

    @property
    def label(self) -> str:
        """The tool's name at its server, which the menu shows above it."""
        return self.tool.tool or self.tool.name

    @cached_property
    def quality(self) -> Quality:
        """Its tokens in each request, and the gaps in its description."""
        return quality.of(self.tool.name, self.tool.description, self.tool.parameters)


@dataclass(frozen=True)
class OfferedServer:
    """A server of the menu with its tools; `row` is None for the tools of this program."""

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

    @property
    def usual(self) -> list[OfferedTool]:
        return [one for one in self.tools if not one.tool.opt_in]

    @property
    def opt_in(self) -> list[OfferedTool]:
        """The tools that have to be named."""
        return [one for one in self.tools if one.tool.opt_in]


def offered(choice: Choice | None, user: AnyUser, preset: Preset | None) -> list[Tool]:
    """The tools that this choice, or without one this preset, offers to the user."""
    return [tool for tool in registry.usable(user) if _is_offered(tool, choice, preset, user)]


def of(conversation: Conversation, model: LanguageModel | None, user: AnyUser) -> list[Tool]:
    """The tools that the next request of a conversation offers."""
    tools = offered(conversation.tools, user, _preset(conversation, model))
    allowed = [tool for tool in tools if not _is_barred(tool.name, conversation)]
    if any(tool.name == SEARCH_FILES.name for tool in allowed) and not has_files(
        conversation, user
    ):
        return [tool for tool in allowed if tool.name != SEARCH_FILES.name]
    return allowed


def find(
    name: str, conversation: Conversation, model: LanguageModel | None, user: AnyUser
) -> Tool | None:
    """The tool with this name, if this conversation offers it. `read_result` and `search_tools` are
    in every conversation."""
    tool = registry.find(name, user)
    if tool is None or _is_barred(name, conversation):
        return None
    if name in (registry.READ_RESULT.name, SEARCH_TOOLS.name):
        return tool
    if name == SEARCH_FILES.name and not has_files(conversation, user):
        return None
    preset = _preset(conversation, model)
    return tool if _is_offered(tool, conversation.tools, preset, user) else None


def has_files(conversation: Conversation, user: AnyUser) -> bool:
    """Whether there may be files to search. No query, but in a project."""
    if conversation.has_files or PersonalSettings.of(user).searches_all_files:
        return True
    project = conversation.project_id
    return project is not None and ProjectFile.objects.filter(project=project).exists()


def menu(choice: Choice | None, user: AnyUser, preset: Preset | None) -> list[OfferedServer]:
    """All tools that the user may switch on, by server, each with whether it is on."""
    by_server: dict[str, list[OfferedTool]] = {}
    for tool in registry.usable(user):
        # Those are offered by themselves where they are needed, or wanted.
        if tool.name not in (SEARCH_TOOLS.name, SEARCH_FILES.name, *_MEMORY):
            is_on = _is_offered(tool, choice, preset, user)
            by_server.setdefault(tool.server, []).append(OfferedTool(tool, is_on))
    rows = {row.name: row for row in Server.objects.for_user(user).filter(enabled=True)}
    for name in rows:
        by_server.setdefault(name, [])
    return [OfferedServer(name, tools, rows.get(name)) for name, tools in by_server.items()]


def read_choice(value: object) -> Choice | None:
    """The choice that a client sent; None is the preset's. Raises `Rejected`."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Rejected(UNREADABLE)
    web = value.get("web")
    if web is not None and not isinstance(web, bool):
        raise Rejected(UNREADABLE)
    choice = Choice() if web is None else Choice(web=web)
    if web is None or any(key in value for key in ("servers", "off", "on")):
        choice["servers"] = _names(value.get("servers", []))
        choice["off"] = _names(value.get("off", []))
        choice["on"] = _names(value.get("on", []))
    return choice


def refuse_withheld(choice: Choice | None, user: AnyUser) -> None:
    """Raises `Rejected` if a server that the choice names is there, and not for this user."""
    chosen = [name for name in (choice or {}).get("servers", ()) if name]
    if not chosen:
        return
    others = Server.objects.filter(name__in=chosen).exclude(pk__in=Server.objects.for_user(user))
    name = others.values_list("name", flat=True).first()
    if name is not None:
        raise Rejected(
            gettext(
                "The server %(name)s is no longer available to you. Open Tools, choose among those "
                "that are there, and send again."
            )
            % {"name": name}
        )


def with_web(choice: Choice | None, is_on: bool) -> Choice:
    """The choice with the tools of the web on or off."""
    return {**(choice or Choice()), "web": is_on}


def _names(value: object) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_OFFERED_NAMES:
        raise Rejected(UNREADABLE)
    if not all(isinstance(name, str) and len(name) <= MAX_OFFERED_NAME for name in value):
        raise Rejected(UNREADABLE)
    return [name.encode(errors="replace").decode().replace("\0", "") for name in value]


def _preset(conversation: Conversation, model: LanguageModel | None) -> Preset | None:
    return conversation.preset_with(model) if model else conversation.preset


def _is_barred(name: str, conversation: Conversation) -> bool:
    """A subagent has no subagents of its own; it keeps no facts, nor does a temporary
    conversation, or one in which others write."""
    if conversation.parent_call_id is not None:
        return name == TASK.name or name in _MEMORY
    is_of_one = not (conversation.is_temporary or conversation.is_shared_to_write)
    return name in _MEMORY and not is_of_one


def _is_offered(tool: Tool, choice: Choice | None, preset: Preset | None, user: AnyUser) -> bool:
    if tool.name in _MEMORY and not tool.server:
        return PersonalSettings.of(user).has_memory
    if choice is not None and "web" in choice and tool.name in WEB_TOOLS and not tool.server:
        return choice["web"]
    if choice is not None and "servers" in choice:
        return _is_chosen(tool, choice)
    if preset is None:
        return registry.is_offered(tool, None)
    return registry.is_offered(tool, preset.tools, preset.servers)


def _is_chosen(tool: Tool, choice: Choice) -> bool:
    if tool.opt_in:
        return tool.name in choice.get("on", ())
    return tool.server in choice.get("servers", ()) and tool.name not in choice.get("off", ())
