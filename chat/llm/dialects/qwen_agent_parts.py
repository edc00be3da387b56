"""Contents of Qwen-Agent: text, or a list of items with one key each (`text`, `image`, `file`
…)."""

from collections.abc import Iterable
from typing import Any

from chat.llm import parts
from chat.llm.messages import ContentPart, Message

_KINDS = ("image", "file", "audio", "video")


def canonical(content: object) -> Any:
    """The content with canonical parts. Anything but a list is returned unchanged."""
    if not isinstance(content, list):
        return content
    return [_part(item) if isinstance(item, dict) else item for item in content]


def exported(content: str | list[ContentPart] | None) -> str | list[dict[str, Any]]:
    """The content in Qwen-Agent's form, without parts that it has no item for."""
    if not isinstance(content, list):
        return content or ""
    items = (_item(part) for part in content)
    return [item for item in items if item is not None]


def omitted_parts(messages: Iterable[Message]) -> list[str]:
    """Notes about the parts that `exported` omits."""
    return [
        f"Message {place} has a part of type {part.get('type')}, which Qwen-Agent has no item for."
        for place, message in enumerate(messages)
        for part in parts.parts_of(message)
        if _item(part) is None
    ]


def _part(item: dict[str, Any]) -> ContentPart:
    if item.get("text") is not None:
        return {"type": "text", "text": item["text"]}
    kind = next((kind for kind in _KINDS if item.get(kind)), None)
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": item["image"]}}
    if kind == "file":
        where = item["file"]
        embeds = isinstance(where, str) and parts.embedded(where) is not None
        return {"type": "file", "file": {"file_data" if embeds else "filename": where}}
    return {"type": kind, kind: item[kind]} if kind else item


def _item(part: ContentPart) -> dict[str, Any] | None:
    if (text := parts.text_of_part(part)) is not None:
        return {"text": text}
    if url := parts.image_url(part):
        return {"image": url}
    kind = part.get("type")
    return {kind: part[kind]} if kind in ("audio", "video") and kind in part else None
