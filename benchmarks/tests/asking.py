"""The plain HTTP client of the stub's tests; it raises errors of the connection as they are."""

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
        choices = [choice for chunk in self.chunks for choice in chunk["choices"]]
        return next(filter(None, (choice["finish_reason"] for choice in choices)), None)

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


Messages = list[dict[str, Any]]


def request_body(model: str, messages: Messages | None = None, **extra: Any) -> bytes:
    options = {"model": model, "messages": messages or HELLO, "stream": True, **extra}
    return json.dumps(options).encode()


def ask(
    stub: Stub | StubProcess,
    model: str,
    messages: Messages | None = None,
    **extra: Any,
) -> Reply:
    """The reply of a model; raises what http.client raises on a broken connection."""
    connection = http.client.HTTPConnection(urlsplit(stub.url).netloc, timeout=5)
    try:
        connection.request("POST", "/v1/chat/completions", request_body(model, messages, **extra))
        response = connection.getresponse()
        return Reply(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()
