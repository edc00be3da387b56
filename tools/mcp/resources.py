"""Resources of servers: listed with the tools, read when somebody attaches one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client, MCPError
from mcp_types import RequestParamsMeta

from languages.stored import stored
from limits.mcp import MAX_RESOURCE_LIST_S, MAX_RESOURCE_PAGES, MAX_RESOURCES
from tools.errors import ConnectionFailed, ToolError
from tools.mcp import pool
from tools.mcp.connection import reason
from tools.mcp.findings import Listed
from tools.values.call import Frame
from tools.values.server_config import ServerConfig
from tracing.formatting.text import with_full_stop

logger = logging.getLogger(__name__)

Ask = Callable[[Client, RequestParamsMeta], Awaitable[Any]]


async def listed_resources(client: Client, notes: list[str]) -> Listed:
    """All pages of `resources/list`, within bounds, as MCP writes them; nothing if the server has
    none, or answers with something else: a server is judged by its tools. What is missing is told
    in `notes`."""
    if client.server_capabilities.resources is None:
        return []
    return await all_pages(client.list_resources, "resources", notes)


async def all_pages(page_of: Callable[..., Awaitable[Any]], key: str, notes: list[str]) -> Listed:
    entries: Listed = []
    cursors: list[str | None] = [None]
    try:
        async with asyncio.timeout(MAX_RESOURCE_LIST_S):
            while len(cursors) <= MAX_RESOURCE_PAGES and len(entries) < MAX_RESOURCES:
                page = await page_of(cursor=cursors[-1])
                entries += page.model_dump(by_alias=True, mode="json", exclude_none=True)[key]
                if not page.next_cursor or page.next_cursor in cursors:
                    break
                cursors.append(page.next_cursor)
            else:
                notes.append(
                    stored(
                        "The list of %(key)s was cut after %(count)s; there are more.",
                        key=key,
                        count=f"{len(entries):,}",
                    )
                )
    except Exception as error:
        logger.info("the %s of a server could not be listed: %s", key, reason(error))
        notes.append(
            stored(
                "The %(key)s could not be listed: the server %(error)s.",
                key=key,
                error=reason(error),
            )
        )
    return entries[:MAX_RESOURCES]


async def read_resource(config: ServerConfig, uri: str, workspace: Path) -> dict[str, Any]:
    """`{"contents": [{"uri", "mimeType"?, "text" | "blob"}]}`. Raises `ToolError`, in words."""

    async def ask(client: Client, meta: RequestParamsMeta) -> Any:
        return await client.read_resource(uri, meta=meta)

    return await asked(config, workspace, ask)


async def asked(config: ServerConfig, workspace: Path, ask: Ask) -> dict[str, Any]:
    """What the server answers, by the deadline of its calls; in a new session if it has forgotten
    the one that was open."""
    try:
        async with asyncio.timeout(config.timeout_s):
            answer = await _answer(config, workspace, ask)
            body: dict[str, Any] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
            return body
    except ConnectionFailed as failure:
        raise ToolError(
            stored(
                "No connection to the server %(name)s: %(reason)s",
                name=config.name,
                reason=with_full_stop(failure.reason),
            )
        ) from None
    except TimeoutError:
        sentence = stored(
            "The server %(name)s did not answer within %(timeout_s)s s.",
            name=config.name,
            timeout_s=f"{config.timeout_s:g}",
        )
        raise ToolError(sentence) from None
    except MCPError as error:
        raise ToolError(
            stored("The server %(name)s says: %(message)s", name=config.name, message=error.message)
        ) from None
    except Exception as error:
        raise ToolError(
            stored("The server %(name)s %(error)s.", name=config.name, error=reason(error))
        ) from error


async def _answer(config: ServerConfig, workspace: Path, ask: Ask, *, again: bool = False) -> Any:
    async with pool.of_loop().connection(config, workspace) as (session, _):
        frames: list[Frame] = []
        try:
            with session.recorded(frames) as meta:
                return await ask(await session.opened(), meta)
        except MCPError as error:
            if again or not session.forgot(error, frames):
                raise
            session.retire()
    return await _answer(config, workspace, ask, again=True)
