"""Which function runs a call of a tool that the engine itself runs."""

from collections.abc import Callable
from typing import Any

from chat.agent import skills, subagents, todos, tool_search
from chat.engine.call import Call
from tools.calls import ToolResult
from tools.local.agent import COMPACT, LOAD_SKILL, SEARCH_TOOLS, TASK, TODO

Runs = Callable[[Call, dict[str, Any]], ToolResult | None]


def compact(call: Call, arguments: dict[str, Any]) -> ToolResult:
    """The engine looks for this call before the next round."""
    call.span.attributes["focus"] = str(arguments.get("focus") or "")
    return ToolResult.of_text(
        "The older part of the conversation is summarised before you go on, if there is enough."
    )


_RUNS: dict[str, Runs] = {
    COMPACT.name: compact,
    LOAD_SKILL.name: skills.load,
    SEARCH_TOOLS.name: tool_search.search,
    TASK.name: subagents.begin,
    TODO.name: todos.update,
}


def run(call: Call, arguments: dict[str, Any]) -> ToolResult | None:
    """Runs a call in a database thread. None: its result comes later, from somebody else."""
    return _RUNS[call.span.name](call, arguments)
