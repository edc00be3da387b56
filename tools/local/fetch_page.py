"""Reading a page of the web, a part at a time."""

import re
import threading
import time
from collections import OrderedDict

from limits.tools import (
    MAX_KEPT_PAGE_AGE_S,
    MAX_KEPT_PAGES,
    MAX_PAGE_LINKS,
    MAX_PAGE_PART,
    MAX_PAGE_URL,
)
from tools.errors import ToolError
from tools.local import web_pages
from tools.local.web_pages import Page
from tools.values.call import CallContext
from tools.values.sources import CITE, NOT_INSTRUCTIONS, Quotation, Source, SourcedText

_LINK = re.compile(r"\]\[L(\d{1,4})\]")
# A part ends at the end of a line, if there is one in its last fifth.
_LAST_SHARE = 5


class _Kept:
    """The last pages of each conversation, so that their parts are of one page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[tuple[str, str], tuple[float, Page]] = OrderedDict()

    def keep(self, caller: str, url: str, page: Page) -> None:
        with self._lock:
            self._pages[caller, url] = (time.monotonic(), page)
            self._pages.move_to_end((caller, url))
            while len(self._pages) > MAX_KEPT_PAGES:
                self._pages.popitem(last=False)

    def find(self, caller: str, url: str) -> Page | None:
        with self._lock:
            at, page = self._pages.get((caller, url), (0.0, None))
        return page if time.monotonic() - at < MAX_KEPT_PAGE_AGE_S else None


_kept = _Kept()


def fetch_page(
    url: str, context: CallContext, start: int = 0, max_chars: int = 12_000
) -> SourcedText:
    """Read a page of the web as text: its headings, tables, code and links as Markdown; also PDF,
    plain text and JSON. Scripts are not run and nothing is signed in to. A long page comes in
    parts.

    Args:
        url: The address, beginning with http:// or https://.
        start: The first character to read, counted from 0; a part says where the next one begins.
        max_chars: How many characters to read, at most 40000.
    """
    address = _address(url)
    page = _kept.find(context.caller, address) if start else None
    if page is None:
        page = web_pages.fetch(address)
        _kept.keep(context.caller, address, page)
    if not 0 <= start < len(page.text):
        raise ToolError(f"the page has {len(page.text):,} characters; start {start:,} is not in it")
    end = _end(page.text, start, max(200, min(max_chars, MAX_PAGE_PART)))
    quotation = Quotation(Source(page.title, page.url), _text(page, start, end))
    return SourcedText([quotation], NOT_INSTRUCTIONS, CITE)


def _address(url: str) -> str:
    address = url.strip()
    if len(address) > MAX_PAGE_URL:
        raise ToolError(f"the address has more than {MAX_PAGE_URL:,} characters")
    if not address.lower().startswith(("http://", "https://")):
        raise ToolError("the address has to begin with http:// or https://")
    return address.partition("#")[0]


def _end(text: str, start: int, length: int) -> int:
    end = start + length
    if end >= len(text):
        return len(text)
    line = text.rfind("\n", end - length // _LAST_SHARE, end)
    return line + 1 if line > 0 else end


def _text(page: Page, start: int, end: int) -> str:
    part = page.text[start:end]
    parts = [_head(page, start, end), part.strip("\n"), _links(page, part), _rest(page, end)]
    return "\n\n".join(filter(None, parts))


def _head(page: Page, start: int, end: int) -> str:
    whole = f"{len(page.text):,} characters"
    part = f"; characters {start:,} to {end:,} of them" if end - start < len(page.text) else ""
    about = f"Fetched {page.fetched:%Y-%m-%d %H:%M} UTC. {page.kind}, {whole}{part}."
    lines = [page.title, page.url, " ".join([about, *page.notes])]
    return "\n    ".join(lines)


def _links(page: Page, part: str) -> str:
    """The addresses of the links in a part."""
    numbers = sorted({int(number) for number in _LINK.findall(part)})
    listed = [
        f"L{number}: {page.links[number - 1]}"
        for number in numbers[:MAX_PAGE_LINKS]
        if 0 < number <= len(page.links)
    ]
    return "\n".join(["Links:", *listed]) if listed else ""


def _rest(page: Page, end: int) -> str:
    left = len(page.text) - end
    return f"[{left:,} characters follow; next start: {end}]" if left else ""
