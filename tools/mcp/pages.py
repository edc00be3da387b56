"""Asking a server for its tools, page by page."""

import mcp_types
from mcp import Client

MOST_PAGES = 100
MOST_TOOLS = 1_000


async def listed_tools(client: Client) -> list[mcp_types.Tool]:
    """All pages of `tools/list`, within bounds; nothing if the server has no tools."""
    if client.server_capabilities.tools is None:
        return []
    tools: list[mcp_types.Tool] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None or len(tools) >= MOST_TOOLS:
            break
    return tools[:MOST_TOOLS]
