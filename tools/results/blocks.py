"""The result of a tool that was tried, block by block, as its page shows it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from limits.tools import MAX_RESULT_ROWS
from tools.results.content import Media, is_broken, media
from tracing.formatting.json_text import indented


@dataclass(frozen=True)
class Shown:
    """A block: `kind` is text, json, table, image, audio, link or file (only to be saved)."""

    kind: str
    text: str = ""
    position: int = 0
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    label: str = ""


def shown(found: dict[str, Any]) -> list[Shown]:
    """The blocks of a result, and what it has of structured content, which is shown once: where
    the text is the same (MCP asks servers for that), only one of the two."""
    content = found.get("content") or []
    structured = found.get("structured")
    repeats = repeated(content, structured)
    blocks = [
        _block(block, place)
        for place, block in enumerate(content)
        if not (repeats and _reads_better(structured) and block.get("type") == "text")
    ]
    if structured is None or (repeats and not _reads_better(structured)):
        return blocks
    return [*blocks, _value(structured, gettext("Structured content"))]


def repeated(content: Sequence[dict[str, Any]], structured: Any) -> bool:
    """Whether the texts of a result are the same JSON as its structured content, or as its only
    member."""
    texts = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
    if structured is None or not texts:
        return False
    values = [_parsed(text) for text in texts]
    text_values: list[Any] = [values[0], texts[0]] if len(texts) == 1 else []
    structured_values = [structured]
    if isinstance(structured, dict) and len(structured) == 1:
        structured_values += structured.values()
    return any(one == other for one in [*text_values, values, texts] for other in structured_values)


def _reads_better(structured: Any) -> bool:
    """Whether structured content is more readable than the text with the same content."""
    only = list(structured.values()) if isinstance(structured, dict) else []
    return not (len(only) == 1 and isinstance(only[0], str | int | float | None))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _block(block: dict[str, Any], place: int) -> Shown:
    match block:
        case {"type": "text", "text": str(text)}:
            return _text(text)
        case {"type": "resource_link", "uri": str(uri)}:
            return Shown("link", text=uri, label=str(block.get("title") or block.get("name") or ""))
        case {"type": "resource", "resource": {"text": str(text), "uri": str(uri)}}:
            return Shown("text", text=text, label=f"Resource {uri}")
        case {"type": "image" | "audio" | "resource"} if found := media(block):
            return _file(block, found, place)
        case {"type": str(kind)} if is_broken(block):
            text = gettext("The server sent broken base64: there is no %(kind)s to show.") % {
                "kind": kind
            }
            return Shown("text", text=text, label=str(block.get("mimeType") or ""))
    return _value(block, "")


def _file(block: dict[str, Any], found: Media, place: int) -> Shown:
    """An image, a sound, or bytes that can only be saved."""
    is_resource = block["type"] == "resource"
    about = block["resource"] if is_resource else block
    what = f"Resource {about.get('uri', '')}".strip() if is_resource else str(block["type"])
    kind = str(about.get("mimeType") or "unknown type")
    return Shown(
        found.media_type.partition("/")[0] or "file",
        position=place,
        label=f"{what}, {kind}, {len(found.content):,} bytes",
    )


def _text(text: str) -> Shown:
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return _value(json.loads(text), "")
        except (ValueError, RecursionError):
            pass
    return Shown("text", text=text)


def _value(value: Any, label: str) -> Shown:
    if _is_table(value):
        columns = list(dict.fromkeys(key for row in value[:MAX_RESULT_ROWS] for key in row))
        rows = [[_cell(row.get(column)) for column in columns] for row in value[:MAX_RESULT_ROWS]]
        more = len(value) - len(rows)
        note = f"{label} {more:,} more rows are in the trace".strip() if more > 0 else label
        return Shown("table", columns=columns, rows=rows, label=note)
    return Shown("json", text=indented(value), label=label)


def _is_table(value: Any) -> bool:
    some = value[:MAX_RESULT_ROWS] if isinstance(value, list) else []
    flat = (isinstance(row, dict) and row and not _nested(row) for row in some)
    return bool(some) and all(flat) and len({key for row in some for key in row}) <= 12


def _nested(row: dict[str, Any]) -> bool:
    return any(isinstance(cell, dict | list) for cell in row.values())


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
