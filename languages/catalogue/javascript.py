"""Texts of scripts: the string literals in calls of `gettext` and `ngettext`."""

import re
from collections.abc import Iterator

from languages.catalogue.templates import NAMES
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


# A comment or a literal; comments are matched so that what they quote is left alone.
_TOKENS = re.compile(
    r"(?P<comment>(?<![:\"'`\\])//[^\n]*|/\*.*?\*/)"
    r"|(?P<pattern>(?<=[=(,:?!&|\s])/(?![*/ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"
    rf"|(?P<literal>{_STRING}|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)",
    re.DOTALL,
)
_PLACES = re.compile(r"\$\{[^}]*\}")
# Before a literal: it is marked, alone or as a further part of a marked one.
_MARKED = re.compile(rf"\bn?gettext\(\s*(?:{_STRING}\s*[+,]\s*)*$")
# Before a literal: words for people, one word suffices.
_SHOWN = re.compile(
    r"""(?:\b(?:textContent|title|ariaLabel|placeholder|alt)\s*=|\bsetAttribute\(\s*"""
    r""""(?:aria-label|title|placeholder|alt)"\s*,|\b(?:append|prepend|replaceChildren)\()\s*$"""
)
# Before a literal: for the console alone.
_FOR_DEVELOPERS = re.compile(r"\b(?:Error|console\.\w+)\(\s*$")
_WORD = re.compile(r"[A-Za-z]{2,}")
_IDENTIFIER = re.compile(r"[a-z_]+")
_SENTENCE = re.compile(r"[A-Z][\w’'.]* (?:[\w’',]+ ?)+")
_BETWEEN_TAGS = re.compile(r">[^<>]*[A-Za-z]{2,}[^<>]*<")


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Words for people without a mark: their line and themselves."""
    for token in _TOKENS.finditer(source):
        if literal := token["literal"]:
            before = source[max(0, token.start() - 300) : token.start()]
            is_name = source.startswith(",", token.end())
            if _is_unmarked(literal[1:-1], before, is_name=is_name):
                yield source.count("\n", 0, token.start()) + 1, literal


def _is_unmarked(text: str, before: str, *, is_name: bool) -> bool:
    """`is_name`: another argument follows, as after the name of a form's field."""
    words = _PLACES.sub(" ", text)
    if _MARKED.search(before) or _FOR_DEVELOPERS.search(before):
        return False
    if _SHOWN.search(before):
        is_code = is_name and _IDENTIFIER.fullmatch(text)
        return bool(set(_WORD.findall(words)) - NAMES) and not is_code
    return bool(_SENTENCE.match(words) or _BETWEEN_TAGS.search(words))
