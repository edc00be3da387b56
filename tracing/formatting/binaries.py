"""Images and other bytes inside of text: a page says what they are and never carries them."""

import re
from collections.abc import Callable
from typing import Any

from tracing.formatting.figures import size

# A JSON string that begins with it stands for bytes.
MARK = "▣"
_TYPE = rb"[A-Za-z0-9.+-]{1,60}/[A-Za-z0-9.+-]{1,60}"
_BASE64 = rb"[A-Za-z0-9+/_-]{%d,}={0,2}"
_DATA_URL = re.compile(rb"data:(?:(%s))?(?:;[^,;\"\s]{1,60})*;base64,(%s)" % (_TYPE, _BASE64 % 40))
_JSON_STRING = re.compile(rb"\"(%s)\"" % (_BASE64 % 1000))


def shorten(body: bytes) -> bytes:
    """A body with a placeholder for each data URL and each JSON string that is long and base64."""
    if b"base64," in body:
        body = _DATA_URL.sub(lambda url: _placeholder(url[2], url[1]).encode(), body)
    return _JSON_STRING.sub(lambda match: f'"{_placeholder(match[1])}"'.encode(), body)


def shorten_text(text: str) -> str:
    """A text with a placeholder for each data URL."""
    if "base64," not in text:
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    short = _DATA_URL.sub(lambda url: _placeholder(url[2], url[1]).encode(), encoded)
    return short.decode("utf-8", "surrogatepass")


def described(part: dict[str, Any]) -> str:
    """What an image, a document or a sound in a content is, as far as it is one."""
    reader = _READERS.get(str(part.get("type")))
    inner = part.get(str(part.get("type")), part.get("source"))
    return reader(inner if isinstance(inner, dict) else part) if reader else ""


def _address(image: dict[str, Any]) -> str:
    """OpenAI's `image_url`: a data URL, or one of elsewhere."""
    url = str(image.get("url") or image.get("image_url") or "")
    return shorten_text(url) if url.startswith("data:") else f"{MARK} image at {url[:300]}"


def _source(source: dict[str, Any]) -> str:
    """Anthropic's `source`, or what MCP and OpenAI's `input_audio` and `file` have beside."""
    if url := source.get("url"):
        return f"{MARK} {str(url)[:300]}"
    media_type = source.get("media_type") or source.get("mimeType") or source.get("format")
    written = source.get("data") or source.get("file_data")
    if not isinstance(written, str):
        return ""
    if written.startswith("data:"):
        return shorten_text(written)
    return _placeholder(written.encode(errors="replace"), str(media_type or "").encode())


_READERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "image_url": _address,
    "image": _source,
    "document": _source,
    "audio": _source,
    "input_audio": _source,
    "file": _source,
}


def _placeholder(base64: bytes, media_type: bytes | None = None) -> str:
    named = (media_type or b"").decode(errors="replace")[:120] or "base64"
    return f"{MARK} {named} · {size(len(base64.rstrip(b'=')) * 3 // 4)}"
