"""Searching the web: titles, addresses and snippets, as a model reads them."""

from typing import Any

from limits.tools import (
    MAX_SEARCH_QUERY,
    MAX_SEARCH_RESULTS,
    MAX_SEARCH_SNIPPET,
    MAX_SEARCH_TITLE,
    MAX_SEARCH_URL,
)
from tools.errors import ToolError
from tools.local.search_service import answer
from tools.values.sources import CITE, NOT_INSTRUCTIONS, Quotation, Source, SourcedText


def web_search(query: str) -> str | SourcedText:
    """Search the web. Returns titles, addresses and snippets; it does not read the pages.

    Args:
        query: What to search for, in a few words.
    """
    words = " ".join(query.replace("\0", " ").split())
    if not words:
        raise ToolError("the query is empty; say in a few words what to search for")
    if len(words) > MAX_SEARCH_QUERY:
        raise ToolError(f"the query has {len(words):,} characters; {MAX_SEARCH_QUERY} are the most")
    found = answer(words)
    listed = _listed(found.get("results"))
    return SourcedText(listed, NOT_INSTRUCTIONS, CITE) if listed else _nothing(words, found)


def _listed(results: Any) -> list[Quotation]:
    found = results if isinstance(results, list) else []
    usable = [one for one in found if isinstance(one, dict) and _url(one)]
    return [_entry(one) for one in usable[:MAX_SEARCH_RESULTS]]


def _entry(one: dict[str, Any]) -> Quotation:
    title = _line(one.get("title"), MAX_SEARCH_TITLE) or "(no title)"
    snippet = _line(one.get("content"), MAX_SEARCH_SNIPPET)
    lines = [title, f"    {_url(one)}", *([f"    {snippet}"] if snippet else [])]
    return Quotation(Source(title, _url(one)), "\n".join(lines), snippet)


def _url(one: dict[str, Any]) -> str:
    """The address of a result; "" for what nobody could open."""
    url = one.get("url")
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return ""
    is_plain = url.isprintable() and " " not in url
    return url if is_plain and len(url) <= MAX_SEARCH_URL else ""


def _line(text: Any, most: int) -> str:
    line = " ".join(text.split()) if isinstance(text, str) else ""
    shown = "".join(one for one in line if one.isprintable())
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _nothing(words: str, found: dict[str, Any]) -> str:
    """With the engines that did not answer: then it is not the query's fault."""
    silent = found.get("unresponsive_engines")
    pairs = silent if isinstance(silent, list) else []
    names = [_line(one[0], 40) for one in pairs if isinstance(one, list) and one]
    why = f" These engines did not answer: {', '.join(names[:10])}." if names else ""
    return f"Nothing was found for {words!r}.{why}"
