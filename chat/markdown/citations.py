"""Citations: `[2]` in a text is a link to the source with this number, if there is one.

The parser writes a link without an address, which the sanitiser lets through; the address is put in
after it, since it lets no address of this site through.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from tracing.formatting.text import visible

# One number, or several: `[1, 3]`. What is followed by an address is a link.
_CITATION = re.compile(r"\[(\d{1,3}(?:[ \t]*[,;，、][ \t]*\d{1,3}){0,9})\](?!\()")
_NUMBER = re.compile(r"\d+")
_PLACE = re.compile(r'<a class="cite" data-source="(\d+)"')
_WEB = re.compile(r"https?://[^\s\"<>]+")
# A place in a file (`chat.retrieval`).
_OWN = re.compile(r"/files/text/[0-9a-z/-]+(?:\?[\w=&-]*)?(?:#[\w-]*)?")


class Citation(NamedTuple):
    """A source that a text may cite."""

    number: int
    title: str
    url: str

    @property
    def host(self) -> str:
        """Of a page; "" for a place in a file."""
        try:
            return (urlsplit(self.url).hostname or "").removeprefix("www.")
        except ValueError:
            return ""


Citations = tuple[Citation, ...]


def read(sources: Iterable[Any]) -> Citations:
    """The sources of stored results, each number once, in order. What is no such source, or has an
    address that no link may have, is left out: the results may be imported."""
    found: dict[int, Citation] = {}
    for source in sources:
        if not isinstance(source, Mapping):
            continue
        number, url, title = source.get("number"), source.get("url"), source.get("title")
        if not isinstance(number, int) or not isinstance(url, str) or not 0 < number < 1000:
            continue
        if len(url) <= 2_000 and (_WEB.fullmatch(url) or _OWN.fullmatch(url)):
            found.setdefault(number, Citation(number, visible(str(title or url)[:400]), url))
    return tuple(found[number] for number in sorted(found))


def citation(state: StateInline, silent: bool) -> bool:
    """The inline rule. In the words of a link, which are looked through silently, there is none."""
    known: Mapping[int, Citation] = state.env.get("citations") or {}
    if not known or silent or state.linkLevel > 0 or state.src[state.pos] != "[":
        return False
    match = _CITATION.match(state.src, state.pos, state.posMax)
    if match is None or any(int(number) not in known for number in _NUMBER.findall(match[1])):
        return False
    _push(state, match[1])
    state.pos = match.end()
    return True


def _push(state: StateInline, listed: str) -> None:
    """One number with its brackets; of several each alone."""
    if listed.isdigit():
        state.push("citation", "a", 0).content = listed
        return
    state.push("text", "", 0).content = "["
    at = 0
    for number in _NUMBER.finditer(listed):
        state.push("text", "", 0).content = listed[at : number.start()]
        token = state.push("citation", "a", 0)
        token.content, token.info = number[0], "bare"
        at = number.end()
    state.push("text", "", 0).content = "]"


def render_citation(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    token = tokens[index]
    shown = token.content if token.info else f"[{token.content}]"
    return f'<a class="cite" data-source="{int(token.content)}">{shown}</a>'


def with_addresses(html: str, known: Mapping[int, Citation]) -> str:
    """Sanitised HTML with the addresses and titles of its citations."""
    return _PLACE.sub(lambda match: _opening(known[int(match[1])]), html) if known else html


def _opening(cited: Citation) -> str:
    title = f"{cited.title} · {cited.host}" if cited.host else cited.title
    return f'<a class="cite" href="{escape(cited.url)}" title="{escape(title)}"'
