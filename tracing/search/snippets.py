"""The place in a text where a query was found, with the words marked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tracing.search import index
from tracing.search.query import Term
from tracing.search.tokens import Token, tokens
from tracing.text import visible

_BEFORE = 48
_AFTER = 140


@dataclass(frozen=True)
class Piece:
    text: str
    is_match: bool = False


def snippets(trace_ids: list[int], terms: Sequence[Term]) -> dict[int, list[Piece]]:
    """For each trace whose text was written, what stands around the first match."""
    return {pk: snippet(text, terms) for pk, text in index.read(trace_ids).items()}


def snippet(text: str, terms: Sequence[Term]) -> list[Piece]:
    at = _place(text, terms)
    start, end = max(0, at - _BEFORE), at + _AFTER
    if start:
        # Not in the middle of a word.
        start = max(start, text.rfind(" ", start, at) + 1)
    cut = text[start:end]
    pieces = _marked(cut, list(tokens(cut)), terms)
    return [
        *([Piece("… ")] if start else []),
        *pieces,
        *([Piece(" …")] if end < len(text) else []),
    ]


def _place(text: str, terms: Sequence[Term]) -> int:
    """Where the first match begins; what is no plain text of it is looked for token by token."""
    lower = text.lower()
    if len(lower) == len(text):
        for term in terms:
            for joined in ("".join(term.texts), " ".join(term.texts), "_".join(term.texts)):
                at = lower.find(joined)
                if at >= 0 and any(_matches(list(tokens(text[at : at + 400])), 0, term)):
                    return at
    found = list(tokens(text))
    for place in range(len(found)):
        if any(True for term in terms for _ in _matches(found, place, term)):
            return found[place].start
    return 0


def _matches(found: list[Token], place: int, term: Term) -> Iterator[Token]:
    """The tokens from this place on, if they are those of the term."""
    there = found[place : place + len(term.tokens)]
    wanted = term.texts
    if [token.text for token in there[:-1]] != wanted[:-1] or len(there) < len(wanted):
        return
    last = there[-1].text
    if last == wanted[-1] or (term.is_prefix and last.startswith(wanted[-1])):
        yield from there


def _marked(text: str, found: list[Token], terms: Sequence[Term]) -> list[Piece]:
    spans = sorted(_spans(found, terms))
    pieces, at = [], 0
    for start, end in spans:
        if start > at:
            pieces.append(Piece(visible(text[at:start])))
        if end > at:
            pieces.append(Piece(visible(text[max(at, start) : end]), is_match=True))
            at = end
    return [*pieces, Piece(visible(text[at:]))] if at < len(text) else pieces


def _spans(found: list[Token], terms: Sequence[Term]) -> Iterable[tuple[int, int]]:
    for place in range(len(found)):
        for term in terms:
            matched = list(_matches(found, place, term))
            if matched:
                yield matched[0].start, matched[-1].end
