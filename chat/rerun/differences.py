"""The first place in which a request differs from the recorded one.

Bodies are compared as JSON values. One thing may vary: the ids of tool calls, which the product
makes up where a model gave none; each counts as the place at which it first appears.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import zip_longest
from typing import Any

from db.fields import dump_json
from limits.replay import MAX_RERUN_LINE

CONTEXT = 2  # lines around a difference
ABSENT = object()

# Where ids of calls stand: beside which type, under which key.
_ID_KEYS = {"tool_use": "id", "tool_result": "tool_use_id", "function": "id"}


@dataclass(frozen=True)
class Difference:
    """`place` leads to the value, such as `messages[2].content`; None where there is no value."""

    place: str
    recorded: str | None
    sent: str | None

    def lines(self) -> Iterator[str]:
        """For people: what was taken away and what came, with a little around it."""
        if self.recorded is None or self.sent is None:
            yield f"- {_short(self.recorded) if self.recorded is not None else '(nothing)'}"
            yield f"+ {_short(self.sent) if self.sent is not None else '(nothing)'}"
            return
        old, new = self.recorded.splitlines(), self.sent.splitlines()
        for line in unified_diff(old, new, "recorded", "sent", lineterm="", n=CONTEXT):
            yield _short(line)


def first_difference(recorded: Any, sent: Any) -> Difference | None:
    """None if both are equal but for the ids of their calls."""
    return _differ("", _with_places(recorded), _with_places(sent))


def _differ(place: str, old: Any, new: Any) -> Difference | None:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        pairs = [
            (f"{place}.{key}".lstrip("."), old.get(key, ABSENT), new.get(key, ABSENT))
            for key in keys
        ]
    elif isinstance(old, list) and isinstance(new, list):
        both = zip_longest(old, new, fillvalue=ABSENT)
        pairs = [(f"{place}[{at}]", *pair) for at, pair in enumerate(both)]
    elif type(old) is type(new) and old == new:
        return None
    else:
        return Difference(place, _text(old), _text(new))
    found = (_differ(*pair) for pair in pairs)
    return next((difference for difference in found if difference), None)


def _text(value: Any) -> str | None:
    if value is ABSENT:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _short(line: str) -> str:
    return line if len(line) <= MAX_RERUN_LINE else f"{line[: MAX_RERUN_LINE - 1]}…"


def _with_places(body: Any) -> Any:
    """The body, the ids of its calls replaced by their numbers."""
    return _renamed(json.loads(dump_json(body)), {})


def _renamed(value: Any, numbers: dict[str, str]) -> Any:
    if isinstance(value, list):
        for each in value:
            _renamed(each, numbers)
    if isinstance(value, dict):
        for key in (_ID_KEYS.get(str(value.get("type"))), "tool_call_id"):
            written = value.get(key) if key else None
            if key and isinstance(written, str):
                value[key] = numbers.setdefault(written, f"call {len(numbers) + 1}")
        for each in value.values():
            _renamed(each, numbers)
    return value
