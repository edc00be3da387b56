"""The arguments of a call, as a model or a person wrote them, against the tool's schema.

Apart from the running of a call, so that the web process can check what a person changed.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jsonschema.exceptions import ValidationError

from db.fields import dump_json
from limits.tools import MAX_LISTED_ARGUMENT, MAX_LISTED_ARGUMENTS
from tools.definitions import schema_validation
from tools.values.call import ToolResult, text_block
from tools.values.tool import Tool
from tracing.formatting.text import with_full_stop

logger = logging.getLogger(__name__)


def parse_arguments(tool: Tool, text: str) -> dict[str, Any] | ToolResult:
    """The arguments that a model wrote as JSON text, checked against the tool's schema.

    Nothing at all counts as `{}`. What is not valid gives an error result for the model.
    """
    try:
        arguments = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        return _refused(tool, f"The arguments are not valid JSON: {error}.")
    if not isinstance(arguments, dict):
        return _refused(tool, f"The arguments must be a JSON object, not {_kind(arguments)}.")
    arguments = tool.tidied(arguments)
    try:
        problem = schema_validation.problem(tool.parameters, arguments)
    except schema_validation.Unusable as error:
        # The server's schema is at fault; the server itself can still judge the arguments.
        logger.warning("the schema of %s cannot be used: %s", tool.name, error)
        return arguments
    return arguments if problem is None else _refused(tool, _sentence(problem))


def taken_arguments(tool: Tool, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments that a tool of ours has, and the names of others that the model made up."""
    known = tool.parameters.get("properties", {})
    taken = {name: value for name, value in arguments.items() if name in known}
    return taken, [name for name in arguments if name not in known]


def with_note(result: ToolResult, tool: Tool, left_out: Sequence[str]) -> ToolResult:
    """The result, at its end what the tool was not given."""
    note = left_out_note(tool.name, left_out)
    return replace(result, content=[*result.content, text_block(note)]) if note else result


def left_out_note(tool: str, names: Sequence[str]) -> str:
    """The sentence for the model about arguments that a tool does not have; "" without any."""
    if not names:
        return ""
    more = (
        f" and {len(names) - MAX_LISTED_ARGUMENTS} more"
        if len(names) > MAX_LISTED_ARGUMENTS
        else ""
    )
    listed = ", ".join(repr(name[:MAX_LISTED_ARGUMENT]) for name in names[:MAX_LISTED_ARGUMENTS])
    verb = "it was" if len(names) == 1 else "they were"
    return f"[{tool} has no argument {listed}{more}; {verb} left out.]"


def _sentence(problem: ValidationError) -> str:
    """Where and what, without the value: it may be long, and the model has it."""
    where = f"At {problem.json_path}: " if problem.absolute_path else ""
    message = problem.message if len(problem.message) <= 500 else problem.message[:500] + " …"
    return f"The arguments do not fit the tool's schema. {where}{with_full_stop(message)}"


def _refused(tool: Tool, reason: str) -> ToolResult:
    return ToolResult.error(
        f"{reason}\n{tool.name} was not run. It expects arguments of this JSON Schema:\n"
        f"{dump_json(tool.parameters)}"
    )


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
