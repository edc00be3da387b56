"""Changes of a server's tools while a session with it is open.

Old servers send a notification; new ones need a subscription, which is a stream of its own. Either
only causes a new `tools/list` in the same session, since a server may offer some tools in that
session only. A list that differs is reported. A server that notifies all the time costs one list
every `PAUSE_S`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

import mcp_types
from mcp import Client, MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from limits.mcp import MAX_CHANGED_LIST_S
from tools.mcp.sdk import ListenNotSupportedError, SubscriptionLost
from tools.mcp.tool_list import ToolList, listed_tools

logger = logging.getLogger(__name__)

SETTLE_S = 0.5  # seconds: several changes of one moment cause one list
PAUSE_S = 15.0  # seconds between two lists, and between two subscriptions


class Changes:
    """The changes in one session. `hear` is the SDK's `message_handler`, `follow` runs as a task;
    `relisted` is awaited with each list that differs from the one before."""

    def __init__(self, server: str, relisted: Callable[[ToolList], Awaitable[None]]) -> None:
        self._server = server
        self._relisted = relisted
        self._rung = asyncio.Event()

    async def hear(self, message: object) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._rung.set()

    async def follow(self, client: Client, known: Sequence[mcp_types.Tool]) -> None:
        """Runs until cancelled. `known` is the list of when the session was opened."""
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._relist(client, known))
                if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    group.create_task(self._subscribe(client))
        except Exception:
            logger.exception("changes of the tools of %s are no longer noticed", self._server)

    async def _relist(self, client: Client, known: Sequence[mcp_types.Tool]) -> None:
        while True:
            await self._rung.wait()
            await asyncio.sleep(SETTLE_S)
            self._rung.clear()
            try:
                async with asyncio.timeout(MAX_CHANGED_LIST_S):
                    tool_list = await listed_tools(client)
            except (MCPError, ValidationError, TimeoutError) as error:
                logger.debug("%s did not list its changed tools: %s", self._server, error)
            else:
                if tool_list.tools != known:
                    known = tool_list.tools
                    await self._report(tool_list)
            await asyncio.sleep(PAUSE_S)

    async def _report(self, listed: ToolList) -> None:
        try:
            await self._relisted(listed)
        except Exception:
            # The session goes on: the next check lists what has changed.
            logger.exception("a change of the tools of %s could not be stored", self._server)

    async def _subscribe(self, client: Client) -> None:
        while True:
            try:
                async with client.listen(tools_list_changed=True) as subscription:
                    self._rung.set()  # a change before the subscription was missed
                    async for _ in subscription:
                        self._rung.set()
            except ListenNotSupportedError:
                return
            except (MCPError, SubscriptionLost, TimeoutError) as error:
                logger.debug("the subscription to %s ended: %s", self._server, error)
            await asyncio.sleep(PAUSE_S)
