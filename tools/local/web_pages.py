"""Pages of the web as text: HTML as Markdown, PDF as its text, other text as it is."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from limits.tools import MAX_PAGE_CPU_S, MAX_PAGE_TEXT_BYTES
from tools.documents import reading
from tools.errors import ToolError
from tools.local import page_charset, page_request
from tools.local.page_request import Answer
from tracing.formatting.text import visible

PDF = b"%PDF-"
EMPTY = (
    "the page has no text that can be read without running its scripts; try another page about it"
)
UNREADABLE = {
    "busy": "other files are being read; try again in a moment",
    "encrypted": "this PDF is encrypted and cannot be read",
    "broken": "this PDF is damaged and cannot be read",
    "no_text": "this PDF has no text: its pages are pictures",
}
TOO_HARD = "the page could not be read within the limits of time and memory"
ASKS_PASSWORD = "The page asks to sign in; this is what it shows without."
CUT = "The page is longer than what is read of it."
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-ndjson|sql)")
_UNKNOWN = ("", "application/octet-stream", "binary/octet-stream", "application/download")
_LOOKS_LIKE_HTML = re.compile(rb"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_LONG_PAGE = 1_500


@dataclass(frozen=True)
class Page:
    """`links` are the addresses of `[words][L1]`, …; `notes` are sentences on what is missing."""

    url: str
    title: str
    kind: str
    text: str
    fetched: datetime
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def fetch(url: str) -> Page:
    """Raises `ToolError`."""
    answer = page_request.get(url)
    fetched = datetime.now(UTC)
    media_type = answer.content_type.partition(";")[0].strip().lower()
    if answer.content[:64].lstrip().startswith(PDF) or media_type == "application/pdf":
        return _pdf(answer, fetched)
    if media_type in _HTML or (media_type in _UNKNOWN and _LOOKS_LIKE_HTML.match(answer.content)):
        return _html(answer, fetched)
    if _TEXT.fullmatch(media_type) or media_type in _UNKNOWN:
        return _plain(answer, fetched, media_type)
    raise ToolError(f"this is a file of the type {media_type[:80]}, which cannot be read as text")


def _html(answer: Answer, fetched: datetime) -> Page:
    html = page_charset.decoded(answer.content, answer.content_type)
    found = _read("html", html.encode(errors="replace"), url=answer.url, cpu_s=MAX_PAGE_CPU_S)
    text = visible(found["text"])
    if not text.strip():
        raise ToolError(ASKS_PASSWORD if found["asks_password"] else EMPTY)
    asks = found["asks_password"] and len(text) < _LONG_PAGE
    notes = (*((ASKS_PASSWORD,) if asks else ()), *((CUT,) if found["is_cut"] else ()))
    title = visible(found["title"]) or _name(answer.url)
    return Page(answer.url, title, "HTML", text, fetched, tuple(found["links"]), notes)


def _pdf(answer: Answer, fetched: datetime) -> Page:
    found = _read("pdf", answer.content)
    notes = (CUT,) if found["is_cut"] else ()
    kind = f"PDF, {found['pages']:,} pages"
    return Page(answer.url, _name(answer.url), kind, visible(found["text"]), fetched, (), notes)


def _plain(answer: Answer, fetched: datetime, media_type: str) -> Page:
    text = page_charset.decoded(answer.content, answer.content_type)
    if "\0" in text:
        raise ToolError("this is a binary file, which cannot be read as text")
    if not text.strip():
        raise ToolError("the page is empty")
    is_cut = len(text) > MAX_PAGE_TEXT_BYTES
    notes = (CUT,) if is_cut else ()
    shown = visible(text[:MAX_PAGE_TEXT_BYTES])
    return Page(answer.url, _name(answer.url), media_type or "text", shown, fetched, (), notes)


def _read(kind: reading.Kind, content: bytes, **more: Any) -> dict[str, Any]:
    try:
        return reading.read(kind, content, MAX_PAGE_TEXT_BYTES, **more)
    except reading.Unreadable as error:
        raise ToolError(UNREADABLE.get(error.word, TOO_HARD)) from None


def _name(url: str) -> str:
    """The last part of the path, or the host."""
    parts = urlsplit(url)
    return visible(unquote(PurePosixPath(parts.path).name))[:200] or (parts.hostname or url)
