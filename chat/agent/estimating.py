"""How many tokens a request will be, before anybody has counted them.

A first guess by characters, corrected by what the provider has reported for the request before.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tracing.fields import dump_json

# Characters a token: of English text and code, and of what is written without spaces.
_NARROW = 4.0
_WIDE = 1.5
# A provider's figure that is farther off than this was counted otherwise (images, a cache).
_MOST = 4.0


def guess(values: Iterable[Any]) -> int:
    """Tokens of some messages or tool definitions."""
    return sum(map(_of_text, map(dump_json, values)))


def corrected(guessed: int, before: Sequence[tuple[int, int]]) -> int:
    """The guess, scaled as the last of `before` (guessed, reported) was off."""
    for guessed_before, reported in reversed(before):
        if guessed_before > 0 and 1 / _MOST <= reported / guessed_before <= _MOST:
            return round(guessed * reported / guessed_before)
    return guessed


def _of_text(text: str) -> int:
    narrow = len(text.encode("ascii", "ignore"))
    return round(narrow / _NARROW + (len(text) - narrow) / _WIDE)
