"""Chat completions, streamed or whole: texts, `tool_calls`, and the older `function_call`.

Servers agree on little about the pieces of calls. The rules by which they are told apart are those
of the engine, so that `tool_calls[n]` means the same call to both; a test compares them.
"""

import json
from typing import Any

from db.fields import dump_json
from tracing.replies.parts import Kind, Said, Saying, string

# The first of them that a delta has is the one that counts.
_REASONING = ("reasoning_content", "reasoning")
_KINDS: dict[str, Kind] = {"content": "content", "refusal": "refusal"}


class ChatReader:
    """Joins the deltas of the first choice; a whole message is read as one delta."""

    def __init__(self) -> None:
        self._texts: dict[str, Saying] = {}
        self._calls = _Calls()

    @property
    def sayings(self) -> list[Saying]:
        """Reasoning and texts as they came, then calls."""
        return [*self._texts.values(), *self._calls.sayings]

    @property
    def said(self) -> list[Said]:
        return [saying.said() for saying in self.sayings]

    def take(self, event: dict[str, Any]) -> None:
        delta = _delta(event)
        for key in _REASONING:
            if text := string(delta.get(key)):
                self._text(key, "reasoning", text)
                break
        for key, kind in _KINDS.items():
            if text := _text(delta.get(key)):
                self._text(key, kind, text)
        self._function_call(delta.get("function_call"))
        calls = delta.get("tool_calls")
        self._calls.take(calls if isinstance(calls, list) else [])

    def _text(self, path: str, kind: Kind, text: str) -> None:
        self._texts.setdefault(path, Saying(path, kind)).pieces.append(text)

    def _function_call(self, call: Any) -> None:
        if isinstance(call, dict):
            saying = self._texts.setdefault("function_call", Saying("function_call", "call"))
            name = string(call.get("name"))
            saying.name += "" if name == saying.name else name
            saying.pieces.append(_arguments(call.get("arguments")))


class _Call(Saying):
    index: int | None = None

    def is_followed_by(self, name: str, id_: str, index: int | None, arguments: str) -> bool:
        """Whether a piece that would belong to this call begins another one."""
        if not name:
            return False
        if (id_ and self.id and id_ != self.id) or (index is None and name != self.name):
            return True
        told_apart = index is not None and id_
        return not told_apart and bool(arguments.strip()) and _is_complete("".join(self.pieces))


class _Calls:
    """The calls of `tool_calls`, merged by index, else by id, else into the latest."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    @property
    def sayings(self) -> list[_Call]:
        calls = self._calls
        if all(call.index is not None for call in calls):
            calls = sorted(calls, key=lambda call: call.index or 0)
        for place, call in enumerate(calls):
            call.path = f"tool_calls[{place}]"
        return calls

    def take(self, entries: list[Any]) -> None:
        beside: list[_Call] = []
        for entry in entries:
            if isinstance(entry, dict):
                beside.append(self._add(entry, beside))

    def _add(self, entry: dict[str, Any], beside: list[_Call]) -> _Call:
        function = entry.get("function")
        function = function if isinstance(function, dict) else {}
        index = entry["index"] if isinstance(entry.get("index"), int) else None
        id_, name = string(entry.get("id")), string(function.get("name"))
        arguments = _arguments(function.get("arguments"))
        call = self._find(index, id_)
        if (
            call is None
            or call.is_followed_by(name, id_, index, arguments)
            or (index is None and call in beside)
        ):
            call = _Call("", "call")
            call.index = index
            self._calls.append(call)
        call.id = call.id or id_
        if name != call.name and not any(call.pieces):
            call.name += name
        call.pieces.append(arguments)
        if index is not None:
            self._by_index[index] = call
        if id_:
            self._by_id[id_] = call
        return call

    def _find(self, index: int | None, id_: str) -> _Call | None:
        if index is not None:
            return self._by_index.get(index)
        return self._by_id.get(id_, self._calls[-1] if self._calls else None)


def _delta(event: dict[str, Any]) -> dict[str, Any]:
    """The delta or message of the first choice."""
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            said = choice.get("delta") or choice.get("message")
            return said if isinstance(said, dict) else {}
    return {}


def _text(content: Any) -> str:
    """Text, or the texts of parts without a separator."""
    if isinstance(content, list):
        return "".join(string(part.get("text")) for part in content if isinstance(part, dict))
    return string(content)


def _arguments(value: Any) -> str:
    """As text, also those of servers that send the value itself."""
    if value is None or isinstance(value, str):
        return value or ""
    return dump_json(value)


def _is_complete(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
