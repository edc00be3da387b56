"""Estimated tokens of a request: a guess by characters (`tools.definitions.token_estimate`),
corrected by the provider's usage of an earlier request."""

from collections.abc import Sequence

from tools.definitions.token_estimate import guess

__all__ = ["corrected", "guess"]

# Usage that differs from the guess by more than this ratio was counted otherwise (images, a cache).
_MAX_RATIO = 4.0


def corrected(guessed: int, before: Sequence[tuple[int, int]]) -> int:
    """The guess, scaled by the latest usable pair of `before`: guessed and reported tokens."""
    for guessed_before, reported in reversed(before):
        if guessed_before > 0 and 1 / _MAX_RATIO <= reported / guessed_before <= _MAX_RATIO:
            return round(guessed * reported / guessed_before)
    return guessed
