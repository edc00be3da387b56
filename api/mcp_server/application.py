"""The ASGI door of `/mcp`: checks a request by its headers, reads its body, and gives it to the
SDK's server, which is imported with the first one that has a valid token.

It stands before Django, whose handler would read a body before it knows the sender, and keeps a
thread for as long as a response takes: a tool may wait for minutes.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from api.mcp_server import gate
from api.mcp_server.gate import PATH, Refusal
from db.threads import from_loop
from limits.mcp_server import MAX_MCP_BODY_BYTES, MAX_MCP_REQUESTS
from limits.web import MAX_BODY_GRACE_S
from tokens.access import Access

Scope = dict[str, Any]
Application = Callable[..., Awaitable[Any]]
HOST = Refusal(421, "This server has another name.")
ORIGIN = Refusal(403, "Pages of other sites may not use this server.")
TOO_LARGE = Refusal(413, f"A request has at most {MAX_MCP_BODY_BYTES:,} bytes.")
TOO_SLOW = Refusal(408, "The request came too slowly and was not read to its end. Try again.")
TOO_MANY = Refusal(
    429,
    f"{MAX_MCP_REQUESTS} requests run already. Wait until one of them is done, and try again.",
    {"retry-after": "2"},
)
METHOD = Refusal(405, "Send JSON-RPC by POST.", {"allow": "POST"})


class McpServer:
    """The middleware. `address` gives the client's address of a request by which it is counted,
    `audited_address` that of the audit log; `is_own_origin` says whether an Origin is this
    server's, given Origin, Host and scheme. `serving` is the name of the
    module that answers whoever comes in."""

    def __init__(
        self,
        application: Application,
        *,
        address: Callable[[Scope], str],
        audited_address: Callable[[Scope], str | None],
        is_own_origin: Callable[[str, str, str], bool],
        serving: str = "api.mcp_server.serving",
    ) -> None:
        self._application, self._serving = application, serving
        self._address, self._audited_address = address, audited_address
        self._is_own_origin = is_own_origin
        self._requests: Counter[int | str] = Counter()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") != PATH:
            await self._application(scope, receive, send)
            return
        if refusal := self._misdirected(scope):
            await refusal.send(send)
            return
        address = self._address(scope)
        found = await self._counted(address, from_loop(gate.enter, scope))
        if isinstance(found, Refusal):
            await found.send(send)
            return
        served = self._serve(found, scope, receive, send)
        if refusal := await self._counted(found.user.pk, served):
            await refusal.send(send)

    def _misdirected(self, scope: Scope) -> Refusal | None:
        host, origin = gate.header(scope, b"host"), gate.header(scope, b"origin")
        if not gate.has_known_host(scope):
            return HOST
        has_origin = any(name == b"origin" for name, _ in scope["headers"])
        if has_origin and not self._is_own_origin(origin, host, scope["scheme"]):
            return ORIGIN
        # No session, and so no stream of its own: there is nothing to GET or to DELETE.
        return None if scope["method"] == "POST" else METHOD

    async def _counted(self, sender: int | str, work: Any) -> Any:
        """What the work answers, unless as much of this sender's runs already."""
        if self._requests[sender] >= MAX_MCP_REQUESTS:
            work.close()
            return TOO_MANY
        self._requests[sender] += 1
        try:
            return await work
        finally:
            self._requests[sender] -= 1
            if not self._requests[sender]:
                del self._requests[sender]

    async def _serve(self, access: Access, scope: Scope, receive: Any, send: Any) -> Refusal | None:
        try:
            async with asyncio.timeout(MAX_BODY_GRACE_S):
                body = await _read(receive)
        except TimeoutError:
            return TOO_SLOW
        if body is None:
            return TOO_LARGE
        missing = gate.missing_scope(body, access)
        if missing and (refusal := gate.step_up(scope, access, missing)):
            return refusal
        # Half a second of imports, which no other request is to wait for.
        serving = await asyncio.to_thread(import_module, self._serving)
        address = self._audited_address(scope)
        # Spaces around a value are none of it (RFC 9110, 5.5).
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        inner = {**scope, "path": PATH, "headers": headers, serving.CAME_IN: (access, address)}
        await serving.handle(inner, _replayed(body, receive), send)
        return None


async def _read(receive: Any) -> bytes | None:
    """The whole body; None if it is too large. A client that leaves is told nothing."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_MCP_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(body: bytes, receive: Any) -> Callable[[], Awaitable[Any]]:
    is_given = False

    async def replay() -> Any:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
