"""The pages that an answer's web searches found, as numbered links below it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from limits.chat import MAX_SOURCES
from tools.local.web_search import web_search
from tracing.formatting.text import visible

TOOL = web_search.__name__
# An entry of the tool's result: number and title, then the address on a line of its own.
_ENTRY = re.compile(r"^\d{1,3}\. (.{1,400})\n +(https?://\S{1,2000})$", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    title: str
    url: str
    host: str


def sources(results: Iterable[str]) -> list[Source]:
    """Of what searches gave the model, each address once, in order."""
    found: dict[str, Source] = {}
    for result in results:
        for title, url in _ENTRY.findall(result):
            if url not in found and (host := _host(url)):
                found[url] = Source(visible(title), url, visible(host))
            if len(found) == MAX_SOURCES:
                return list(found.values())
    return list(found.values())


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
