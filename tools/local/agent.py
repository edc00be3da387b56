"""Tools that the engine itself runs, because they change how a conversation goes on.

Here is what a model is told of them; `chat.agent` does them.
"""

from typing import Any

from tools.values.tool import Tool

_STATUS = {"type": "string", "enum": ["pending", "in_progress", "completed"]}
_ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "What names the item in later updates."},
        "text": {"type": "string", "description": "What is to be done; may be left out later."},
        "status": _STATUS,
    },
    "required": ["id", "status"],
}


def _tool(
    name: str,
    description: str,
    properties: dict[str, Any],
    required: list[str],
    *,
    is_opt_in: bool = True,
    **about: Any,
) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(
        name, description, schema, idempotent=True, by_engine=True, opt_in=is_opt_in, **about
    )


def _with_ids_as_text(arguments: dict[str, Any]) -> dict[str, Any]:
    """Many models number the items: `1` names the same one as `"1"`."""
    items = arguments.get("items")
    if not isinstance(items, list):
        return arguments
    return {**arguments, "items": [_with_id_as_text(item) for item in items]}


def _with_id_as_text(item: Any) -> Any:
    if not isinstance(item, dict) or type(item.get("id")) is not int:
        return item
    return {**item, "id": str(item["id"])}


TODO = _tool(
    "todo",
    "Replace the list of what is to be done, for work of several steps. Few items, at most one of "
    "them in progress. Keep it up to date as you go.",
    {"items": {"type": "array", "items": _ITEM, "description": "The whole list, in order."}},
    ["items"],
    tidied=_with_ids_as_text,
)
TASK = _tool(
    "task",
    "Give a part of the work to a subagent, which begins with nothing but this prompt and has the "
    "same tools. Only its final text comes back. Several calls at once run in parallel.",
    {
        "prompt": {"type": "string", "description": "All that the subagent has to know."},
        "description": {"type": "string", "description": "A few words for people."},
    },
    ["prompt"],
)
LOAD_SKILL = _tool(
    "load_skill",
    "Read the instructions of a skill before doing what it is for. The files that it has are then "
    "in /skills/NAME, to be read and run there.",
    {"name": {"type": "string", "description": "The name of the skill."}},
    ["name"],
)
COMPACT = _tool(
    "compact",
    "Replace the older part of this conversation by a summary, when it has become long and its "
    "details are not needed any more.",
    {"focus": {"type": "string", "description": "What the summary must keep."}},
    [],
)
SEARCH_TOOLS = _tool(
    "search_tools",
    "Find more tools by what they do, and make those that are found available from now on.",
    {"query": {"type": "string", "description": "What the tool is to do, in a few words."}},
    ["query"],
)
REMEMBER = _tool(
    "remember",
    "Keep a short fact about the user for later conversations: what they are, do or prefer. Only "
    "what stays true and what they would want you to know; no secrets, nothing they did not say.",
    {"fact": {"type": "string", "description": "One sentence, in the user's language."}},
    ["fact"],
)
FORGET = _tool(
    "forget",
    "Forget a fact about the user that is wrong, outdated or not wanted any more.",
    {"number": {"type": "integer", "description": "The fact's number in <memory>."}},
    ["number"],
)
SEARCH_FILES = _tool(
    "search_files",
    "Search the text of the user's files: those of this conversation and its project. Returns the "
    "passages that match best, with file, page or line, to be quoted. Any of the words may match. "
    "With `file` and `passage` it reads on there instead.",
    {
        "query": {"type": "string", "description": "What to look for, in a few telling words."},
        "file": {
            "type": "string",
            "description": "Only this file: its id in a result, or its name.",
        },
        "passage": {
            "type": "integer",
            "description": "Read the file from this passage on, in place of a search.",
        },
        "scope": {
            "type": "string",
            "enum": ["conversation", "all"],
            "description": "all: all files of the user, if they allow it in their settings.",
        },
        "limit": {"type": "integer", "description": "How many passages, 6 if left out."},
    },
    ["query"],
    is_opt_in=False,
)
# Offered to people who have switched memory on, whatever a preset names.
MEMORY_TOOLS = (REMEMBER, FORGET)
AGENT_TOOLS = (TODO, TASK, LOAD_SKILL, COMPACT, SEARCH_TOOLS, SEARCH_FILES, *MEMORY_TOOLS)
