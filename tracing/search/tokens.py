"""How texts become words that are found.

What is written with spaces is cut at everything that is no letter or digit. Chinese, Japanese and
Korean are not, so each character is a word, and each two that stand beside each other are a pair:
a query of two characters looks up one pair, a longer one the pairs in a row. All is folded: width,
case, accents.
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
_PIECES = re.compile(f"(?P<run>[{CJK}]+)|(?P<word>[^\\W_{CJK}]+)")


class Token(NamedTuple):
    """A folded word, or a character of a run; where it stood, and the run's number from 1."""

    text: str
    start: int
    end: int
    run: int = 0


def tokens(text: str) -> Iterator[Token]:
    for number, match in enumerate(_PIECES.finditer(text), 1):
        if match["run"] is None:
            folded = fold(match[0])
            if folded:
                yield Token(folded[:MAX_WORD], match.start(), match.end())
            continue
        for place, character in enumerate(match[0], match.start()):
            yield Token(fold(character) or character, place, place + 1, number)


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Without width, case and accents; letters and digits only."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    joined = unicodedata.normalize("NFC", "".join(filter(_is_kept, plain)))
    return "".join(filter(str.isalnum, joined))


def pairs(tokens_: list[Token]) -> Iterator[tuple[int, str]]:
    """The pairs of characters in runs: the position of the first, and both."""
    for place in range(len(tokens_) - 1):
        one, two = tokens_[place], tokens_[place + 1]
        if one.run and one.run == two.run:
            yield place, one.text + two.text


def _is_kept(character: str) -> bool:
    # Voiced kana are decomposed too, and their mark tells words apart.
    return character in "\u3099\u309a" or not unicodedata.combining(character)
