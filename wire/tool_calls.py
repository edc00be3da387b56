"""Merges streamed tool calls, whose form differs between servers.

A piece belongs to the call with its `index`; where that is missing, with its id; else to the latest
call. It begins another call all the same if it has a name, and
- an id that is not the one of that call (Gemini gives all parallel calls the index 0), or
- no index and another name, or stands beside that call in one list, or
- nothing to tell it from that call (no index, or no id), which is complete already, and another
  name, or arguments: its own, or those that come next.
An id or a name that is repeated with every piece changes nothing.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from languages.stored import stored
from wire import call_members
from wire.json_scanner import ObjectScanner, Scan
from wire.json_values import text_or_empty
from wire.surrogates import PairJoiner, join_surrogates

WriteJSON = Callable[[Any], str]


class CallProblemKind(Enum):
    NOT_A_LIST = stored("tool_calls is not a list")
    NOT_AN_OBJECT = stored("an entry is not an object")
    MISNAMED_ARGUMENTS = stored("the arguments stand under a name that is not read")
    NAME_BESIDE_ID = "the name stands beside the id, not under function; it is taken"
    PARAMETERS = "the arguments stand under parameters; they are taken"


class CallProblem(NamedTuple):
    """`name`: of the misnamed member, or of the tool whose arguments stand under parameters."""

    kind: CallProblemKind
    name: str = ""


class NativeCall:
    """A call as far as it has arrived."""

    __slots__ = (
        "_again",
        "_arguments",
        "_has_arguments",
        "_joiner",
        "_scanner",
        "call_id",
        "index",
        "name",
        "number",
    )

    def __init__(self, index: int | None, number: int) -> None:
        self.index = index
        self.number = number  # in the order of their beginnings
        self.call_id = ""
        self.name = ""
        self._arguments: list[str] = []
        self._has_arguments = False
        self._joiner = PairJoiner()
        self._scanner = ObjectScanner()
        self._again: _CallEntry | None = None  # repeats its name, or begins another call

    @property
    def arguments(self) -> str:
        """JSON text as the model wrote it, as far as it has arrived."""
        return "".join(self._arguments)

    @property
    def is_empty(self) -> bool:
        """Whether it has no name, id or arguments: some servers end a list of calls so."""
        return not (self.name or self.call_id or self.arguments.strip())

    @property
    def is_complete(self) -> bool:
        return self._scanner.state is Scan.COMPLETE

    def add(self, piece: "_CallEntry") -> str:
        """Takes more of the call; returns the text that was appended to its arguments."""
        if piece.name:
            if self.is_complete and not piece.is_identified:
                self._again = piece
            if piece.name != self.name and not self._has_arguments:
                self.name += piece.name
        self.call_id = self.call_id or piece.call_id
        if not piece.arguments:
            return ""
        self._has_arguments = True
        self._scanner.scan(piece.arguments, 0)
        text = self._joiner.add(piece.arguments)
        self._arguments.append(text)
        return text

    def finish(self) -> str:
        """Appends the half of a surrogate pair that is held back; returns it."""
        rest = self._joiner.rest()
        self._arguments.append(rest)
        return rest

    def is_followed_by(self, piece: "_CallEntry") -> bool:
        """Whether a piece that would belong to this call begins another one."""
        if not piece.name:
            return False
        if piece.call_id and self.call_id and piece.call_id != self.call_id:
            return True
        if piece.at_index is None and piece.name != self.name:
            return True
        if piece.is_identified or not self.is_complete:
            return False
        return bool(piece.arguments.strip() or (self.name and piece.name != self.name))

    def beginning_before(self, piece: "_CallEntry") -> "_CallEntry | None":
        """The entry with the name of another call, if it came after this call was complete and
        `piece`, without a name, has that call's arguments."""
        if self._again is None or piece.name or not piece.arguments.strip():
            return None
        again, self._again = self._again, None
        return again


class CallText(NamedTuple):
    """Text appended to the arguments of a call; may be empty in its first delta."""

    call: NativeCall
    text: str


