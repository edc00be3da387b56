"""Strict reading of a request's JSON for the settings that its provider may read.

A text that two readers could read differently is refused: names that stand twice (RFC 8259, 4),
also in another case, since Go's decoder ignores it, or that end at NUL for readers in C; and text
that is not UTF-8.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

# Members whose content is the program's own, and no setting that a provider reads. So are the
# parameters of a function of the program's; those of a tool of the provider are settings.
_FREE = frozenset(
    {
        *("schema", "input_schema", "output_schema", "guided_json", "json"),
        *("input_examples", "arguments", "metadata", "chat_template_kwargs", "documents"),
        *("annotations", "citations"),
    }
)


class Member(NamedTuple):
    """A named value of a body: `depth` is 0 at its top. The value of a file is None."""

    depth: int
    name: str
    value: Any


class Object(list[tuple[str, Any]]):
    """A JSON object with all its members in their order."""

    def get(self, name: str) -> Any:
        return next((value for key, value in self if key == name), None)


class DoubtfulName(ValueError):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def read_members(body: bytes) -> Iterator[Member]:
    """All members of an object in UTF-8, at any depth, without what is in those that are a
    program's own. Raises ValueError, DoubtfulName."""
    try:
        value = json.loads(body.decode(), object_pairs_hook=Object)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, Object):
        raise ValueError("no object")
    waiting: list[tuple[int, Any]] = [(0, value)]
    while waiting:
        depth, value = waiting.pop()
        if isinstance(value, Object):
            _check_names(value)
            for name, inner in value:
                yield Member(depth, name, inner)
                if not _is_free(name, value, depth):
                    waiting.append((depth + 1, inner))
        elif isinstance(value, list):
            waiting += [(depth, inner) for inner in value]


def items_of(value: Any) -> list[Any]:
    """Those of a list; another value alone."""
    return value if isinstance(value, list) and not isinstance(value, Object) else [value]


def _is_free(name: str, parent: Object, depth: int) -> bool:
    """Whether the content of a member is the program's own."""
    if name == "parameters":
        return depth > 0 and parent.get("type") in (None, "function")
    if name == "input":
        return depth > 0 and str(parent.get("type")).endswith("tool_use")
    return name in _FREE


def _check_names(value: Object) -> None:
    names = set()
    for name, _ in value:
        folded = name.casefold()
        if folded in names or "\0" in name:
            raise DoubtfulName(name)
        names.add(folded)
