"""MCP servers over real HTTP: a good one made with the SDK, and responses that are none."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.serving import served


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """The URL at which `app` answers until the block ends; without a port at any that is free."""
    quiet = {"log_level": "critical", "timeout_graceful_shutdown": 1}
    with served(app, port, lifespan="auto", **quiet) as url:
        yield f"{url}/mcp"


def good() -> Starlette:
    """Echoes, tells the header that it got (backwards), and answers late."""
    server = MCPServer("good", version="2.1", instructions="Be kind.")

    @server.tool()
    def echo(text: str) -> str:
        """Say it again."""
        return text

    @server.tool()
    async def secret(context: Context[Any, Any]) -> str:
        request = context.request_context.request
        return str(request and request.headers.get("authorization"))[::-1]

    @server.tool()
    async def late() -> str:
        await asyncio.sleep(60)
        return "late"

    return server.streamable_http_app()


def bad() -> Starlette:
    """`/<kind>/mcp` opens an old session properly; then `tools/call` goes wrong in that way."""
    routes = [
        Mount(f"/{kind}", routes=[Route("/mcp", _Bad(kind).respond, methods=METHODS)])
        for kind in KINDS
    ]
    return Starlette(routes=routes)


def modern_only() -> ASGIApp:
    """The good server, after it has forgotten the handshake of old."""
    server = good()

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await server(scope, receive, send)
        request = Request(scope, receive)
        body = await request.body()
        if body and json.loads(body).get("method") == "initialize":
            return await PlainTextResponse("no", 400)(scope, receive, send)

        replayed: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return replayed.pop() if replayed else await receive()

        return await server(scope, again, send)

    return respond


def growing() -> Starlette:
    """`grow` adds a tool, and says so to whom it may concern."""
    server = MCPServer("growing")

    @server.tool()
    async def grow(context: Context[Any, Any]) -> str:
        name = f"tool_{len(await server.list_tools())}"
        server.add_tool(lambda: "new", name=name, description="new")
        await context.notify_tools_changed()
        return name

    return server.streamable_http_app()


def echo_host() -> Starlette:
    """Answers with the `Host` header."""

    async def respond(request: Request) -> Response:
        return PlainTextResponse(request.headers["host"])

    return Starlette(routes=[Route("/mcp", respond, methods=["POST"])])


NO_SESSION = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
METHODS = ["GET", "POST", "DELETE"]
KINDS = (
    "401", "401-gzip", "403", "404", "429", "500", "html", "redirect", "redirect-302", "reset",
    "silent", "cut", "large", "large-event", "gzip", "not-json", "accepted", "never-open",
    "forgets-404", "forgets-400", "forgets-plainly", "forgets-without-id", "forgets-silently",
    "own-400", "not-rpc", "not-rpc-event", "not-finite", "not-finite-event",
)  # fmt: skip


# What is answered in a session that is not known: HTTP status and JSON, or none.
FORGETFUL: dict[str, tuple[int, Any]] = {
    "forgets-404": (404, {"id": None, "error": {"code": -32600, "message": "Session not found"}}),
    "forgets-400": (400, {"id": None, "error": NO_SESSION}),
    "forgets-without-id": (400, {"error": NO_SESSION}),
    "forgets-silently": (400, None),
    "forgets-plainly": (404, None),
}


class _Bad:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.opened = 0

    async def respond(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=405)
        message = json.loads(await request.body())
        method = message.get("method")
        if self.kind == "never-open":
            return PlainTextResponse("down for maintenance", 503)
        if method == "initialize":
            self.opened += 1
            return _answer(message, OPENED, {"mcp-session-id": f"s{self.opened}"})
        if self.kind in FORGETFUL and method in ("tools/call", "resources/read"):
            return self._forgetful(request, message)
        if method == "tools/list":
            schema = {"type": "object", "properties": {}}
            return _answer(message, {"tools": [{"name": "go", "inputSchema": schema}]})
        if method == "tools/call" and message["params"]["name"] == "wait":
            await asyncio.sleep(0.5)
            return _answer(message, {"content": [{"type": "text", "text": "waited"}]})
        if method == "tools/call":
            return self._broken(message)
        return Response(status_code=404 if "id" in message else 202)

    def _forgetful(self, request: Request, message: dict[str, Any]) -> Response:
        """Knows the sessions with an even number only."""
        number = int(request.headers["mcp-session-id"][1:])
        if number % 2 == 0:
            text = f"session {number}"
            block = {"type": "text", "text": text}
            contents = [{"uri": "memo://1", "text": text}]
            return _answer(message, {"content": [block], "contents": contents})
        status, body = FORGETFUL[self.kind]
        if body is None:
            return PlainTextResponse("gone", status)
        return JSONResponse({"jsonrpc": "2.0"} | body, status)

    def _broken(self, message: dict[str, Any]) -> Response:
        match self.kind:
            case "401":
                return Response(status_code=401, headers={"www-authenticate": "Bearer realm=x"})
            case "401-gzip":
                headers = {"www-authenticate": "Bearer realm=x", "content-encoding": "gzip"}
                return Response(gzip.compress(b"Log in"), 401, headers=headers)
            case "403" | "404" | "429" | "500":
                return PlainTextResponse("no", int(self.kind))
            case "own-400":
                error = {"code": -32602, "message": "no such colour"}
                return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error}, 400)
            case "html":
                return Response("<h1>Log in</h1>", media_type="text/html")
            case "redirect":
                return RedirectResponse("http://169.254.169.254/latest", 307)
            case "redirect-302":
                return RedirectResponse("http://169.254.169.254/latest", 302)
            case "silent":
                return StreamingResponse(_endless(b""), media_type="text/event-stream")
            case "cut":
                return Response(b"event: message\n", media_type="text/event-stream")
            case "large":
                return Response(b"x" * 200_000_000, media_type="application/json")
            case "large-event":
                event = b"data: " + b"x" * 20_000_000 + b"\n\n"
                return Response(event, media_type="text/event-stream")
            case "gzip":
                packed = gzip.compress(b"0" * 10_000_000)
                return Response(
                    packed, media_type="application/json", headers={"content-encoding": "gzip"}
                )
            case "not-json":
                return Response(b"{nope", media_type="application/json")
            case "not-rpc":
                return JSONResponse({"status": "fine"})
            case "not-rpc-event":
                return Response('data: {"status": "fine"}\n\n', media_type="text/event-stream")
            case "not-finite":
                return Response(_not_finite(message), media_type="application/json")
            case "not-finite-event":
                text = f": it's \"odd\ndata: {_not_finite(message)}\n\n"
                return Response(text, media_type="text/event-stream")
            case "accepted":
                return Response(status_code=202)
        raise ConnectionResetError


OPENED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "bad", "version": "0"},
}


def _not_finite(message: dict[str, Any]) -> str:
    block = {"type": "text", "text": "NaN is in here"}
    result = {"content": [block], "structuredContent": {"mean": float("nan")}}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})


def _answer(
    message: dict[str, Any], result: dict[str, Any], headers: dict[str, str] | None = None
) -> Response:
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    return Response(body, media_type="application/json", headers=headers)


async def _endless(piece: bytes) -> AsyncIterator[bytes]:
    await asyncio.sleep(60)
    yield piece
