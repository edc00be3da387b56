"""A small ledger in which everything holds, for tests that plant a violation into a copy of it."""

import copy
import json
from typing import Any

from tests.chaos.journal import Line, Lines

TURN, TRACE, GENERATION, CALL = "a1", "b1", "c1", "d1"
_FREE = {"owner": "", "lease": None, "trace": TRACE, "trace_type": "turn"}


def _span(number: int, kind: str, name: str, public_id: str) -> Line:
    ids = {"id": number, "public_id": public_id, "type": kind, "name": name}
    return {"kind": "span", **ids, "status": "succeeded", "round": 1, **_FREE}


def _message(number: int, span: int, body: dict[str, Any]) -> Line:
    row = {"id": number, "turn": 1, "role": body["role"], "span": span}
    return {"kind": "message", **row, "body": json.dumps(body)}


_CALL = {"id": "call_1", "function": {"name": "once-write", "arguments": '{"line": "1-0"}'}}
_SHOWN = {"turn": TURN, "tab": "person-0.1", "state": "done", "known": 0, "whole": False}
_TEXT = {"1": {"generation": GENERATION, "text": "There are three."}}
_LINES: list[Line] = [
    {"kind": "plan", "at": 0.0, "seed": 1, "database": "SQLite", "turns": 1, "bound": 15.0},
    {"kind": "accepted", "key": "k1", "tab": "person-0.1", "turn": TURN},
    {"kind": "client", "tab": "person-0.1", "frames": 40, "reopened": 0},
    {"kind": "fault", "name": "kill-web", "began": 5.0, "ended": 5.0, "error": ""},
    {"kind": "gap", "turn": TURN, "tab": "person-0.1", "began": 4.0, "ended": 7.5},
    {"kind": "shown", **_SHOWN, "rounds": _TEXT},
    {"kind": "effects", "server": "once", "lines": ["1-0"]},
    {"kind": "effects", "server": "again", "lines": []},
    {
        "kind": "payloads",
        "count": 4,
        "corrupt": [],
        "requests": {"ff": 1},
        "received": [{"number": 1, "at": 1.0, "sha256": "ff", "model": "stub"}],
    },
    {
        "kind": "turn",
        **{"id": 1, "public_id": TURN, "key": "k1", "status": "done", "parent_call": None},
        **_FREE,
    },
    {"kind": "trace", "id": 1, "public_id": TRACE, "type": "turn", "status": "succeeded"},
    _span(1, "generation", "", GENERATION),
    _span(2, "tool", "once-write", CALL),
    _message(1, 1, {"role": "assistant", "content": "There are three.", "tool_calls": [_CALL]}),
    _message(2, 2, {"role": "tool", "tool_call_id": "call_1", "content": "written"}),
]


def sound() -> list[Line]:
    """A copy of its lines."""
    return copy.deepcopy(_LINES)


def planted(kind: str, number: int = 0, **fields: Any) -> Lines:
    """The ledger with these fields in its line of this kind and number."""
    lines = sound()
    [line for line in lines if line["kind"] == kind][number].update(fields)
    return Lines(lines)


def without(kind: str, number: int = 0) -> Lines:
    lines = sound()
    lines.remove([line for line in lines if line["kind"] == kind][number])
    return Lines(lines)


def also(kind: str, **fields: Any) -> Lines:
    return Lines([*sound(), {"kind": kind, "at": 9.0, **fields}])
