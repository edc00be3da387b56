"""Images and files in a content, as in OpenAI's chat completions.

`{"type": "image_url", "image_url": {"url": …}}`, where the URL may be a `data:` URL (RFC 2397);
`{"type": "file", "file": {"filename"?: …, "file_data": "data:…"}}`.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from chat.llm.messages import ContentPart, Message

_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),", re.IGNORECASE)
_PLAIN = "text/plain"
# Media types that are no text, even if their bytes are valid UTF-8.
_NOT_TEXT = ("image/", "audio/", "video/", "application/pdf", "application/zip")


@dataclass(frozen=True, slots=True)
class Embedded:
    """The content of a `data:` URL; `base64` as in the URL."""

    media_type: str
    base64: str

    def text(self) -> str | None:
        """The text; None if it is no text, or not UTF-8."""
        if self.media_type.startswith(_NOT_TEXT):
            return None
        try:
            text = base64.b64decode(self.base64, validate=True).decode("utf-8-sig")
        except (binascii.Error, ValueError):
            return None
        return None if "\0" in text else text


@dataclass(frozen=True, slots=True)
class File:
    name: str
    content: Embedded


def embedded(url: str) -> Embedded | None:
    """The content of a `data:` URL; None of any other."""
    head = _DATA_URL.match(url)
    if head is None:
        return None
    media_type, body = head[1].lower() or _PLAIN, url[head.end() :]
    if ";base64" in head[2].lower():
        body = "".join(body.split())
    else:
        body = base64.b64encode(unquote_to_bytes(body)).decode()
    return Embedded(media_type, body)


def image_url(part: ContentPart) -> str | None:
    """The URL of an image part. Some clients send it without an object around it."""
    image = part.get("image_url") if part.get("type") == "image_url" else None
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) and url else None


def file_of(part: ContentPart) -> File | None:
    """The file that is embedded in a part."""
    file = part.get("file") if part.get("type") == "file" else None
    if not isinstance(file, dict) or not isinstance(file.get("file_data"), str):
        return None
    content = embedded(file["file_data"])
    name = file.get("filename")
    return File(name if isinstance(name, str) and name else "file", content) if content else None


def text_of_part(part: ContentPart) -> str | None:
    """The text of a text part, or of a text file in a tag with its name; None of any other part."""
    if isinstance(part.get("text"), str):
        text: str = part["text"]
        return text
    file = file_of(part)
    text_of_file = file.content.text() if file else None
    if file is None or text_of_file is None:
        return None
    name = re.sub(r'[\s"<>]+', " ", file.name).strip()
    end = "" if text_of_file.endswith("\n") else "\n"
    return f'<file name="{name}">\n{text_of_file}{end}</file>'


def as_text(content: str | list[ContentPart] | None) -> str:
    """A content for models that read only text: text parts are joined without a separator, text
    files with an empty line. Other parts are omitted."""
    if not isinstance(content, list):
        return content or ""
    joined, after_file = "", False
    for part in content:
        text = text_of_part(part)
        if not text:
            continue
        is_file = "text" not in part
        joined += "\n\n" + text if joined and (is_file or after_file) else text
        after_file = is_file
    return joined


def parts_of(message: Message) -> list[ContentPart]:
    """The parts of a message's content; empty if the content is text."""
    content = message.get("content")
    return content if isinstance(content, list) else []


def without_text(messages: Iterable[Message]) -> Iterator[tuple[int, str]]:
    """Index of the message and type, for each part that `as_text` omits."""
    for place, message in enumerate(messages):
        for part in parts_of(message):
            if text_of_part(part) is None:
                yield place, str(part.get("type"))
