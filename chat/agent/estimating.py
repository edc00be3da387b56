"""How many tokens a request will be, before anybody has counted them.

A first guess by characters (`tools.definitions.token_estimate`), corrected by what the provider has
reported for the request before.
"""

from collections.abc import Sequence

from tools.definitions.token_estimate import guess

__all__ = ["corrected", "guess"]

# A provider's figure that is farther off than this was counted otherwise (images, a cache).
_WIDEST_RATIO = 4.0


def corrected(guessed: int, before: Sequence[tuple[int, int]]) -> int:
    """The guess, scaled as the last of `before` (guessed, reported) was off."""
    for guessed_before, reported in reversed(before):
        if guessed_before > 0 and 1 / _WIDEST_RATIO <= reported / guessed_before <= _WIDEST_RATIO:
            return round(guessed * reported / guessed_before)
    return guessed
