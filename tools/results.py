"""The result of a tool that was tried, block by block, as its page shows it."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_ROWS = 50
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SOUNDS = ("wav", "x-wav", "mpeg", "mp4", "ogg", "webm")
AUDIO = frozenset(f"audio/{kind}" for kind in SOUNDS)


@dataclass(frozen=True)
class Shown:
    """A block: `kind` is text, json, table, image, audio, link or other."""

    kind: str
    text: str = ""
    position: int = 0
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    label: str = ""


def shown(found: dict[str, Any]) -> list[Shown]:
    """All blocks of a result, and what it has of structured content."""
    blocks = [_block(block, place) for place, block in enumerate(found.get("content") or [])]
    structured = found.get("structured")
    return blocks if structured is None else [*blocks, _value(structured, "Structured content")]


def media(found: dict[str, Any], position: int) -> tuple[bytes, str] | None:
    """The bytes and the type of an image or a sound; None for what a browser is not given."""
    blocks = found.get("content") or []
    if not 0 <= position < len(blocks):
        return None
    block = blocks[position]
    kind = str(block.get("mimeType", "")).lower()
    if kind not in IMAGES | AUDIO:
        return None
    try:
        return base64.b64decode(block.get("data", ""), validate=True), kind
    except (binascii.Error, ValueError, TypeError):
        return None


def _block(block: dict[str, Any], place: int) -> Shown:
    match block:
        case {"type": "text", "text": str(text)}:
            return _text(text)
        case {"type": "image" | "audio" as kind, "data": str(encoded)}:
            about = f"{block.get('mimeType', 'unknown type')}, {len(encoded) * 3 // 4:,} bytes"
            known = str(block.get("mimeType", "")).lower() in (IMAGES if kind == "image" else AUDIO)
            return Shown(kind if known else "other", position=place, label=f"{kind}, {about}")
        case {"type": "resource_link", "uri": str(uri)}:
            return Shown("link", text=uri, label=str(block.get("title") or block.get("name") or ""))
        case {"type": "resource", "resource": {"text": str(text), "uri": str(uri)}}:
            return Shown("text", text=text, label=f"Resource {uri}")
        case {"type": "resource", "resource": {"uri": str(uri)}}:
            return Shown("other", label=f"Resource {uri}, not text")
    return _value(block, "")


def _text(text: str) -> Shown:
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return _value(json.loads(text), "")
        except (ValueError, RecursionError):
            pass
    return Shown("text", text=text)


def _value(value: Any, label: str) -> Shown:
    if _is_table(value):
        columns = list(dict.fromkeys(key for row in value[:MOST_ROWS] for key in row))
        rows = [[_cell(row.get(column)) for column in columns] for row in value[:MOST_ROWS]]
        more = len(value) - len(rows)
        note = f"{label} {more:,} more rows are in the trace".strip() if more > 0 else label
        return Shown("table", columns=columns, rows=rows, label=note)
    return Shown("json", text=json.dumps(value, ensure_ascii=False, indent=2), label=label)


def _is_table(value: Any) -> bool:
    some = value[:MOST_ROWS] if isinstance(value, list) else []
    flat = (isinstance(row, dict) and row and not _nested(row) for row in some)
    return bool(some) and all(flat) and len({key for row in some for key in row}) <= 12


def _nested(row: dict[str, Any]) -> bool:
    return any(isinstance(cell, dict | list) for cell in row.values())


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
