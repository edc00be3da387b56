"""Images of questions, as parts of a message that refer to attachments of the conversation."""

import base64
import binascii
import hashlib
import uuid
from collections.abc import Sequence

from chat.attachments.references import SCHEME
from chat.attachments.sniffing import Sniffed, sniff
from chat.errors import Rejected
from chat.llm.messages import ContentPart
from chat.llm.parts import embedded

_NAMESPACE = uuid.UUID("0f4f7f0e-6c5a-4c53-8f0b-5d1a9f7f2b16")


def with_images(words: str, images: Sequence[ContentPart]) -> str | list[ContentPart]:
    """The content of a question; without images the words themselves."""
    if not images:
        return words
    parts: list[ContentPart] = [{"type": "text", "text": words}] if words else []
    return [*parts, *images]


def image_part(attachment: str, name: str, media_type: str, size: int) -> ContentPart:
    """`attachment` is its id in the file."""
    about = {"name": name, "media_type": media_type, "size": size}
    url = f"{SCHEME}{attachment}"
    return {"type": "image_url", "image_url": {"url": url}, "attachment": about}


class EmbeddedImages:
    """The images that a conversation has in itself, as `data:` URLs. `contents` are names and bytes
    by id, `messages` the first message that has each."""

    def __init__(self) -> None:
        self.contents: dict[str, tuple[str, bytes]] = {}
        self.messages: dict[str, str] = {}

    def part(self, url: object, message: str) -> ContentPart | None:
        """The part of this message; None for a URL of another kind, and for what is no image that
        can be attached."""
        image = _sniffed(url) if isinstance(url, str) else None
        if image is None:
            return None
        own = str(uuid.uuid5(_NAMESPACE, hashlib.sha256(image.content).hexdigest()))
        name = f"image.{image.media_type.removeprefix('image/')}"
        self.contents[own] = (name, image.content)
        self.messages.setdefault(own, message)
        return image_part(own, name, image.media_type, len(image.content))


def _sniffed(url: str) -> Sniffed | None:
    found = embedded(url)
    if found is None or not found.media_type.startswith("image/"):
        return None
    try:
        image = sniff(base64.b64decode(found.base64, validate=True))
    except (binascii.Error, ValueError, Rejected):
        return None
    return image if image.media_type.startswith("image/") else None
