"""What must hold after a run, whatever was killed (spec: every accepted message is one turn, which
ends; every call has one result and one side effect at most; nothing is left behind; evidence is
what its hash says; nothing contradicts docs/protocol.md).

Each check reads the ledger alone, so that a run can be checked again, and a planted violation is
found in a ledger that a test has written.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.journal import Line, Lines
from tests.chaos.plan import SERVERS
from tests.chaos.rows import hexadecimal
from tests.chaos.texts import texts_match
from tests.faults.ledger import FINAL, OPEN_SPANS


@dataclass(frozen=True)
class Violation:
    """`what` in words; the turn and the trace to look at, where there are some; when, if known."""

    what: str
    turn: str = ""
    trace: str = ""
    at: float | None = None


@dataclass
class Check:
    name: str
    count: int = 0
    violations: list[Violation] = field(default_factory=list)

    def fail(self, what: str, turn: str = "", trace: str = "", at: float | None = None) -> None:
        self.violations.append(Violation(what, turn, trace, at))


def check_all(lines: Lines) -> list[Check]:
    return [check(lines) for check in CHECKS]


def one_turn_a_key(lines: Lines) -> Check:
    check = Check("Every accepted key has one turn")
    turns = Counter(row["key"] for row in lines["turn"])
    for accepted in {line["key"]: line for line in lines["accepted"]}.values():
        check.count += 1
        if turns[accepted["key"]] != 1:
            number = turns[accepted["key"]]
            check.fail(f"key {accepted['key']} has {number} turns", accepted["turn"])
    return check


def turns_end(lines: Lines) -> Check:
    check = Check("Every turn is terminal")
    for row in lines["turn"]:
        check.count += 1
        if row["status"] not in FINAL:
            check.fail(f"it is {row['status']}", row["public_id"], row["trace"] or "")
    for line in lines["unfinished"]:
        what = f"a person waited in vain for {line['doing']}"
        check.fail(what, line["turn"], at=line["at"])
    return check


def one_result_a_call(lines: Lines) -> Check:
    check = Check("Every tool call has one result")
    results = Counter(row["span"] for row in lines["message"] if row["role"] == "tool")
    for span in _calls(lines):
        check.count += 1
        if results[span["id"]] != 1:
            number = results[span["id"]]
            what = f"call {span['name']} ({span['public_id']}) has {number} results"
            check.fail(what, trace=span["trace"])
    return check


def one_side_effect_a_call(lines: Lines) -> Check:
    check = Check("Each side effect at most once, and once where it succeeded")
    status = _status_of_lines(lines)
    for effects in lines["effects"]:
        written: Counter[str] = Counter(effects["lines"])
        for line, number in written.items():
            check.count += 1
            if number > 1 and not SERVERS[effects["server"]]:
                check.fail(f"{effects['server']} wrote {line} {number} times")
            if line not in status:
                check.fail(f"{effects['server']} wrote {line}, which no stored call asked for")
            elif status[line][1]["status"] == "denied":
                check.fail(f"{line} was written although denied", trace=status[line][1]["trace"])
        for line, (server, span) in status.items():
            if server == effects["server"] and span["status"] == "succeeded":
                check.count += 1
                if not written[line]:
                    what = f"{server} has not written {line}, whose call succeeded"
                    check.fail(what, trace=span["trace"])
    return check


def no_orphans(lines: Lines) -> Check:
    check = Check("No orphan: rows, leases, processes")
    for row in [*lines["turn"], *lines["span"]]:
        check.count += 1
        trace = row["trace"] or ""
        if row["owner"] or row["lease"]:
            what = f"{row['kind']} {row['public_id']} still has an owner or a lease"
            check.fail(what, trace=trace)
        if row["status"] in OPEN_SPANS and row["kind"] == "span":
            check.fail(f"{row['type']} {row['public_id']} is {row['status']}", trace=trace)
    for row in lines["trace"]:
        check.count += 1
        if row["status"] == "running":
            check.fail(f"the trace of a {row['type']} is running", trace=row["public_id"])
    spans = {row["id"] for row in lines["span"]}
    for row in lines["turn"]:
        if row["parent_call"] is not None and row["parent_call"] not in spans:
            check.fail("a subagent's turn has no call", row["public_id"], row["trace"] or "")
    for line in lines["process"]:
        check.fail(f"process {line['pid']} belongs to nobody: {line['command']}")
    return check


def payloads_hold(lines: Lines) -> Check:
    check = Check("Every payload re-assembles to its hash")
    for line in lines["payloads"]:
        check.count += line["count"]
        for corrupt in line["corrupt"]:
            what = f"{corrupt['stage']} of span {corrupt['span']}: {corrupt['error']}"
            check.fail(what, trace=corrupt["trace"])
    return check


def requests_are_traced(lines: Lines) -> Check:
    check = Check("Every request that the model received is in a trace")
    for line in lines["payloads"]:
        stored: Counter[str] = Counter(line["requests"])
        for received in line["received"]:
            check.count += 1
            stored[received["sha256"]] -= 1
            if stored[received["sha256"]] < 0:
                what = f"request {received['number']} to {received['model']} is in no trace"
                check.fail(what, at=received["at"])
    return check


def frames_follow_protocol(lines: Lines) -> Check:
    check = Check("No frame contradicts docs/protocol.md")
    check.count = sum(line["frames"] for line in lines["client"])
    for line in lines["frame"]:
        what = f"{line['rule']} ({line['tab']}): {json.dumps(line['frame'], ensure_ascii=False)}"
        check.fail(what, line["turn"], at=line["at"])
    return check


def shown_is_stored(lines: Lines) -> Check:
    check = Check("What a client shows is what is stored, byte for byte")
    turns = {row["public_id"]: row for row in lines["turn"]}
    spoken: dict[int, list[Line]] = {}
    for row in lines["message"]:
        if row["role"] == "assistant" and row["span"] is not None:
            spoken.setdefault(row["turn"], []).append(row)
    rounds = {row["id"]: row["round"] for row in lines["span"]}
    for shown in lines["shown"]:
        check.count += 1
        turn = turns.get(hexadecimal(shown["turn"]))
        if turn is None:
            check.fail(f"{shown['tab']} shows a turn that is not stored", shown["turn"])
            continue
        stored = {rounds.get(row["span"]): _content(row) for row in spoken.get(turn["id"], [])}
        for what in texts_match(shown, turn["status"], stored):
            check.fail(f"{shown['tab']}: {what}", shown["turn"], turn["trace"] or "")
    return check


def _content(row: Line) -> str:
    return json.loads(row["body"]).get("content") or ""


def _calls(lines: Lines) -> Iterator[Line]:
    """The calls of conversations; those of trials have no messages."""
    for span in lines["span"]:
        if span["type"] == "tool" and span["trace_type"] in ("turn", "subagent"):
            yield span


def _status_of_lines(lines: Lines) -> dict[str, tuple[str, Line]]:
    """Of each line that a stored call was to write: the server, and the span of the call."""
    spans = {row["id"]: row for row in lines["span"]}
    bodies = [(row, json.loads(row["body"])) for row in lines["message"]]
    results = {
        (row["turn"], body["tool_call_id"]): row["span"]
        for row, body in bodies
        if row["role"] == "tool"
    }
    found: dict[str, tuple[str, Line]] = {}
    for row, body in bodies:
        for call in body.get("tool_calls") or ():
            span = spans.get(results.get((row["turn"], call["id"]), -1))
            server, _, tool = call["function"]["name"].partition("-")
            if span and tool == "write":
                found[_arguments(call)["line"]] = (server, span)
    return found


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(call["function"]["arguments"]))


CHECKS: tuple[Callable[[Lines], Check], ...] = (
    one_turn_a_key,
    turns_end,
    one_result_a_call,
    one_side_effect_a_call,
    no_orphans,
    payloads_hold,
    requests_are_traced,
    frames_follow_protocol,
    shown_is_stored,
)
