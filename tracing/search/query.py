"""What a person typed into the search: several words all have to be there, "…" is a phrase, and
wor* is the beginning of a word."""

import re
from dataclasses import dataclass
from itertools import islice

from limits.traces import MAX_PHRASE_WORDS, MAX_TERMS
from tracing.search.tokens import Token, tokens

_TERMS = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True)
class Term:
    """Tokens that stand one after the other; of the last, with `is_prefix`, only the beginning."""

    tokens: tuple[Token, ...]
    is_prefix: bool = False

    @property
    def texts(self) -> list[str]:
        return [token.text for token in self.tokens]

    @property
    def is_run(self) -> bool:
        """Whether all tokens are characters of one run, which is searched by pairs."""
        runs = {token.run for token in self.tokens}
        return len(self.tokens) > 1 and len(runs) == 1 and 0 not in runs

    @property
    def pairs(self) -> list[str]:
        return [one + two for one, two in zip(self.texts, self.texts[1:], strict=False)]


def parse(query: str) -> list[Term]:
    """The terms; none for a query without letters and digits."""
    terms = []
    for match in _TERMS.finditer(query):
        text = match[1] if match[1] is not None else match[2]
        words = tuple(islice(tokens(text), MAX_PHRASE_WORDS))
        if words:
            is_prefix = match[1] is None and text.endswith("*") and not words[-1].run
            terms.append(Term(words, is_prefix))
    return list(dict.fromkeys(terms))[:MAX_TERMS]
