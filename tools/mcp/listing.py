"""Asking a server for its tools, and keeping what it answered."""

import hashlib
import json
from collections.abc import Sequence

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


def fingerprint(tool: mcp_types.Tool) -> str:
    """A hash of all that a model or an admin judges a tool by; it changes when any of it does."""
    seen = [tool.name, tool.description, tool.input_schema, tool.output_schema]
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def distinct(tools: Sequence[mcp_types.Tool]) -> list[mcp_types.Tool]:
    """The first tool of each name, in order: a second one of the same name cannot be called."""
    return list({tool.name: tool for tool in reversed(tools)}.values())[::-1]
