"""Texts of scripts: the string literals in calls of `gettext` and `ngettext`."""

import re
from collections.abc import Iterator

from languages.catalogue.texts import Text

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_LITERAL = rf"{_STRING}(?:\s*\+\s*{_STRING})*"
_SINGLE = re.compile(rf"\bgettext\(\s*({_LITERAL})\s*,?\s*\)")
_PLURAL = re.compile(rf"\bngettext\(\s*({_LITERAL})\s*,\s*({_LITERAL})\s*,")
_ESCAPES = {"n": "\n", "t": "\t"}


def texts(source: str) -> Iterator[Text]:
    for match in _SINGLE.finditer(source):
        yield Text(value(match[1]))
    for match in _PLURAL.finditer(source):
        yield Text(value(match[1]), many=value(match[2]))


def value(literal: str) -> str:
    """Of string literals that are joined with `+`."""
    parts = re.findall(_STRING, literal)
    return "".join(
        re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), part[1:-1])
        for part in parts
    )


# Where scripts put words for people.
_SHOWN = re.compile(rf"(?:textContent|\.title|ariaLabel|placeholder) = (?P<text>{_STRING}|`[^`]*`)")
_TWO_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Words for people without a mark: their line and themselves."""
    for match in _SHOWN.finditer(source):
        words = re.sub(r"\$\{[^}]*\}", " ", match["text"])
        if _TWO_WORDS.search(words):
            yield source.count("\n", 0, match.start()) + 1, match["text"]
