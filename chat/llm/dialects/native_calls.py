"""Merging the pieces of tool calls, of servers that agree on little.

A piece belongs to the call with its `index`; where that is missing, with its id; else to the latest
call. It begins another call all the same if it has a name, and
- an id that is not the one of that call (Gemini gives all parallel calls the index 0), or
- no index and another name, or stands beside that call in one list, or
- nothing to tell it from that call (no index, or no id), which is complete already, and another
  name, or arguments: its own, or those that come next.
An id or a name that is repeated with every piece changes nothing.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from chat.llm.dialects import called
from chat.llm.dialects.calls_text import CallsText
from chat.llm.dialects.contract import Origin
from chat.llm.dialects.object_scanner import ObjectScanner, Scan
from chat.llm.dialects.shown import whole
from chat.llm.history import with_own_ids
from chat.llm.json_text import prompt_json
from chat.llm.messages import NO_NAME, UNNAMED, ToolCall, tool_call


@dataclass(frozen=True, slots=True)
class MergedCalls:
    """The calls of an answer. `reissued` maps each id that we gave to the one that was taken."""

    calls: list[ToolCall]
    errors: list[str]
    origins: list[Origin]
    reissued: dict[str, str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Piece:
    """An entry of `tool_calls`; what it does not say is None or empty."""

    index: int | None
    call_id: str
    name: str
    arguments: str
    error: str = ""
    note: str = ""

    @property
    def is_told_apart(self) -> bool:
        return self.index is not None and bool(self.call_id)


@dataclass(slots=True, eq=False)
class _Call:
    """A call as far as it has arrived."""

    index: int | None
    call_id: str = ""
    name: str = ""
    number: int = 0  # in the order of their beginnings
    _arguments: list[str] = field(default_factory=list)
    _scanner: ObjectScanner = field(default_factory=ObjectScanner)
    _again: _Piece | None = None  # its name once more, or the beginning of another call

    @property
    def arguments(self) -> str:
        return whole("".join(self._arguments))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked at all: some servers end their calls with such an entry."""
        return not (self.name or self.call_id or self.arguments.strip())

    @property
    def is_complete(self) -> bool:
        return self._scanner.state is Scan.COMPLETE

    def add(self, piece: _Piece) -> None:
        if self.is_complete and piece.name and not piece.is_told_apart:
            self._again = piece
        self.call_id = self.call_id or piece.call_id
        if piece.name != self.name and not self._arguments:
            self.name += piece.name
        if piece.arguments:
            self._arguments.append(piece.arguments)
            self._scanner.scan(piece.arguments, 0)

    def is_followed_by(self, piece: _Piece) -> bool:
        """Whether a piece that would belong to this call begins another one."""
        if not piece.name:
            return False
        if piece.call_id and self.call_id and piece.call_id != self.call_id:
            return True
        if piece.index is None and piece.name != self.name:
            return True
        if piece.is_told_apart or not self.is_complete:
            return False
        return bool(piece.arguments.strip() or (self.name and piece.name != self.name))

    def begun_before(self, piece: _Piece) -> "_Call | None":
        """The call whose arguments a piece without a name begins, if its name came by itself after
        this call was complete."""
        if self._again is None or piece.name or not piece.arguments.strip():
            return None
        call = _Call(self._again.index)
        call.add(self._again)
        self._again = None
        return call


class CallMerger:
    """Merges the calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._errors: dict[str, None] = {}  # an ordered set
        self._notes: dict[str, None] = {}
        self.text = CallsText()

    def feed(self, entries: object) -> None:
        """Takes `tool_calls` of a delta, or of a whole message."""
        if not isinstance(entries, list | None):
            self._errors["tool_calls is not a list."] = None
            return
        beside: list[_Call] = []
        for entry in entries or ():
            if isinstance(entry, dict):
                piece = _piece(entry)
                self._errors |= dict.fromkeys(filter(None, [piece.error]))
                self._notes |= dict.fromkeys(filter(None, [piece.note]))
                beside.append(self._add(piece, beside))
            else:
                self._errors["An entry of tool_calls is not an object."] = None

    def finish(self) -> MergedCalls:
        """The calls in the order of their indexes, or of their arrival where one has none."""
        if all(call.index is not None for call in self._calls):
            self._calls.sort(key=lambda call: call.index or 0)
        asked = [(n, call) for n, call in enumerate(self._calls) if not call.is_empty]
        if len(asked) < len(self._calls):
            self._errors["An empty tool call was left out."] = None
        if not all(call.name for _, call in asked):
            self._errors[NO_NAME] = None
        given = [tool_call(one.call_id, one.name or UNNAMED, one.arguments) for _, one in asked]
        calls = with_own_ids(given, f"call_{uuid4().hex}")
        return MergedCalls(
            calls,
            list(self._errors),
            [
                Origin(f"tool_calls[{n}]", "tool_call", call_id=call["id"])
                for (n, _), call in zip(asked, calls, strict=True)
            ],
            {
                call["id"]: before["id"]
                for before, call in zip(given, calls, strict=True)
                if before["id"] and before["id"] != call["id"]
            },
            list(self._notes),
        )

    def _add(self, piece: _Piece, beside: list[_Call]) -> _Call:
        call = self._call_of(piece)
        if call is None or call.is_followed_by(piece) or (piece.index is None and call in beside):
            call = _Call(piece.index)
            self._append(call)
        elif another := call.begun_before(piece):
            call = another
            self._append(call)
            self._note(call, call.index, call.call_id)
        call.add(piece)
        self._note(call, piece.index, piece.call_id)
        self.text.write(call.number, call.name, piece.arguments)
        return call

    def _append(self, call: _Call) -> None:
        call.number = len(self._calls)
        self._calls.append(call)

    def _note(self, call: _Call, index: int | None, call_id: str) -> None:
        if index is not None:
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call

    def _call_of(self, piece: _Piece) -> _Call | None:
        if piece.index is not None:
            return self._by_index.get(piece.index)
        latest = self._calls[-1] if self._calls else None
        return self._by_id.get(piece.call_id, latest)


def _piece(entry: dict[str, Any]) -> _Piece:
    index, function, note = entry.get("index"), entry.get("function"), ""
    if function is None and isinstance(entry.get("name"), str):
        function, note = entry, "The name of a tool call stood beside its id; it was taken."
    if not isinstance(function, dict):
        function = {}
    name = whole(_text(function.get("name")))
    there = [member for member, value in function.items() if value is not None]
    key = called.key_of_arguments(there)
    arguments = _json_text(function.get(key)) if key else ""
    if key == called.PARAMETERS:
        note = called.noted(name or "a tool")
    error = ""
    if other := called.misnamed(there):
        error = f"A tool call has its arguments under {other}, which is not read; it is not run."
        # What is no JSON object is not run, and shown to the model as it wrote it.
        arguments = f'"{other}": {_json_text(function[other])}'
    return _Piece(
        index if isinstance(index, int) else None,
        whole(_text(entry.get("id"))),
        name,
        arguments,
        error,
        note,
    )


def _json_text(arguments: object) -> str:
    """Arguments as text, also those of servers that send the value itself."""
    if isinstance(arguments, str | None):
        return arguments or ""
    try:
        return prompt_json(arguments)
    except ValueError:
        return str(arguments)  # Python's NaN, say: not JSON, which is reported


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
