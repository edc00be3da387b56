"""Running a tool call: arguments in, a result out, whatever happens.

    text ─ parse_arguments ─► arguments ─ call ─► ToolResult
                   └─► ToolResult (is_error)

A model reads every error, so each says what was wrong and what would have been right.
"""

import asyncio
import json
import logging
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from tools.calls import CallContext, ToolResult
from tools.errors import ToolError
from tools.local.schema import context_parameter
from tools.mcp import calling
from tools.tool import Tool
from tracing.fields import dump_json

__all__ = ["CallContext", "ToolResult", "call", "parse_arguments", "unknown"]

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
    try:
        problem = best_match(_validator(dump_json(tool.parameters)).iter_errors(arguments))
    except (SchemaError, Unresolvable, RecursionError) as error:
        # The server's schema is at fault; the server itself can still judge the arguments.
        logger.warning("the schema of %s cannot be used: %s", tool.name, error)
        return arguments
    return arguments if problem is None else _refused(tool, _sentence(problem))


def unknown(name: str, offered: Iterable[str]) -> ToolResult:
    """The result for a tool that is not offered: what it may have meant, and what there is."""
    names = list(offered)
    if not names:
        return ToolResult.error(f"There is no tool named {name!r}, and no tool is available.")
    close = get_close_matches(name, names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return ToolResult.error(
        f"There is no tool named {name!r}.{hint} Available tools: {', '.join(names)}."
    )


async def call(tool: Tool, arguments: dict[str, Any], context: CallContext) -> ToolResult:
    """Run `tool` on the loop; ends by `context.deadline_s`.

    Raises only `CancelledError` and what `context.before_send` raised (nothing was sent then).
    """
    if tool.config is not None:
        return await calling.call(tool.config, tool.tool, arguments, context)
    await context.before_send()
    return await _call_local(tool, arguments, context)


async def _call_local(tool: Tool, arguments: dict[str, Any], context: CallContext) -> ToolResult:
    assert tool.function is not None, "a tool has a function or a server"
    given = dict(arguments)
    if name := context_parameter(tool.function):
        given[name] = context
    try:
        async with asyncio.timeout(context.deadline_s):
            return ToolResult.of_text(await asyncio.to_thread(tool.function, **given))
    except ToolError as error:
        return ToolResult.error(f"Error: {error}.")
    except TimeoutError:
        return ToolResult.error(
            f"{tool.name} did not answer within {context.deadline_s:g} s.", unknown=True
        )
    except Exception as error:
        logger.exception("the local tool %s failed", tool.name)
        return ToolResult.error(f"{tool.name} failed: {type(error).__name__}: {error}")


@lru_cache(maxsize=512)
def _validator(schema: str) -> Validator:
    """Compiled once per schema. `$ref`s resolve inside the schema, never over the network."""
    parameters = json.loads(schema)
    kind = validator_for(parameters, default=Draft202012Validator)
    kind.check_schema(parameters)
    return kind(parameters, registry=Registry())


def _sentence(problem: ValidationError) -> str:
    """Where and what, without the value: it may be long, and the model has it."""
    where = f"At {problem.json_path}: " if problem.absolute_path else ""
    message = problem.message if len(problem.message) <= 500 else problem.message[:500] + " …"
    return f"The arguments do not fit the tool's schema. {where}{message}."


def _refused(tool: Tool, reason: str) -> ToolResult:
    return ToolResult.error(
        f"{reason}\n{tool.name} was not run. It expects arguments of this JSON Schema:\n"
        f"{dump_json(tool.parameters)}"
    )


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