class CallMerger:
    """Merges the calls of one answer. `write_json` turns arguments that are no text into text."""

    def __init__(self, write_json: WriteJSON) -> None:
        self.problems: dict[CallProblem, None] = {}  # an ordered set
        self._write_json = write_json
        self._calls: list[NativeCall] = []
        self._by_index: dict[int, NativeCall] = {}
        self._by_id: dict[str, NativeCall] = {}

    @property
    def calls(self) -> list[NativeCall]:
        """In the order of their indexes, or of their beginnings where one has none."""
        if all(call.index is not None for call in self._calls):
            return sorted(self._calls, key=lambda call: call.index or 0)
        return [*self._calls]

    def feed(self, entries: object) -> list[CallText]:
        """Takes `tool_calls` of a delta, or of a whole message; gives what each entry added."""
        if not isinstance(entries, list):
            if entries is not None:
                self._report(CallProblemKind.NOT_A_LIST)
            return []
        texts: list[CallText] = []
        for entry in entries:
            if isinstance(entry, dict):
                texts.append(self._add(self._piece(entry), texts))
            else:
                self._report(CallProblemKind.NOT_AN_OBJECT)
        return texts

    def finish(self) -> list[CallText]:
        """The texts that are held back; to be called at the end."""
        texts = [CallText(call, call.finish()) for call in self._calls]
        return [one for one in texts if one.text]

    def _add(self, piece: "_CallEntry", beside: list[CallText]) -> CallText:
        """`beside`: the entries before it in the same list."""
        call = self._call_of(piece)
        if (
            call is None
            or call.is_followed_by(piece)
            or (piece.at_index is None and any(call is one.call for one in beside))
        ):
            call = self._begin(piece.at_index)
        elif beginning := call.beginning_before(piece):
            call = self._begin(beginning.at_index)
            call.add(beginning)
            self._remember(call, beginning.at_index, call.call_id)
        text = call.add(piece)
        self._remember(call, piece.at_index, piece.call_id)
        return CallText(call, text)

    def _begin(self, index: int | None) -> NativeCall:
        call = NativeCall(index, len(self._calls))
        self._calls.append(call)
        return call

    def _remember(self, call: NativeCall, index: int | None, call_id: str) -> None:
        if index is not None:
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call

    def _call_of(self, piece: "_CallEntry") -> NativeCall | None:
        if piece.at_index is not None:
            return self._by_index.get(piece.at_index)
        latest = self._calls[-1] if self._calls else None
        return self._by_id.get(piece.call_id, latest)

    def _piece(self, entry: dict[str, Any]) -> "_CallEntry":
        index, function = entry.get("index"), entry.get("function")
        if function is None and isinstance(entry.get("name"), str):
            self._report(CallProblemKind.NAME_BESIDE_ID)
            function = entry
        if not isinstance(function, dict):
            function = {}
        name = join_surrogates(text_or_empty(function.get("name")))
        return _CallEntry(
            index if isinstance(index, int) else None,
            join_surrogates(text_or_empty(entry.get("id"))),
            name,
            self._arguments(function, name),
        )

    def _arguments(self, function: dict[str, Any], name: str) -> str:
        """As text, also those of servers that send the value itself."""
        arguments = function.get(call_members.ARGUMENTS)
        if isinstance(arguments, str):
            return arguments
        if arguments is not None:
            return self._write_json(arguments)
        members = [member for member, value in function.items() if value is not None]
        if call_members.PARAMETERS in members:
            self._report(CallProblemKind.PARAMETERS, name)
            return self._text(function[call_members.PARAMETERS])
        if other := call_members.misnamed_arguments(members):
            self._report(CallProblemKind.MISNAMED_ARGUMENTS, other)
            # No JSON object, so that it is not run; the model is shown what it wrote.
            return f'"{other}": {self._text(function[other])}'
        return ""

    def _text(self, arguments: object) -> str:
        return arguments if isinstance(arguments, str) else self._write_json(arguments)

    def _report(self, kind: CallProblemKind, name: str = "") -> None:
        self.problems[CallProblem(kind, name)] = None


class _CallEntry(NamedTuple):
    """An entry of `tool_calls`; what it does not say is None or empty."""

    at_index: int | None
    call_id: str
    name: str
    arguments: str

    @property
    def is_identified(self) -> bool:
        return self.at_index is not None and bool(self.call_id)
