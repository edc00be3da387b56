"""Asking a server for its tools, page by page."""

import mcp_types
from mcp import Client

from tools.mcp.carriers import FRAME_BYTES

MOST_PAGES = 100
MOST_TOOLS = 1_000
MOST_BYTES = 4 * FRAME_BYTES


async def listed_tools(client: Client) -> list[mcp_types.Tool]:
    """All pages of `tools/list`, within bounds; nothing if the server has no tools."""
    if client.server_capabilities.tools is None:
        return []
    tools: list[mcp_types.Tool] = []
    cursors: list[str | None] = [None]
    size = 0
    while len(cursors) <= MOST_PAGES and len(tools) < MOST_TOOLS and size < MOST_BYTES:
        page = await client.list_tools(cursor=cursors[-1])
        tools += page.tools
        size += len(page.model_dump_json())
        if not page.next_cursor or page.next_cursor in cursors:  # the last one, or a circle
            break
        cursors.append(page.next_cursor)
    return tools[:MOST_TOOLS]
