"""Running a tool call: arguments in, a result out, whatever happens.

    text ─ parse_arguments ─► arguments ─ call ─► ToolResult
                   └─► ToolResult (is_error)

A model reads every error, so each says what was wrong and what would have been right.
"""

import asyncio
import logging
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from tools.arguments import parse_arguments
from tools.calls import CallContext, ToolResult
from tools.errors import ToolError
from tools.local.schema import context_parameter
from tools.mcp import calling
from tools.tool import Tool

__all__ = ["CallContext", "ToolResult", "call", "parse_arguments", "unknown"]

logger = logging.getLogger(__name__)


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
