"""Recorded text for the eye. All of it is hostile: models, tools and servers wrote it."""

import codecs
import re
from dataclasses import dataclass

# Terminal codes, direction overrides and invisible characters, which can make a text read as
# another one or hide one from people (Unicode TR 36), and surrogates, which no page can carry. Not
# the joiners, which scripts and emoji are written with.
_TRICKY = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_TRICKY_ASCII = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Clip:
    """The beginning of a text, and how many characters of it are not in it."""

    text: str
    hidden: int = 0


def visible(text: str) -> str:
    """The text with the names of characters that hide or mislead in their place: [U+202E]."""
    pattern = _TRICKY_ASCII if text.isascii() else _TRICKY
    return pattern.sub(lambda match: f"[U+{ord(match[0]):04X}]", text.replace("\r\n", "\n"))


def with_full_stop(text: str) -> str:
    """The text with a full stop, unless it ends with a mark of its own."""
    text = text.rstrip()
    if text.endswith((".", "!", "?", "…", "。", "！", "？")):
        return text
    return f"{text}。" if text and "\u4e00" <= text[-1] <= "\u9fff" else f"{text}."


def clip(text: str, most: int) -> Clip:
    """At most about `most` characters, made `visible`."""
    return Clip(visible(text[:most]), max(0, len(text) - most))


def decode(body: bytes, most: int) -> Clip:
    """The beginning of a body as text; what is no UTF-8 shows as replacement characters."""
    start = body[:most].decode(errors="replace")
    return Clip(visible(start), max(0, len(body) - most))


def is_text(body: bytes) -> bool:
    """Whether these bytes, of which the last character may be cut off, are text in UTF-8."""
    try:
        return "\0" not in codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
