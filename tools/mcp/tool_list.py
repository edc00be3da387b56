"""Asking a server for its tools, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass

import mcp_types
from mcp import Client

from languages.stored import stored
from limits.mcp import MAX_TOOL_LIST_BYTES, MAX_TOOL_PAGES, MAX_TOOLS


@dataclass(frozen=True)
class ToolList:
    """The tools that a server listed; `note` is a sentence if there are more than were read."""

    tools: Sequence[mcp_types.Tool] = ()
    note: str = ""


async def listed_tools(client: Client) -> ToolList:
    """All pages of `tools/list`, within bounds; nothing if the server has no tools."""
    if client.server_capabilities.tools is None:
        return ToolList()
    tools: list[mcp_types.Tool] = []
    cursors: list[str | None] = [None]
    size = 0
    while len(cursors) <= MAX_TOOL_PAGES and len(tools) < MAX_TOOLS and size < MAX_TOOL_LIST_BYTES:
        page = await client.list_tools(cursor=cursors[-1])
        tools += page.tools
        size += len(page.model_dump_json())
        if not page.next_cursor or page.next_cursor in cursors:  # the last one, or a circle
            return ToolList(tools[:MAX_TOOLS], _surplus(len(tools)))
        cursors.append(page.next_cursor)
    pages = len(cursors) - 1
    note = _surplus(len(tools)) or stored(
        "The list of tools was cut after %(pages)s with %(count)s tools; the server has more.",
        pages=stored("1 page") if pages == 1 else stored("%(count)s pages", count=pages),
        count=f"{len(tools):,}",
    )
    return ToolList(tools[:MAX_TOOLS], note)


def _surplus(count: int) -> str:
    if count <= MAX_TOOLS:
        return ""
    return stored(
        "Of %(count)s tools that the server listed only the first %(most)s are used.",
        count=f"{count:,}",
        most=f"{MAX_TOOLS:,}",
    )
