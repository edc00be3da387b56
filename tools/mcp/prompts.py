"""Prompts of servers: listed with the tools, filled in when somebody chooses one."""

from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import RequestParamsMeta

from tools.mcp.findings import Listed
from tools.mcp.resources import all_pages, asked
from tools.values.server_config import ServerConfig


async def listed_prompts(client: Client, notes: list[str]) -> Listed:
    """All pages of `prompts/list`, within bounds; nothing if the server has none. What is missing
    is told in `notes`."""
    if client.server_capabilities.prompts is None:
        return []
    return await all_pages(client.list_prompts, "prompts", notes)


async def get_prompt(
    config: ServerConfig, name: str, arguments: dict[str, str], workspace: Path
) -> dict[str, Any]:
    """`{"messages": [{"role", "content": a block}]}`. Raises `ToolError` with a sentence."""

    async def ask(client: Client, meta: RequestParamsMeta) -> Any:
        return await client.get_prompt(name, arguments, meta=meta)

    return await asked(config, workspace, ask)
