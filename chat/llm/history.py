"""Matching the results of tool calls with their calls, so that any history can be sent."""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from chat.llm.messages import Message, ToolCall

INTERRUPTED = "There is no result: the call was interrupted before it was answered."


def complete_history(messages: Iterable[Message]) -> list[Message]:
    """The history as every provider accepts it. Idempotent; does not change its argument.

    Each tool call has a unique id and one result, directly after its message, in the order of the
    calls. A missing result is replaced by an error. Results without a call, and second results of a
    call, are dropped.
    """
    return Pairing(messages).history()


@dataclass(slots=True)
class _Slot:
    """The place of a call's result in the history."""

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
    """Builds a complete history. `orphans`: the results that were dropped."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.orphans: list[Message] = []
        self._entries: list[Message | _Slot] = []
        # By the id that a result names. Some servers number the calls of each answer anew, so that
        # the latest message with the id counts.
        self._open: dict[str, deque[_Slot]] = {}
        self._latest: list[_Slot] = []
        for message in messages:
            self._add(message)

    def history(self) -> list[Message]:
        return [entry.message() if isinstance(entry, _Slot) else entry for entry in self._entries]

    def _add(self, message: Message) -> None:
        if message["role"] == "tool":
            self._add_result(message)
        elif calls := message.get("tool_calls"):
            self._add_calls(message, calls)
        else:
            self._entries.append(message)

    def _add_calls(self, message: Message, calls: list[ToolCall]) -> None:
        own = with_own_ids(calls, f"call_{len(self._entries)}")
        self._entries.append(message if own == calls else {**message, "tool_calls": own})
        self._latest = [_Slot(call["id"]) for call in own]
        self._entries += self._latest
        self._open |= {call["id"]: deque() for call in calls}
        for call, slot in zip(calls, self._latest, strict=True):
            self._open[call["id"]].append(slot)

    def _add_result(self, result: Message) -> None:
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
    """The calls with unique ids: a missing or duplicate one is replaced, beginning with `fresh`."""
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
    """The messages, each run of tool results sorted by the order of their calls.

    Results of unknown calls come last, in their order.
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
