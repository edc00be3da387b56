"""Surrogate pairs in JSON texts, which a provider may split between two events."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


class PairJoiner:
    """Joins pairs that are split between deltas of a text; an unpaired half becomes U+FFFD.

    A high surrogate at the end of a delta is held back until the next one.
    """

    __slots__ = ("_high",)

    def __init__(self) -> None:
        self._high = ""

    def add(self, text: str) -> str:
        """The text of a delta, without a high surrogate at its end."""
        if not self._high and (text.isascii() or not _SURROGATE.search(text)):
            return text
        text = self._high + text
        self._high = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return join_surrogates(text[: len(text) - len(self._high)])

    def rest(self) -> str:
        """The text that is held back; to be called at the end."""
        high, self._high = self._high, ""
        return join_surrogates(high)


def join_surrogates(text: str) -> str:
    """The text with each surrogate pair as one character, and U+FFFD for an unpaired half."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
