"""The endpoint of `manage.py cassette serve`: a small ASGI application over one cassette.

It needs no database, no Redis and no key. Paths may have any beginning, so that a base URL fits
with or without `/v1`.
"""

import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from chat.cassettes.answers import Reply, answer, document, error, models, paced
from chat.cassettes.library import Library
from limits.replay import MAX_CASSETTE_REQUEST_BYTES, MAX_CASSETTE_START_S

logger = logging.getLogger(__name__)

PROTOCOLS = {"/chat/completions": "openai", "/messages": "anthropic"}

# Answers a request by protocol and body.
Answering = Callable[[str, bytes], Reply]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def application(library: Library, speed: float = 1.0) -> "CassetteApplication":
    """An application that serves a cassette by the messages of requests."""
    return CassetteApplication(
        lambda protocol, body: answer(library, protocol, body, speed), models(library)
    )


class CassetteApplication:
    """`POST …/chat/completions`, `POST …/messages`, `GET …/models`."""

    def __init__(self, answering: Answering, listed: Reply) -> None:
        self._answering = answering
        self._listed = listed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await _send(send, await self._reply(scope, receive))

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        method, path = scope["method"], scope["path"].rstrip("/")
        if method == "GET" and path.endswith("/models"):
            return self._listed
        if method == "GET" and path in ("", "/health"):
            return document({"status": "ok"})
        protocol = next((each for end, each in PROTOCOLS.items() if path.endswith(end)), None)
        if protocol is None or method != "POST":
            sentence = f"There is nothing at {method} {path}; POST to /v1/chat/completions."
            return error("openai", 404, sentence)
        body = await _body(receive)
        if body is None:
            return error(protocol, 413, "The request is too large.")
        return self._answering(protocol, body)


async def _body(receive: Receive) -> bytes | None:
    pieces: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        piece = message.get("body", b"")
        pieces.append(piece)
        size += len(piece)
        more = message.get("more_body", False)
        if size > MAX_CASSETTE_REQUEST_BYTES:
            return None
    return b"".join(pieces)


async def _send(send: Send, reply: Reply) -> None:
    headers = [(name.encode(), value.encode()) for name, value in reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    async for piece in paced(reply):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


class Server(uvicorn.Server):
    """A server whose socket is bound at once, so that its port is known."""

    def __init__(self, app: CassetteApplication, host: str, port: int) -> None:
        # A recorded break of a connection is no error to log.
        config = uvicorn.Config(
            app, log_level="critical", lifespan="off", access_log=False, server_header=False
        )
        super().__init__(config)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family)
        self.ready = threading.Event()

    @property
    def url(self) -> str:
        host, port = self.listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    def serve_forever(self) -> None:
        self.run(sockets=[self.listener])


@contextmanager
def running(app: CassetteApplication) -> Iterator[str]:
    """Runs the application in a thread, at a free port. Yields its URL."""
    server = Server(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, name="cassette", daemon=True)
    thread.start()
    try:
        server.ready.wait(MAX_CASSETTE_START_S)
        yield server.url
    finally:
        server.should_exit = server.force_exit = True
        thread.join(MAX_CASSETTE_START_S)
