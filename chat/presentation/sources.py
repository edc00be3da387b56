"""The sources of an answer, as numbered links below it: pages that were found or read, and places
in files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from chat.llm.messages import text_of
from chat.markdown import Citation, Citations, citations
from limits.chat import MAX_SOURCES
from tools.local.web_search import web_search
from tracing.formatting.text import visible

SEARCH = web_search.__name__
# An entry of a search's result before sources had numbers of the turn.
_ENTRY = re.compile(r"^\d{1,3}\. (.{1,400})\n +(https?://\S{1,2000})$", re.MULTILINE)


def cited(results: Iterable[Mapping[str, Any]]) -> Citations:
    """What the answer may cite, of the bodies of a turn's tool messages."""
    return citations.read(source for body in results for source in body.get("sources") or ())


def listed(results: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Citation]:
    """The sources to show, of the tools and the bodies of results, in order; numbered by the list
    for results of older versions, which have no numbers."""
    found = list(results)
    sources = cited(body for _, body in found) or _of_older(found)
    return list(islice(sources, MAX_SOURCES))


def _of_older(results: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Citation]:
    urls: dict[str, None] = {}
    for tool, body in results:
        if tool != SEARCH:
            continue
        for title, url in _ENTRY.findall(text_of(body.get("content"))):
            if url not in urls and Citation(0, title, url).host:
                urls[url] = None
                yield Citation(len(urls), visible(title), url)
