"""The tool `search_tools`: finds tools of the conversation, which are sent from then on."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from chat import offering
from chat.agent.claimed_call import ClaimedCall
from chat.agent.limits import limits
from chat.models import Conversation
from limits.chat import (
    MAX_ACTIVATED_TOOLS,
    MAX_SEARCHED_DESCRIPTION,
    MAX_SEARCHED_NAMES,
    MAX_SEARCHED_TOOLS,
)
from tools.definitions.relevance import Index, parameters_of
from tools.local.agent import SEARCH_TOOLS
from tools.values.call import ToolResult
from tools.values.tool import Tool
from tracing.models.attributes import call_attributes

EMPTY = "Say in a few words what the tool is to do."


def search(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """A short description of the tools that match; they are sent in full from the next round on."""
    turn, query = call.turn, str(arguments["query"]).strip()
    if not query:
        return ToolResult.error(EMPTY)
    tools = offering.of(turn.conversation, turn.model, turn.user)
    others = [tool for tool in tools if tool.name != SEARCH_TOOLS.name]
    matches = Index(others).ranked(query)[: _max_matches(call)]
    call_attributes(call.span)["activated"] = [tool.name for tool in matches]
    if not matches:
        return ToolResult.of_text(_no_match(query, others))
    _activate(turn.conversation, [tool.name for tool in matches])
    listing = "\n\n".join(map(_short_description, matches))
    return ToolResult.of_text(f"{_count(matches)} {query!r}. You can call them now:\n\n{listing}")


def _max_matches(call: ClaimedCall) -> int:
    """At most as many as can be sent beside `search_tools`."""
    if call.turn.model is None:
        return MAX_SEARCHED_TOOLS
    room = limits(call.turn.conversation, call.turn.model).tools_sent - 1
    return min(MAX_SEARCHED_TOOLS, room) if room > 0 else MAX_SEARCHED_TOOLS


def _activate(conversation: Conversation, names: list[str]) -> None:
    """Puts these tools before those that earlier searches activated."""
    with transaction.atomic():
        row = Conversation.objects.select_for_update().get(pk=conversation.pk)
        earlier = [name for name in row.activated if name not in names]
        activated = [*names, *earlier][:MAX_ACTIVATED_TOOLS]
        Conversation.objects.filter(pk=row.pk).update(activated=activated)


def _count(matches: Sequence[Tool]) -> str:
    return "1 tool fits" if len(matches) == 1 else f"{len(matches)} tools fit"


def _no_match(query: str, tools: Sequence[Tool]) -> str:
    names = ", ".join(tool.name for tool in tools[:MAX_SEARCHED_NAMES]) or "none"
    more = (
        f", and {len(tools) - MAX_SEARCHED_NAMES} more" if len(tools) > MAX_SEARCHED_NAMES else ""
    )
    return f"No tool fits {query!r}; there are {names}{more}."


def _short_description(tool: Tool) -> str:
    value = tool.parameters.get("required")
    required = value if isinstance(value, list) else []
    lines = [
        f"  {name}{_kind(schema)}{'' if name in required else ', optional'}{_description(schema)}"
        for name, schema in parameters_of(tool.parameters).items()
    ]
    return "\n".join([f"{tool.name}: {_cut(tool.description) or 'no description'}", *lines])


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    return f" ({kind})" if isinstance(kind, str) else ""


def _description(schema: dict[str, Any]) -> str:
    text = schema.get("description")
    return f": {_cut(text)}" if isinstance(text, str) and text.strip() else ""


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return (
        line
        if len(line) <= MAX_SEARCHED_DESCRIPTION
        else f"{line[: MAX_SEARCHED_DESCRIPTION - 1]}…"
    )
