"""How a message refers to its attachments: content parts that name them, without their bytes.

    {"type": "text", "text": …}
    {"type": "image_url", "image_url": {"url": "attachment:<id>"}, "attachment": {…}}
    {"type": "file", "file": {"filename": …, "file_id": "attachment:<id>"}, "attachment": {…}}

`attachment` says name, media type and size, so that a page and the history need no look at the
attachment itself, and know what is missing when it is gone.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chat.llm.messages import ContentPart, Message
from chat.models import Attachment

SCHEME = "attachment:"


@dataclass(frozen=True)
class Reference:
    """A message's reference to an attachment. `size` is in bytes."""

    id: uuid.UUID
    name: str
    media_type: str
    size: int

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")


def content_with(text: str, attachments: Sequence[Attachment]) -> str | list[ContentPart]:
    """A user message's content; without attachments the text itself."""
    if not attachments:
        return text
    parts: list[ContentPart] = [{"type": "text", "text": text}] if text.strip() else []
    return parts + [_part(attachment) for attachment in attachments]


def _part(attachment: Attachment) -> ContentPart:
    url = f"{SCHEME}{attachment.public_id}"
    about = {
        "name": attachment.name,
        "media_type": attachment.media_type,
        "size": attachment.size,
    }
    if attachment.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}, "attachment": about}
    named = {"filename": attachment.name, "file_id": url}
    return {"type": "file", "file": named, "attachment": about}


def reference_of(part: ContentPart) -> Reference | None:
    """The reference in a content part; None if it has none."""
    url = (part.get("image_url") or {}).get("url") or (part.get("file") or {}).get("file_id")
    if not isinstance(url, str) or not url.startswith(SCHEME):
        return None
    about = part.get("attachment") or {}
    return Reference(
        uuid.UUID(url.removeprefix(SCHEME)),
        str(about.get("name", "")),
        str(about.get("media_type", "")),
        int(about.get("size", 0)),
    )


def references(messages: Iterable[Message]) -> Iterator[Reference]:
    """The references of these messages, in order."""
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            yield from filter(None, map(reference_of, content))
