"""Splits texts into the tokens that are indexed.

Text with spaces between words is split at everything that is no letter or digit. Chinese, Japanese
and Korean have no spaces, so each character is a word, and each two neighbours are a pair: a query
of two characters looks up one pair, a longer one several in a row. Width, case and accents are
folded.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from limits.traces import MAX_WORD

CJK = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U000323af"
)
_TOKENS = re.compile(f"(?P<run>[{CJK}]+)|(?P<word>[^\\W_{CJK}]+)")


class Token(NamedTuple):
    """A folded word or character, its offsets in the text, and for a character the number of its
    run, from 1."""

    text: str
    start: int
    end: int
    run: int = 0


def tokens(text: str) -> Iterator[Token]:
    for number, match in enumerate(_TOKENS.finditer(text), 1):
        if match["run"] is None:
            folded = fold(match[0])
            if folded:
                yield Token(folded[:MAX_WORD], match.start(), match.end())
            continue
        for place, character in enumerate(match[0], match.start()):
            yield Token(fold(character) or character, place, place + 1, number)


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Letters and digits of the text, without width, case and accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    joined = unicodedata.normalize("NFC", "".join(filter(_is_base, plain)))
    return "".join(filter(str.isalnum, joined))


def pairs(tokens_: list[Token]) -> Iterator[tuple[int, str]]:
    """The pairs of neighbouring characters of a run: index of the first token, and both."""
    for place in range(len(tokens_) - 1):
        first, second = tokens_[place], tokens_[place + 1]
        if first.run and first.run == second.run:
            yield place, first.text + second.text


def _is_base(character: str) -> bool:
    # NFKD splits voiced kana too, but their mark distinguishes words.
    return character in "\u3099\u309a" or not unicodedata.combining(character)
