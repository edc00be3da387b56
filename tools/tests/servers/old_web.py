"""Servers of the transport of 2024 (HTTP with SSE): the SDK's, and ones that misbehave."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from tools.tests.servers.web import OPENED


def good() -> Starlette:
    """The SDK's server, at `/sse`."""
    server = MCPServer("old", version="1.0")

    @server.tool()
    def echo(text: str) -> str:
        """Say it again."""
        return text

    return server.sse_app()


def bad() -> Starlette:
    """`/<kind>/sse`: what goes wrong with the stream, or with `tools/call`."""
    old = _Old()
    return Starlette(
        routes=[
            Route("/{kind}/sse", old.stream, methods=["GET"]),
            Route("/{kind}/messages", old.take, methods=["POST"]),
        ]
    )


class _Old:
    """One session a kind at a time."""

    def __init__(self) -> None:
        self._queues: dict[str, asyncio.Queue[bytes | None]] = {}

    async def stream(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        match kind:
            case "html":
                return Response("<h1>Log in</h1>", media_type="text/html")
            case "401":
                return Response(status_code=401, headers={"www-authenticate": "Bearer realm=x"})
            case "redirect":
                return RedirectResponse("http://169.254.169.254/latest")
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queues[kind] = queue
        return StreamingResponse(_events(kind, queue), media_type="text/event-stream")

    async def take(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        message = json.loads(await request.body())
        put = self._queues[kind].put_nowait
        match message.get("method"):
            case "initialize":
                put(_event(_answer(message, OPENED)))
            case "tools/list":
                tool = {"name": "go", "inputSchema": {"type": "object"}}
                put(_event(_answer(message, {"tools": [tool]})))
            case "tools/call":
                return self._call(kind, message)
            case _ if "id" in message:
                error = {"code": -32601, "message": "no such method"}
                put(_event({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        return Response(status_code=202)

    def _call(self, kind: str, message: dict[str, Any]) -> Response:
        put = self._queues[kind].put_nowait
        match kind:
            case "404" | "429" | "500":
                return PlainTextResponse("no", int(kind))
            case "ends":
                put(None)
            case "garbage":
                for _ in range(2000):
                    put(b"event: message\ndata: { nope\n\n")
            case "some-garbage":
                put(b": ping\n\nevent: odd\ndata: x\n\nevent: message\ndata: {nope\n\n")
                put(_event(_answer(message, _text("after it"))))
            case "large":
                put(_event(_answer(message, _text("x" * 20 * 2**20))))
            case "two-mb":
                put(_event(_answer(message, _text("x" * 2 * 2**20))))
        return Response(status_code=202)


async def _events(kind: str, queue: "asyncio.Queue[bytes | None]") -> AsyncIterator[bytes]:
    if kind == "no-endpoint":
        await asyncio.sleep(3600)
    elsewhere = "http://169.254.169.254" if kind == "elsewhere" else ""
    yield f"event: endpoint\ndata: {elsewhere}/{kind}/messages\n\n".encode()
    while (event := await queue.get()) is not None:
        yield event
        while kind == "comments" and queue.empty():
            yield b": ping\n" * 10_000
            await asyncio.sleep(0)  # sending to who is gone returns at once, and never lets go


def _event(message: dict[str, Any]) -> bytes:
    return f"event: message\ndata: {json.dumps(message)}\n\n".encode()


def _answer(message: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _text(content: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": content}]}
