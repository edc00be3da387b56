"""The place in a text where a query was found, with the words marked."""

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

_BEFORE = 48
_AFTER = 140
_WORD = f"[^\\W_{CJK}]"


@dataclass(frozen=True)
class Piece:
    text: str
    is_match: bool = False


@dataclass(frozen=True)
class Snippet:
    """What stands around the first match, where that is from, and what of it is marked first, as
    it was written. `left_out` characters of the trace are not searched."""

    pieces: list[Piece] = field(default_factory=list)
    origin: Origin | None = None
    match: str = ""
    left_out: int = 0


def snippets(trace_ids: list[int], terms: Sequence[Term]) -> dict[int, Snippet]:
    """For each trace whose text was written, what stands around the first match."""
    return {pk: snippet(document, terms) for pk, document in index.read(trace_ids).items()}


def snippet(document: Document, terms: Sequence[Term]) -> Snippet:
    text = document.text
    at = _place(text, terms)
    start, end = max(0, at - _BEFORE), at + _AFTER
    if start:
        # Not in the middle of a word.
        start = max(start, text.rfind(" ", start, at) + 1)
    cut = text[start:end]
    spans = sorted(_spans(list(tokens(cut)), terms))
    shown = [
        *([Piece("… ")] if start else []),
        *_marked(cut, spans),
        *([Piece(" …")] if end < len(text) else []),
    ]
    match = next((cut[begin:stop] for begin, stop in spans if start + begin >= at), "")
    return Snippet(shown, document.origin(at) if match else None, match, document.left_out)


def _place(text: str, terms: Sequence[Term]) -> int:
    """Where the first term is first found, or else the next."""
    for term in terms:
        for match in islice(_written(term).finditer(text), MAX_SNIPPET_PLACES):
            if any(_matches(list(tokens(text[match.start() : match.end() + 64])), 0, term)):
                return match.start()
    tokens_ = list(tokens(text[:MAX_SNIPPET_TEXT]))
    for place in range(len(tokens_)):
        if any(True for term in terms for _ in _matches(tokens_, place, term)):
            return tokens_[place].start
    return 0


@lru_cache(maxsize=256)
def _written(term: Term) -> re.Pattern[str]:
    """The term as it most often stands in a text: its words with no letter between them."""
    words = [re.escape(token.text) for token in term.tokens]
    before = "" if term.tokens[0].run else f"(?<!{_WORD})"
    after = "" if term.is_prefix or term.tokens[-1].run else f"(?!{_WORD})"
    return re.compile(before + r"[\W_]*".join(words) + after, re.IGNORECASE)


def _matches(tokens_: list[Token], place: int, term: Term) -> Iterator[Token]:
    """The tokens from this place on, if they are those of the term."""
    there = tokens_[place : place + len(term.tokens)]
    wanted = term.texts
    if [token.text for token in there[:-1]] != wanted[:-1] or len(there) < len(wanted):
        return
    last = there[-1].text
    if last == wanted[-1] or (term.is_prefix and last.startswith(wanted[-1])):
        yield from there


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], 0
    for start, end in spans:
        if start > at:
            pieces.append(Piece(visible(text[at:start])))
        if end > at:
            pieces.append(Piece(visible(text[max(at, start) : end]), is_match=True))
            at = end
    return [*pieces, Piece(visible(text[at:]))] if at < len(text) else pieces


def _spans(tokens_: list[Token], terms: Sequence[Term]) -> Iterable[tuple[int, int]]:
    for place in range(len(tokens_)):
        for term in terms:
            matched = list(_matches(tokens_, place, term))
            if matched:
                yield matched[0].start, matched[-1].end
