"""An OpenAI-compatible endpoint, on 127.0.0.1, whose model says what `scripts` has for it."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.recordings.scripts import SCRIPTS

NAME = "scripted"
PIECE = 12  # characters
PAUSE = 0.02  # seconds between two pieces
Message = dict[str, Any]


class _Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = answer_to(body["messages"])
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
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def answer_to(messages: list[Message]) -> Message:
    """What the script of the latest question has for this round; a title, if one is asked for.
    Raises KeyError and IndexError for what no script has."""
    if "You write the title" in str(messages[0]["content"]):
        return {"role": "assistant", "content": _title(messages[-1]["content"])}
    asked = max(at for at, one in enumerate(messages) if one["role"] == "user")
    said = sum(one["role"] == "assistant" for one in messages[asked:])
    found: Message = SCRIPTS[messages[asked]["content"]][said].message(said)
    return found


def _title(exchange: str) -> str:
    """The first words of what the person wrote."""
    return " ".join(exchange.removeprefix("<user>\n").split()[:5])


def _events(answer: Message) -> Iterator[str]:
    yield _chunk({"role": "assistant", "content": ""})
    text = answer["content"] or ""
    for at in range(0, len(text), PIECE):
        yield _chunk({"content": text[at : at + PIECE]})
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
