"""The content blocks of a tool result beside text: what they are, to show and to serve them.

Blocks are those of MCP (2025-11-25 and 2026-07-28, `ContentBlock`): text, image, audio, resource,
resource_link. What a server says of a block's type is only believed where the bytes agree.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from limits.tools import MAX_DESCRIBED_PARTS, MAX_PART_LABEL

Block = dict[str, Any]

_SIGNATURES: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("image/png", lambda head: head.startswith(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", lambda head: head.startswith(b"\xff\xd8\xff")),
    ("image/gif", lambda head: head.startswith((b"GIF87a", b"GIF89a"))),
    ("image/webp", lambda head: head.startswith(b"RIFF") and head[8:12] == b"WEBP"),
)
_AUDIO = ("audio/wav", "audio/mpeg", "audio/ogg", "audio/webm", "audio/flac", "audio/aac")
_ALIASES = {
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "audio/x-flac": "audio/flac",
}


@dataclass(frozen=True)
class Media:
    """The bytes of a block, and the media type to serve them with; empty: download only."""

    content: bytes
    media_type: str
    name: str


def described(content: Sequence[Block]) -> list[Block]:
    """What a page needs to know of the blocks that are not plain text, without their bytes.

    `{"index", "kind": image | audio | file | text | link, "media_type", "size" (bytes), "name",
    "uri"}`; `kind` says how it can be shown, whatever the server called it.
    """
    entries = [_described(index, block) for index, block in enumerate(content)]
    return [one for one in entries if one is not None][:MAX_DESCRIBED_PARTS]


def media(block: Block) -> Media | None:
    """The bytes of a block; None if it has none, or none that can be decoded."""
    encoded, claimed_type, name = _encoded(block)
    content = None if encoded is None else decoded(encoded)
    return None if content is None else Media(content, shown_type(content, claimed_type), name)


def decoded(encoded: str) -> bytes | None:
    """The bytes of a text in base64; None for what is broken."""
    try:
        return base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def is_broken(block: Block) -> bool:
    """Whether the base64 of a block cannot be decoded."""
    encoded = _encoded(block)[0]
    return encoded is not None and decoded(encoded) is None


def shown_type(content: bytes, claimed_type: str) -> str:
    """The media type to serve these bytes with; empty: download only."""
    for media_type, fits in _SIGNATURES:
        if fits(content):
            return media_type
    known = _ALIASES.get(claimed_type, claimed_type)
    return known if known in _AUDIO else ""


def images(content: Iterable[Block]) -> list[Media]:
    """The images among the blocks, if their bytes begin like an image."""
    candidates = (media(block) for block in content if _encoded(block)[0] is not None)
    return [one for one in candidates if one is not None and one.media_type.startswith("image/")]


def _described(index: int, block: Block) -> Block | None:
    match block:
        case {"type": "text"}:
            return None
        case {"type": "resource_link"}:
            name = block.get("title") or block.get("name") or ""
            return _entry(index, "link", block, name, about=block.get("description"))
        case {"type": "resource", "resource": {"text": str(text)}}:
            resource = block["resource"]
            return _entry(index, "text", resource, "", size=len(text.encode(errors="replace")))
    file = media(block)
    if file is None:
        return None
    kind = file.media_type.partition("/")[0] or "file"
    resource = block.get("resource") if block.get("type") == "resource" else block
    return _entry(index, kind, resource or {}, file.name, size=len(file.content))


def _entry(
    index: int, kind: str, source: Block, name: Any, *, size: int = 0, about: Any = None
) -> Block:
    entry: Block = {"index": index, "kind": kind}
    labels = {
        "media_type": source.get("mimeType"),
        "name": name,
        "uri": source.get("uri"),
        "about": about,
    }
    entry |= {key: str(label)[:MAX_PART_LABEL] for key, label in labels.items() if label}
    return {**entry, "size": size} if size else entry


def _encoded(block: Block) -> tuple[str | None, str, str]:
    """The base64 text of a block, the type that the server says, and a name for a file."""
    match block:
        case {"type": "image" | "audio", "data": str(encoded)}:
            return encoded, str(block.get("mimeType") or "").lower(), ""
        case {"type": "resource", "resource": {"blob": str(encoded)}}:
            resource = block["resource"]
            uri = str(resource.get("uri") or "")
            claimed_type = str(resource.get("mimeType") or "").lower()
            return encoded, claimed_type, uri.rstrip("/").rpartition("/")[2][:200]
    return None, "", ""
