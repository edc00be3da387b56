"""The first place in which a request differs from the recorded one.

Bodies are compared as JSON values, except for ids of tool calls, which are random where a model
gave none: each is replaced by the number of its first appearance.
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

# The key of a call's id, by the type of the object.
_ID_KEYS = {"tool_use": "id", "tool_result": "tool_use_id", "function": "id"}


@dataclass(frozen=True)
class RequestDifference:
    """`place`: path of the value, such as `messages[2].content`. None: there is no value."""

    place: str
    recorded: str | None
    sent: str | None

    def lines(self) -> Iterator[str]:
        """Lines of a diff, with a little context."""
        if self.recorded is None or self.sent is None:
            yield f"- {_short(self.recorded) if self.recorded is not None else '(nothing)'}"
            yield f"+ {_short(self.sent) if self.sent is not None else '(nothing)'}"
            return
        old, new = self.recorded.splitlines(), self.sent.splitlines()
        for line in unified_diff(old, new, "recorded", "sent", lineterm="", n=CONTEXT):
            yield _short(line)


def first_difference(recorded: Any, sent: Any) -> RequestDifference | None:
    """The first difference; None if both are equal except for the ids of calls."""
    return _differ("", _with_numbered_calls(recorded), _with_numbered_calls(sent))


def _differ(place: str, old: Any, new: Any) -> RequestDifference | None:
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
        return RequestDifference(place, _text(old), _text(new))
    differences = (_differ(*pair) for pair in pairs)
    return next((difference for difference in differences if difference), None)


def _text(value: Any) -> str | None:
    if value is ABSENT:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _short(line: str) -> str:
    return line if len(line) <= MAX_RERUN_LINE else f"{line[: MAX_RERUN_LINE - 1]}…"


def _with_numbered_calls(body: Any) -> Any:
    """The body with the ids of its calls replaced by their numbers."""
    return _numbered(json.loads(dump_json(body)), {})


def _numbered(value: Any, numbers: dict[str, str]) -> Any:
    if isinstance(value, list):
        for each in value:
            _numbered(each, numbers)
    if isinstance(value, dict):
        for key in (_ID_KEYS.get(str(value.get("type"))), "tool_call_id"):
            call_id = value.get(key) if key else None
            if key and isinstance(call_id, str):
                value[key] = numbers.setdefault(call_id, f"call {len(numbers) + 1}")
        for each in value.values():
            _numbered(each, numbers)
    return value
