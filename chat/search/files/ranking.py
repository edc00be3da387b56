"""The order of passages by a query (BM25), the same on both databases.

Any word of the query may match, unlike in the search of conversations: a model asks in its own
words. Chinese, Japanese and Korean are matched by pairs of characters, words of other languages by
their beginning without a plural's ending.
Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from limits.search import MAX_FILE_TERMS
from tracing.search.tokens import Token, pairs, tokens

# How soon a word's repetition counts less, and how much a long passage is marked down.
_K1 = 1.2
_B = 0.6
_STEM = 4
# Words that say nothing of what is looked for.
_COMMON = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from"),
        *("has", "have", "how", "i", "in", "is", "it", "its", "of", "on", "or", "that", "the"),
        *("this", "to", "was", "were", "what", "when", "where", "which", "who", "why", "will"),
        *("with", "you", "your"),
    ]
)


@dataclass(frozen=True)
class QueryTerm:
    """A word, or with `is_prefix` its beginning; or a pair of characters."""

    text: str
    is_prefix: bool = False
    is_pair: bool = False


def query_terms(query: str) -> list[QueryTerm]:
    """Each once, in their order; common words only if there are no others."""
    found = list(tokens(query))
    words = [token.text for token in found if not token.run]
    telling = [word for word in words if word not in _COMMON]
    alone = _alone(found)
    terms = [
        *(QueryTerm(pair, is_pair=True) for _, pair in pairs(found)),
        *(QueryTerm(token.text) for token in alone),
        *map(_term, telling),
    ]
    return list(dict.fromkeys(terms or map(_term, words)))[:MAX_FILE_TERMS]


def _alone(found: Sequence[Token]) -> list[Token]:
    """Characters that have no neighbour in their run."""
    counts = Counter(token.run for token in found)
    return [token for token in found if token.run and counts[token.run] == 1]


def _term(word: str) -> QueryTerm:
    stem = word[:-1] if word.endswith("s") and len(word) > _STEM else word
    return QueryTerm(stem, is_prefix=len(stem) >= _STEM and not stem.isdigit())


def ranked(texts: Mapping[int, str], terms: Sequence[QueryTerm]) -> list[int]:
    """The keys of the texts, the best first; equal ones in their order."""
    counts = {key: _counts(text, terms) for key, text in texts.items()}
    lengths = {key: len(text) for key, text in texts.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))
    weights = [
        _weight(sum(bool(one[at]) for one in counts.values()), len(texts))
        for at in range(len(terms))
    ]

    def score(key: int) -> float:
        room = _K1 * (1 - _B + _B * lengths[key] / mean)
        return sum(
            weight * count * (_K1 + 1) / (count + room)
            for weight, count in zip(weights, counts[key], strict=True)
        )

    return sorted(texts, key=score, reverse=True)


def _counts(text: str, terms: Sequence[QueryTerm]) -> list[int]:
    """How often each term is in a text."""
    found = list(tokens(text))
    words = Counter(token.text for token in found)
    of_pairs = Counter(pair for _, pair in pairs(found))
    return [_count(term, words, of_pairs) for term in terms]


def _count(term: QueryTerm, words: Counter[str], of_pairs: Counter[str]) -> int:
    if term.is_pair:
        return of_pairs[term.text]
    if not term.is_prefix:
        return words[term.text]
    return sum(count for word, count in words.items() if word.startswith(term.text))


def _weight(found: int, of: int) -> float:
    return math.log(1 + (of - found + 0.5) / (found + 0.5))
