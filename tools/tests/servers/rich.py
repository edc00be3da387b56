"""A stdio MCP server whose tools answer with every kind of content; standard library only."""

import base64
import json
import struct
import sys
import zlib
from typing import Any

ROWS = [{"name": "Ada", "born": 1815}, {"name": "Grace", "born": 1906}]
LONG = "".join(f"line {number}\n" for number in range(20_000))


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def png(width: int = 160, height: int = 90) -> bytes:
    """A gradient."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // width, y * 255 // height, 160)) for x in range(width))
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def wav() -> bytes:
    """A tenth of a second of silence."""
    samples = bytes(800)
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    data = struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI4s", b"RIFF", 4 + len(fmt) + len(data), b"WAVE") + fmt + data


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


RESULTS: dict[str, dict[str, Any]] = {
    "picture": {
        "content": [
            text("A gradient."),
            {"type": "image", "data": encoded(png()), "mimeType": "image/png"},
        ]
    },
    "sound": {"content": [{"type": "audio", "data": encoded(wav()), "mimeType": "audio/wav"}]},
    "links": {
        "content": [
            {"type": "resource_link", "uri": "https://example.org/a?b=<c>", "name": "A page"},
            {
                "type": "resource",
                "resource": {
                    "uri": "file:///notes.txt",
                    "text": "Notes.",
                    "mimeType": "text/plain",
                },
            },
            {
                "type": "resource",
                "resource": {"uri": "file:///x.bin", "blob": encoded(b"\0\1\2"), "mimeType": "a/b"},
            },
        ]
    },
    "table": {"content": [text(json.dumps(ROWS))], "structuredContent": {"people": ROWS}},
    "tree": {"content": [text(json.dumps({"a": {"b": [1, {"c": True}]}, "d": "e"}))]},
    "structured": {"content": [text("Two people.")], "structuredContent": {"people": ROWS}},
    "untrue": {"content": [text("three")], "structuredContent": {"total": "three"}},
    "mislabelled": {
        "content": [{"type": "image", "data": encoded(b"<svg onload=x>"), "mimeType": "image/png"}]
    },
    "long": {"content": [text(LONG)]},
}
SCHEMAS: dict[str, Any] = {
    "untrue": {"type": "object", "properties": {"total": {"type": "integer"}}},
}
RESOURCES = [
    {"uri": "memo://notes", "name": "notes", "description": "What was noted", "size": 6},
    {"uri": "memo://picture", "name": "picture", "mimeType": "image/png"},
]
CONTENTS: dict[str, list[dict[str, Any]]] = {
    "memo://notes": [{"uri": "memo://notes", "mimeType": "text/plain", "text": "Notes."}],
    "memo://picture": [{"uri": "memo://picture", "mimeType": "image/png", "blob": encoded(png())}],
}
PROMPTS = [
    {
        "name": "review",
        "description": "Asks for a review",
        "arguments": [
            {"name": "code", "description": "What to review", "required": True},
            {"name": "tone", "description": "How"},
        ],
    },
    {"name": "greet", "description": "Says hello"},
]


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(message["id"], message["method"], message.get("params") or {})


def answer(number: Any, method: str, params: dict[str, Any]) -> None:
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    try:
        reply["result"] = METHODS[method](params)
    except KeyError as error:
        reply["error"] = {"code": -32602, "message": f"unknown: {error}"}
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    given = params.get("arguments") or {}
    said = f"Please review {given['code']}." if params["name"] == "review" else "Hello!"
    return {"messages": [{"role": "user", "content": text(said)}]}


METHODS: dict[str, Any] = {
    "initialize": lambda _: {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "rich", "version": "1"},
    },
    "tools/list": lambda _: {
        "tools": [
            {"name": name, "inputSchema": {"type": "object"}}
            | ({"outputSchema": SCHEMAS[name]} if name in SCHEMAS else {})
            for name in RESULTS
        ]
    },
    "tools/call": lambda params: RESULTS[params["name"]],
    "resources/list": lambda _: {"resources": RESOURCES},
    "resources/templates/list": lambda _: {"resourceTemplates": []},
    "resources/read": lambda params: {"contents": CONTENTS[params["uri"]]},
    "prompts/list": lambda _: {"prompts": PROMPTS},
    "prompts/get": prompt,
}


if __name__ == "__main__":
    main()
