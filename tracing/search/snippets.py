"""The text around the first match of a query, with the matches marked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from limits.traces import MAX_SNIPPET_PLACES, MAX_SNIPPET_TEXT
from tracing.formatting.text import visible
from tracing.search import index
from tracing.search.document import Document, Origin
from tracing.search.query import Term
from tracing.search.tokens import CJK, Token, tokens

# Characters that are shown before and after the beginning of the first match.
_BEFORE = 48
_AFTER = 140
_WORD = f"[^\\W_{CJK}]"


@dataclass(frozen=True)
class SnippetPart:
    """A stretch of text that is a match or is none."""

    text: str
    is_match: bool = False


@dataclass(frozen=True)
class Snippet:
    """The text around the first match, the match's origin, and its text. `left_out`: count of
    characters of the trace that are not searched."""

    parts: list[SnippetPart] = field(default_factory=list)
    origin: Origin | None = None
    match: str = ""
    left_out: int = 0


def snippets(trace_ids: list[int], terms: Sequence[Term]) -> dict[int, Snippet]:
    """The snippet of each trace that is indexed, by primary key."""
    return {pk: snippet(document, terms) for pk, document in index.read(trace_ids).items()}


def snippet(document: Document, terms: Sequence[Term]) -> Snippet:
    text = document.text
    at = _place(text, terms)
    start, end = max(0, at - _BEFORE), at + _AFTER
    if start:
        # It begins with a whole word.
        start = max(start, text.rfind(" ", start, at) + 1)
    window = text[start:end]
    spans = sorted(_spans(list(tokens(window)), terms))
    parts = [
        *([SnippetPart("… ")] if start else []),
        *_parts(window, spans),
        *([SnippetPart(" …")] if end < len(text) else []),
    ]
    match = next((window[begin:stop] for begin, stop in spans if start + begin >= at), "")
    return Snippet(parts, document.origin(at) if match else None, match, document.left_out)


def _place(text: str, terms: Sequence[Term]) -> int:
    """The offset of the first match of the first term that has one."""
    for term in terms:
        for match in islice(_pattern(term).finditer(text), MAX_SNIPPET_PLACES):
            if any(_matches(list(tokens(text[match.start() : match.end() + 64])), 0, term)):
                return match.start()
    tokens_ = list(tokens(text[:MAX_SNIPPET_TEXT]))
    for place in range(len(tokens_)):
        if any(True for term in terms for _ in _matches(tokens_, place, term)):
            return tokens_[place].start
    return 0


@lru_cache(maxsize=256)
def _pattern(term: Term) -> re.Pattern[str]:
    """The usual form of a term in a text: its words without a letter or digit between them."""
    words = [re.escape(token.text) for token in term.tokens]
    before = "" if term.tokens[0].run else f"(?<!{_WORD})"
    after = "" if term.is_prefix or term.tokens[-1].run else f"(?!{_WORD})"
    return re.compile(before + r"[\W_]*".join(words) + after, re.IGNORECASE)


def _matches(tokens_: list[Token], place: int, term: Term) -> Iterator[Token]:
    """The tokens from this place on, if they match the term."""
    candidates = tokens_[place : place + len(term.tokens)]
    texts = term.texts
    if [token.text for token in candidates[:-1]] != texts[:-1] or len(candidates) < len(texts):
        return
    last = candidates[-1].text
    if last == texts[-1] or (term.is_prefix and last.startswith(texts[-1])):
        yield from candidates


def _parts(text: str, spans: Iterable[tuple[int, int]]) -> list[SnippetPart]:
    parts, at = [], 0
    for start, end in spans:
        if start > at:
            parts.append(SnippetPart(visible(text[at:start])))
        if end > at:
            parts.append(SnippetPart(visible(text[max(at, start) : end]), is_match=True))
            at = end
    return [*parts, SnippetPart(visible(text[at:]))] if at < len(text) else parts


def _spans(tokens_: list[Token], terms: Sequence[Term]) -> Iterable[tuple[int, int]]:
    """The offsets at which matches begin and end."""
    for place in range(len(tokens_)):
        for term in terms:
            match = list(_matches(tokens_, place, term))
            if match:
                yield match[0].start, match[-1].end
