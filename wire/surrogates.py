"""Surrogate pairs in JSON texts, which a provider may cut between two events."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


class PairJoiner:
    """Joins the pairs that were cut between pieces of a text; a half without the other is U+FFFD.

    It holds back the first half of a pair until the next piece has come.
    """

    __slots__ = ("_high",)

    def __init__(self) -> None:
        self._high = ""

    def add(self, text: str) -> str:
        """What can be read of the text up to the end of this piece."""
        if not self._high and (text.isascii() or not _SURROGATE.search(text)):
            return text
        text = self._high + text
        self._high = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return join_surrogates(text[: len(text) - len(self._high)])

    def rest(self) -> str:
        """At the end of the text: what was held back."""
        high, self._high = self._high, ""
        return join_surrogates(high)


def join_surrogates(text: str) -> str:
    """The text with pairs of surrogates as the one character that they are; U+FFFD for a half."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
