"""Bringing the results of tool calls to their calls, so that any history can be sent."""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from chat.llm.messages import Message, ToolCall

INTERRUPTED = "There is no result: the call was interrupted before it was answered."


def complete_history(messages: Iterable[Message]) -> list[Message]:
    """The history as every provider accepts it; idempotent, the argument is left as it is.

    Each tool call has an id of its own and one result, right behind its message, in the order of
    the calls. A missing result becomes one that says so. A result without a call, or a second one
    for the same call, is left out.
    """
    return Pairing(messages).history()


@dataclass(slots=True)
class _Slot:
    """The place of a call's result."""

    call_id: str
    result: Message | None = None

    def message(self) -> Message:
        if self.result is None:
            return {
                "role": "tool",
                "tool_call_id": self.call_id,
                "content": INTERRUPTED,
                "is_error": True,
            }
        if self.result.get("tool_call_id") == self.call_id:
            return self.result
        return {**self.result, "tool_call_id": self.call_id}


class Pairing:
    """A history on its way to being complete; `orphans` are the results that were left out."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.orphans: list[Message] = []
        self._entries: list[Message | _Slot] = []
        # By the id that a result names. Some servers number the calls of each answer anew: the
        # latest message with the id is meant.
        self._open: dict[str, deque[_Slot]] = {}
        self._latest: list[_Slot] = []
        for message in messages:
            self._add(message)

    def history(self) -> list[Message]:
        return [entry.message() if isinstance(entry, _Slot) else entry for entry in self._entries]

    def _add(self, message: Message) -> None:
        if message["role"] == "tool":
            self._answer(message)
        elif calls := message.get("tool_calls"):
            self._ask(message, calls)
        else:
            self._entries.append(message)

    def _ask(self, message: Message, calls: list[ToolCall]) -> None:
        own = with_own_ids(calls, f"call_{len(self._entries)}")
        self._entries.append(message if own == calls else {**message, "tool_calls": own})
        self._latest = [_Slot(call["id"]) for call in own]
        self._entries += self._latest
        self._open |= {call["id"]: deque() for call in calls}
        for call, slot in zip(calls, self._latest, strict=True):
            self._open[call["id"]].append(slot)

    def _answer(self, result: Message) -> None:
        slot = self._slot_for(result.get("tool_call_id", ""))
        if slot is None:
            self.orphans.append(result)
        else:
            slot.result = result

    def _slot_for(self, call_id: str) -> _Slot | None:
        """The unanswered call of this id; without an id, the first unanswered of the latest."""
        if call_id:
            waiting = self._open.get(call_id)
            return waiting.popleft() if waiting else None
        return next((slot for slot in self._latest if slot.result is None), None)


def with_own_ids(calls: list[ToolCall], fresh: str) -> list[ToolCall]:
    """The calls, each with an id of its own: one that is missing or taken is made from `fresh`."""
    taken = {call["id"] for call in calls}
    seen: set[str] = set()
    own: list[ToolCall] = []
    for call in calls:
        call_id = call["id"]
        if not call_id or call_id in seen:
            call_id = next(name for n in count() if (name := f"{fresh}_{n}") not in taken)
            taken.add(call_id)
        seen.add(call_id)
        own.append({**call, "id": call_id})
    return own


def in_call_order(messages: Iterable[Message]) -> list[Message]:
    """The messages as they are, but each run of tool results sorted by the order of their calls.

    Results of calls that are not known come last, as they arrived.
    """
    ordered: list[Message] = []
    results: list[Message] = []
    places: dict[str, int] = {}
    place = count()
    for message in messages:
        if message["role"] == "tool":
            results.append(message)
            continue
        ordered += _sorted(results, places)
        results = []
        ordered.append(message)
        places |= {call["id"]: next(place) for call in message.get("tool_calls", ())}
    return ordered + _sorted(results, places)


def _sorted(results: list[Message], places: dict[str, int]) -> list[Message]:
    return sorted(results, key=lambda result: places.get(result.get("tool_call_id", ""), math.inf))
