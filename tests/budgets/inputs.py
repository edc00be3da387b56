"""Hostile values that several lines of the table are made of."""

import io
import json
import random
import struct
import zipfile
from typing import Any

from chat.llm.errors import StatusFailure

PATTERN = "^(a+)+$"
PROOF = "a" * 40 + "!"
MARKS = "\u0300\u0316\u0327\u0345"  # each of another combining class, so that they are sorted
ZALGO = "Z" + MARKS * 250_000
BIDI = "\u202e\u2066\u200f" * 100_000


def nested(depth: int, opening: str = "[", closing: str = "]", inside: str = "") -> str:
    return opening * depth + inside + closing * depth


def form(**about: Any) -> dict[str, Any]:
    """A form's schema with one field, `a`."""
    return {"type": "object", "properties": {"a": about}}


def deep_schema(depth: int, keyword: str = "allOf") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {keyword: [schema] if keyword.endswith("Of") else schema}
    return schema


def references(levels: int = 30) -> dict[str, Any]:
    """Each level refers four times to the next one: 4 ** levels steps."""
    definitions: dict[str, Any] = {
        f"n{level}": {"allOf": [{"$ref": f"#/$defs/n{level + 1}"}] * 4} for level in range(levels)
    }
    return {"$ref": "#/$defs/n0", "$defs": definitions | {f"n{levels}": {}}}


def objects(count: int) -> list[Any]:
    return [{"n": number, "text": "a" * 20} for number in range(count)]


def wide_table(columns: int, rows: int) -> str:
    """Rows with one cell, to be filled up with empty ones."""
    return "|".join("a" * columns) + "\n" + "|".join("-" * columns) + "\n" + "a\n" * rows


def names_twice(count: int) -> str:
    """A JSON object whose last two names are the same."""
    members = ",".join(f'"{number}":0' for number in range(count))
    return '{"mcpServers":{' + members + ',"z":0,"z":0}}'


def text(length: int, letters: str = "ab \n", seed: int = 1) -> str:
    return "".join(random.Random(seed).choices(letters, k=length))


def lines(count: int, seed: int = 1) -> str:
    choose = random.Random(seed)
    return "".join(f"{choose.choice('abcdefgh')}\n" for _ in range(count))


def archive(entries: int, content: bytes = b"", name: str = "s/{}.txt") -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("s/SKILL.md", "---\nname: s\ndescription: s\n---\n")
        for number in range(entries):
            packed.writestr(name.format(number), content)
    file.seek(0)
    return file


def overlapping_archive(entries: int, size: int) -> io.BytesIO:
    """Every entry of the directory is at the place of the first: 1 MB as `entries` MB.
    (Fifield, "A better zip bomb", 2019.)"""
    first = archive(1, b"\0" * size).getvalue()
    with zipfile.ZipFile(io.BytesIO(first)) as packed:
        start, one = packed.start_dir, packed.infolist()[1]
    directory = first[start : first.rindex(b"PK\x05\x06")]
    record = directory[directory.rindex(b"PK\x01\x02") :]
    records = b"".join(
        record.replace(one.filename.encode(), f"s/{number:x}.txt"[:7].ljust(7, "x").encode())
        for number in range(entries)
    )
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries, entries, len(records), start, 0)
    return io.BytesIO(first[:start] + records + end)


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)


def jpeg_segments(count: int, size: int = 2) -> bytes:
    """Segments, and no picture behind them."""
    return (
        b"\xff\xd8\xff\xe0" + (struct.pack(">H", size) + b"\0" * (size - 2) + b"\xff\xe1") * count
    )


def chunk(**delta: Any) -> bytes:
    """An event of a stream of chat completions."""
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode()


def call_chunk(arguments: str) -> bytes:
    call = {"index": 0, "id": "1", "function": {"name": "f", "arguments": arguments}}
    return chunk(tool_calls=[call])


def message(**members: Any) -> bytes:
    """An answer of an MCP server, as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, **members}).encode()


def refused(evidence: bytes) -> StatusFailure:
    """An error of a provider that may mean that a request is too long."""
    return StatusFailure(400, evidence=evidence)
