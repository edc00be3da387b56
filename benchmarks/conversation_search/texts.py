"""Texts whose words have the frequencies of real ones (Zipf's law), the same in every run."""

from functools import cache
from itertools import accumulate
from random import Random

# Words that most messages have, that some have, and that hardly any has.
FREQUENT = ("the", "的")
USUAL = ("deadline", "数据库")
RARE = ("zanzibar", "青藏高原")
USUAL_EVERY = 40
RARE_EVERY = 20_000

_SYLLABLES = [c + v for c in "bcdfghjklmnprstvwz" for v in ("a", "e", "i", "o", "u", "an", "er")]
_WORDS = 30_000
_CHARACTERS = 3_500
_FIRST_CHARACTER = 0x4E00
_CHARACTERS_APART = 5


def message(random: Random, number: int, length: int) -> str:
    """About `length` characters, every other message Chinese."""
    is_chinese = number % 2 == 1
    words = _chinese(random, length) if is_chinese else _english(random, length)
    if number % RARE_EVERY in (0, 1):
        words.insert(len(words) // 2, RARE[is_chinese])
    if number % USUAL_EVERY in (0, 1):
        words.insert(len(words) // 3, USUAL[is_chinese])
    return ("" if is_chinese else " ").join(words)


def _english(random: Random, length: int) -> list[str]:
    vocabulary, weights = _english_words()
    return random.choices(vocabulary, cum_weights=weights, k=max(3, length // 6))


def _chinese(random: Random, length: int) -> list[str]:
    vocabulary, weights = _characters()
    characters = random.choices(vocabulary, cum_weights=weights, k=max(3, length // 3))
    return [one if place % 17 else f"{one}，" for place, one in enumerate(characters, 1)]


@cache
def _english_words() -> tuple[list[str], list[float]]:
    random = Random(1)
    words = {"".join(random.choices(_SYLLABLES, k=random.randint(2, 4))) for _ in range(_WORDS)}
    return _weighted([FREQUENT[0], *sorted(words - {*FREQUENT})])


@cache
def _characters() -> tuple[list[str], list[float]]:
    others = [chr(_FIRST_CHARACTER + _CHARACTERS_APART * n) for n in range(_CHARACTERS)]
    return _weighted([FREQUENT[1], *(one for one in others if one != FREQUENT[1])])


def _weighted(words: list[str]) -> tuple[list[str], list[float]]:
    """The words with cumulated weights: the n-th most frequent has 1/n of the first's."""
    return words, list(accumulate(1 / place for place in range(1, len(words) + 1)))
