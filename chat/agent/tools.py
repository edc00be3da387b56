"""The tools that the engine runs itself: the function of each."""

from collections.abc import Callable
from typing import Any

from chat.agent import file_search, memory, skills, subagents, todos, tool_search
from chat.agent.claimed_call import ClaimedCall
from tools.calls.arguments import taken_arguments, with_note
from tools.local.agent import (
    AGENT_TOOLS,
    COMPACT,
    FORGET,
    LOAD_SKILL,
    REMEMBER,
    SEARCH_FILES,
    SEARCH_TOOLS,
    TASK,
    TODO,
)
from tools.values.call import ToolResult
from tracing.models.attributes import call_attributes

BY_NAME = {tool.name: tool for tool in AGENT_TOOLS}
Runs = Callable[[ClaimedCall, dict[str, Any]], ToolResult | None]


def compact(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """Records the request: the engine writes the summary before the next round."""
    call_attributes(call.span)["focus"] = str(arguments.get("focus") or "")
    return ToolResult.of_text(
        "The older part of the conversation is summarised before you go on, if there is enough."
    )


_RUNS: dict[str, Runs] = {
    COMPACT.name: compact,
    FORGET.name: memory.forget,
    LOAD_SKILL.name: skills.load,
    REMEMBER.name: memory.remember,
    SEARCH_FILES.name: file_search.search,
    SEARCH_TOOLS.name: tool_search.search,
    TASK.name: subagents.begin,
    TODO.name: todos.update,
}


def run(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult | None:
    """Runs a call in a database thread. None: a subagent brings its result later."""
    tool = BY_NAME[call.span.name]
    known, left_out = taken_arguments(tool, arguments)
    if left_out:
        call_attributes(call.span)["left_out"] = left_out
    result = _RUNS[tool.name](call, known)
    return None if result is None else with_note(result, tool, left_out)
