"""Content blocks of Anthropic's Messages API, from the parts of canonical messages."""

from collections.abc import Iterator

from chat.llm import parts
from chat.llm.dialects.anthropic_names import fit_name
from chat.llm.json_text import is_object, parse_json
from chat.llm.messages import ContentPart, Message, ToolCall

Block = dict[str, object]
IMAGES = {"image/jpg": "image/jpeg"} | {
    kind: kind for kind in ("image/jpeg", "image/png", "image/gif", "image/webp")
}
PDF = "application/pdf"


def content_blocks(message: Message) -> list[Block]:
    """One block for each part, without empty texts, which the API refuses."""
    blocks = (part_block(part) for part in _content_parts(message))
    return [block for block in blocks if block is not None]


def part_block(part: ContentPart) -> Block | None:
    """The block of a part; None for empty text and for parts that the API does not accept."""
    if isinstance(text := part.get("text"), str):
        return {"type": "text", "text": text} if text.strip() else None
    if url := parts.image_url(part):
        return _image(url)
    file = parts.file_of(part)
    return _document(file) if file else None


def use_block(call: ToolCall) -> Block:
    function = call["function"]
    return {
        "type": "tool_use",
        "id": call["id"],
        "name": fit_name(function["name"]),
        "input": _input(function["arguments"]),
    }


def result_block(result: Message) -> Block:
    content = result.get("content") or ""
    block: Block = {
        "type": "tool_result",
        "tool_use_id": result["tool_call_id"],
        "content": content if isinstance(content, str) else content_blocks(result),
    }
    return {**block, "is_error": True} if result.get("is_error") else block


def is_wrapped(call: ToolCall) -> bool:
    """Whether the arguments of a call are no JSON object, so that they are wrapped into one."""
    arguments = call["function"]["arguments"]
    return bool(arguments.strip()) and not is_object(arguments)


def left_out(message: Message) -> Iterator[str]:
    """The types of parts without a block, except empty text."""
    for part in parts.parts_of(message):
        if not isinstance(part.get("text"), str) and part_block(part) is None:
            yield str(part.get("type"))


def _input(arguments: str) -> Block:
    """The input, which has to be an object. Other arguments are put under `arguments`, as text if
    they are not JSON; empty ones become an empty object."""
    if not arguments.strip():
        return {}
    try:
        value = parse_json(arguments)
    except ValueError:
        value = arguments
    return value if isinstance(value, dict) else {"arguments": value}


def _content_parts(message: Message) -> list[ContentPart]:
    content = message.get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": content or ""}]


def _image(url: str) -> Block | None:
    content = parts.embedded(url)
    if content is None:
        source: Block | None = _link(url)
    else:
        source = _bytes(content, IMAGES.get(content.media_type))
    return {"type": "image", "source": source} if source else None


def _document(file: parts.File) -> Block | None:
    """A PDF, an image that came as a file, or a text."""
    content = file.content
    if content.media_type in IMAGES:
        return {"type": "image", "source": _bytes(content, IMAGES[content.media_type])}
    source = _bytes(content, PDF) if content.media_type == PDF else _plain(content.text())
    return {"type": "document", "source": source, "title": file.name} if source else None


def _link(url: str) -> Block | None:
    return {"type": "url", "url": url} if url.startswith(("https://", "http://")) else None


def _bytes(content: parts.Embedded, media_type: str | None) -> Block | None:
    if media_type is None:
        return None
    return {"type": "base64", "media_type": media_type, "data": content.base64}


def _plain(text: str | None) -> Block | None:
    if not text or not text.strip():
        return None
    return {"type": "text", "media_type": "text/plain", "data": text}
