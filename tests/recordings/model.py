"""An OpenAI-compatible endpoint, on 127.0.0.1, whose model says what `scripts` has for it."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.recordings.scripts import SCRIPTS, Said

NAME = "scripted"
PIECE = 12  # characters
PAUSE = 0.02  # seconds between two pieces
Message = dict[str, Any]


class _Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Endpoint)
        self.refused: Counter[Said] = Counter()


class _Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said, number = said_to(body["messages"])
        if self.server.refused[said] < said.refusals:
            self.server.refused[said] += 1
            self._refuse()
        else:
            self._stream(said.message(number))

    def _refuse(self) -> None:
        error = {"message": "Too many requests in this minute.", "type": "rate_limit_error"}
        body = json.dumps({"error": error}).encode()
        self.send_response(429)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, answer: Message) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in _events(answer):
            piece = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
            time.sleep(PAUSE)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def running() -> Iterator[str]:
    """The base URL of a running endpoint."""
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def said_to(messages: list[Message]) -> tuple[Said, int]:
    """What the script of the latest question has for this round, and how many it said before; a
    title, if one is asked for. Raises KeyError and IndexError for what no script has."""
    if "You write the title" in str(messages[0]["content"]):
        return Said(title_of(messages[-1]["content"].removeprefix("<user>\n"))), 0
    asked = max(at for at, one in enumerate(messages) if one["role"] == "user")
    number = sum(one["role"] == "assistant" for one in messages[asked:])
    return SCRIPTS[messages[asked]["content"]][number], number


def title_of(question: str) -> str:
    """Its first words."""
    return " ".join(question.split()[:5])


def _events(answer: Message) -> Iterator[str]:
    yield _chunk({"role": "assistant", "content": ""})
    for part in ("reasoning_content", "content"):
        text = answer.get(part) or ""
        for at in range(0, len(text), PIECE):
            yield _chunk({part: text[at : at + PIECE]})
    for at, call in enumerate(answer.get("tool_calls", [])):
        yield _chunk({"tool_calls": [{**call, "index": at}]})
    yield _chunk({}, "tool_calls" if "tool_calls" in answer else "stop")
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    yield json.dumps({**_document(), "choices": [], "usage": usage})
    yield "[DONE]"


def _chunk(delta: Message, finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({**_document(), "choices": [choice]})


def _document() -> Message:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1_750_000_000,
        "model": NAME,
    }
