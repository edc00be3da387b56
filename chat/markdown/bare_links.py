"""Addresses without brackets: `https://example.org` in a text is a link.

GFM's rule 6.9, with two amendments: an address ends at the characters of Chinese, Japanese and
Korean, which follow without a space, and needs its scheme.
"""

import re

from markdown_it.rules_inline import StateInline

from limits.files import MAX_BARE_LINK

_SCHEME = re.compile(r"(?:^|[^a-zA-Z0-9])(https?)$", re.IGNORECASE)
# No brackets of Markdown, no quotes, no wide characters.
_REST = re.compile(r"://[A-Za-z0-9\[](?:[^\s<>\"'`\\|\u2e80-\uffef])*")
_AFTER = "?!.,:;*_~)]}"


def bare_link(state: StateInline, silent: bool) -> bool:
    """The inline rule, at the colon: the scheme is in what is pending."""
    if state.src[state.pos] != ":" or state.linkLevel > 0:
        return False
    scheme = _SCHEME.search(state.pending[-8:])
    rest = _REST.match(state.src, state.pos, min(state.posMax, state.pos + MAX_BARE_LINK))
    if scheme is None or rest is None:
        return False
    tail = _without_closers(rest[0])
    url = scheme[1] + tail
    target = state.md.normalizeLink(url)
    if not state.md.validateLink(target):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[1])]
        opening = state.push("link_open", "a", 1)
        opening.attrs = {"href": target, "class": "bare"}
        state.push("text", "", 0).content = url
        state.push("link_close", "a", -1)
    state.pos += len(tail)
    return True


def _without_closers(url: str) -> str:
    """Without the punctuation after it; a bracket that was opened in it stays."""
    spare = {")": url.count(")") - url.count("("), "]": url.count("]") - url.count("[")}
    while url[-1] in _AFTER:
        if url[-1] in spare:
            if spare[url[-1]] <= 0:
                break
            spare[url[-1]] -= 1
        url = url[:-1]
    return url
