"""Content parts of messages.

Images and files come as `data:` URLs (RFC 2397) alone: the server fetches nothing from addresses
that a request names.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from api.openai import checks
from api.openai.call import File
from api.openai.errors import refused, unsupported
from chat.attachments import uploads
from chat.attachments.sniffing import TEXT
from chat.errors import Rejected
from chat.llm.messages import ContentPart
from chat.llm.parts import embedded

ONLY_DATA = "only data: URLs; the server fetches nothing from other addresses."


@dataclass(frozen=True)
class Content:
    """The text of a content, its parts without a separator; and its files."""

    text: str = ""
    files: Sequence[File] = ()

    def inline(self, param: str) -> str | list[ContentPart]:
        """As a canonical content with the files in it: of a document its text."""
        if not self.files:
            return self.text
        parts = [ContentPart(type="text", text=self.text)] if self.text else []
        return [*parts, *(_inline(file, param) for file in self.files)]


def read(value: object, param: str, *, takes_files: bool) -> Content:
    """A content of either API: a text, or parts. Raises `OpenAIError`."""
    if isinstance(value, str):
        return Content(checks.text(value, param))
    texts, files = [], []
    for place, part in enumerate(checks.objects(value, param)):
        at = f"{param}[{place}]"
        kind = part.get("type")
        if kind in ("text", "input_text", "output_text"):
            checks.only_keys(part, at, ("type", "text", "annotations", "logprobs"))
            texts.append(checks.text(part.get("text"), f"{at}.text"))
        elif kind == "refusal":
            checks.only_keys(part, at, ("type", "refusal"))
            texts.append(checks.text(part.get("refusal"), f"{at}.refusal"))
        elif takes_files and kind in ("image_url", "input_image", "file", "input_file"):
            files.append(_file(part, at))
        else:
            raise unsupported(f"{at}.type", f"a part of type {kind!s:.40} has no place here.")
    return Content("".join(texts), files)


def _file(part: ContentPart, at: str) -> File:
    kind = part["type"]
    if kind == "image_url":
        checks.only_keys(part, at, ("type", "image_url"))
        at = f"{at}.image_url"
        image = checks.an_object(part.get("image_url"), at)
        return _image(image, at, "url")
    if kind == "input_image":
        return _image(part, at, "image_url")
    if kind == "file":
        checks.only_keys(part, at, ("type", "file"))
        at = f"{at}.file"
        part = checks.an_object(part.get("file"), at)
    checks.only_keys(part, at, ("type", "filename", "file_data"))
    name = checks.text(part.get("filename") or "file", f"{at}.filename")
    return File(name, _bytes(part.get("file_data"), f"{at}.file_data"))


def _image(image: ContentPart, at: str, key: str) -> File:
    checks.only_keys(image, at, ("type", key, "detail"))
    if image.get("detail") not in (None, "auto"):
        raise unsupported(f"{at}.detail", "images are sent as they are.")
    return File("image", _bytes(image.get(key), f"{at}.{key}"))


def _bytes(url: object, param: str) -> bytes:
    found = embedded(url) if isinstance(url, str) else None
    if found is None:
        raise unsupported(param, ONLY_DATA)
    try:
        return base64.b64decode(found.base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise refused(param, f"“{param}” is not valid base64.") from error


def _inline(file: File, param: str) -> ContentPart:
    try:
        sniffed = uploads.read(file.content).sniffed
    except Rejected as error:
        raise refused(param, str(error)) from error
    url = f"data:{sniffed.media_type};base64,{base64.b64encode(sniffed.content).decode()}"
    if sniffed.media_type == TEXT:
        return {"type": "file", "file": {"filename": file.name, "file_data": url}}
    return {"type": "image_url", "image_url": {"url": url}}
