"""Running a tool call: arguments in, a result out, whatever happens.

    text ─ parse_arguments ─► arguments ─ execute_tool ─► ToolResult
                   └─► ToolResult (is_error)

A model reads every error, so each says what was wrong and what would have been right.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from limits.tools import MAX_LISTED_NAMES, MAX_TOOL_GRACE_S
from tools.calls.arguments import parse_arguments, taken_arguments, with_note
from tools.errors import Failed, ToolError
from tools.local.schema import context_parameter
from tools.mcp import calling
from tools.values.call import CallContext, ToolResult
from tools.values.tool import Tool
from tracing.formatting.text import with_full_stop

__all__ = ["CallContext", "ToolResult", "execute_tool", "parse_arguments", "unknown_tool"]

logger = logging.getLogger(__name__)


Progress = Callable[[float, float | None, str], None]


def unknown_tool(name: str, offered: Iterable[str]) -> ToolResult:
    """The result for a tool that is not offered: what it may have meant, and what there is. An
    empty name is one that the model left out."""
    names = list(offered)
    missing = f"There is no tool named {name!r}" if name else "The call names no tool"
    if not names:
        return ToolResult.error(f"{missing}, and no tool is available.")
    close = get_close_matches(name, names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    more = f", and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    listed = ", ".join(names[:MAX_LISTED_NAMES])
    return ToolResult.error(f"{missing}.{hint} Available tools: {listed}{more}.")


async def execute_tool(tool: Tool, arguments: dict[str, Any], context: CallContext) -> ToolResult:
    """Run `tool` on the loop; ends by `context.deadline_s`.

    Raises only `CancelledError` and what `context.before_send` raised (nothing was sent then).
    """
    if tool.config is not None:
        return await calling.call_remote_tool(tool.config, tool.tool, arguments, context)
    await context.before_send()
    known_arguments, left_out = taken_arguments(tool, arguments)
    return with_note(await _execute_local(tool, known_arguments, context), tool, left_out)


async def _execute_local(tool: Tool, arguments: dict[str, Any], context: CallContext) -> ToolResult:
    assert tool.function is not None, "a tool has a function or a server"
    keywords = dict(arguments)
    if name := context_parameter(tool.function):
        keywords[name] = replace(context, progress=_from_thread(context.progress))
    try:
        # A tool that minds its time by itself says better what became of it.
        async with asyncio.timeout(
            context.deadline_s + min(MAX_TOOL_GRACE_S, context.deadline_s / 10)
        ):
            return ToolResult.of_text(await asyncio.to_thread(tool.function, **keywords))
    except Failed as failed:
        return ToolResult.error(str(failed))
    except ToolError as error:
        return ToolResult.error(f"Error: {with_full_stop(str(error))}")
    except TimeoutError:
        return ToolResult.not_known(f"{tool.name} did not answer within {context.deadline_s:g} s.")
    except Exception as error:
        logger.exception("the local tool %s failed", tool.name)
        return ToolResult.error(f"{tool.name} failed: {type(error).__name__}: {error}")
    finally:
        context.cancelled.set()


def _from_thread(progress: Progress | None) -> Progress | None:
    """The same, to be called from a thread: it goes on on this loop."""
    if progress is None:
        return None
    loop = asyncio.get_running_loop()

    def tell(done: float, total: float | None, message: str) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it whoever listened
            loop.call_soon_threadsafe(progress, done, total, message)

    return tell
