"""A model server that answers as a test says: for lists of models, and for picky servers."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests import patience


@dataclass(frozen=True)
class Asked:
    """A request: `body` is its JSON, None without one; header names are lower case."""

    path: str
    headers: dict[str, str]
    body: Any = None


@dataclass(frozen=True)
class Reply:
    """`body` is sent as it is, or as JSON."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Scripted:
    """A running server: its `base_url`, and what it was asked."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.asked: list[Asked] = []


@contextmanager
def scripted(answer: Callable[[Asked], Reply]) -> Iterator[Scripted]:
    """A server whose answers `answer` gives, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            running.asked.append(Asked(self.path, headers, body))
            reply = answer(running.asked[-1])
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.content)))
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, *_: object) -> None:
            """Quietly."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running = Scripted(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join(patience.SECONDS)
        server.server_close()


def streamed(*deltas: dict[str, Any]) -> Reply:
    """A streamed chat completion that says this and stops."""
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    body = "".join([*events, "data: [DONE]\n\n"]).encode()
    return Reply(body, headers={"Content-Type": "text/event-stream"})
