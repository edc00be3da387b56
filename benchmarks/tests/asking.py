"""How the stub's tests ask it: a plain HTTP client, which shows errors as they come."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchmarks.stub import Stub, StubProcess

HELLO = [{"role": "user", "content": "hello"}]


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """The JSON of every event but `[DONE]`."""
        events = self.body.decode().split("\n\n")
        return [json.loads(event[6:]) for event in events if event not in ("", "data: [DONE]")]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [chunk["choices"][0]["delta"] for chunk in self.chunks if chunk["choices"]]

    def text(self, field: str = "content") -> str:
        return "".join(delta.get(field) or "" for delta in self.deltas)

    @property
    def finish_reason(self) -> str | None:
        reasons = [
            chunk["choices"][0]["finish_reason"] for chunk in self.chunks if chunk["choices"]
        ]
        return next(filter(None, reasons), None)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls, merged by index."""
        merged: dict[int, dict[str, Any]] = {}
        for delta in self.deltas:
            for piece in delta.get("tool_calls", []):
                call = merged.setdefault(piece["index"], {"id": piece.get("id"), "arguments": ""})
                call["name"] = piece["function"].get("name", call.get("name"))
                call["arguments"] += piece["function"]["arguments"]
        return [merged[index] for index in sorted(merged)]


def request_body(
    model: str, messages: list[dict[str, Any]] | None = None, **extra: object
) -> bytes:
    return json.dumps(
        {"model": model, "messages": messages or HELLO, "stream": True, **extra}
    ).encode()


def ask(
    stub: Stub | StubProcess,
    model: str,
    messages: list[dict[str, Any]] | None = None,
    **extra: object,
) -> Reply:
    """The reply of a model; raises what http.client raises on a broken connection."""
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    try:
        connection.request("POST", "/v1/chat/completions", request_body(model, messages, **extra))
        response = connection.getresponse()
        return Reply(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()
