"""The variables of a prompt template.

    {{name}}                  a line of text
    {{name = default}}        … that begins with a default
    {{name: lines}}           several lines; also with a default, or if the default has several

A name is any text without `{`, `}`, `=`, `:` and line breaks, so it may be Chinese and have spaces.
Whatever else stands in braces is text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NAME_CHARACTERS = 80
LINES = "lines"
# What may be a variable: each start is read up to the next brace, so the time is linear.
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")


@dataclass(frozen=True)
class Variable:
    """A variable with its default; `is_multiline` if its text may have several lines."""

    name: str
    default: str = ""
    is_multiline: bool = False


def variables_of(text: str) -> list[Variable]:
    """In the order in which they occur first. Of a name that occurs again, the first default and
    any `lines` count."""
    found: dict[str, Variable] = {}
    for one in _occurrences(text):
        before = found.get(one.name, one)
        is_multiline = before.is_multiline or one.is_multiline
        found[one.name] = Variable(one.name, before.default or one.default, is_multiline)
    return list(found.values())


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with these values; a variable without one has its default."""
    defaults = {one.name: one.default for one in variables_of(text)}

    def value(match: re.Match[str]) -> str:
        variable = _variable(match[1])
        return values.get(variable.name, defaults[variable.name]) if variable else match[0]

    return _BRACES.sub(value, text)


def _occurrences(text: str) -> Iterator[Variable]:
    found = (_variable(match[1]) for match in _BRACES.finditer(text))
    return (one for one in found if one is not None)


def _variable(inside: str) -> Variable | None:
    """What stands between the braces; None if it is text."""
    head, _, default = inside.partition("=")
    name, colon, kind = head.partition(":")
    name, default = name.strip(), default.strip()
    if not name or "\n" in name or len(name) > NAME_CHARACTERS:
        return None
    if colon and kind.strip() != LINES:
        return None
    return Variable(name, default, bool(colon) or "\n" in default)
