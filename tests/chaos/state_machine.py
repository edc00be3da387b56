"""The frames of one conversation, as one socket gets them, against docs/protocol.md.

A frame against it is noted once; then what it says is taken as it is, so that one mistake of the
server's is one finding. What a client drops (events that are not newer than the cursor, text of an
older epoch) is no mistake.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Frame = dict[str, Any]
Report = Callable[[str, Frame], None]

FINAL_TURN = ("done", "failed", "stopped")
FINAL_CALL = ("denied", "succeeded", "failed", "cancelled", "outcome_unknown")
# What a call may become. One that was cut and may be repeated is approved again; an announcement
# that was lost with its process leaves a state out.
STEPS: dict[str, tuple[str, ...]] = {
    "": ("proposed", "awaiting_approval", "approved", "sent", "waiting", *FINAL_CALL),
    "proposed": ("awaiting_approval", "approved", "sent", "waiting", *FINAL_CALL),
    "awaiting_approval": ("approved", "sent", "waiting", *FINAL_CALL),
    "approved": ("sent", "waiting", *FINAL_CALL),
    "sent": ("approved", "waiting", *FINAL_CALL),
    "waiting": ("approved", "sent", *FINAL_CALL),
}


@dataclass
class Attempt:
    """A generation: the lengths of its parts in UTF-16 code units, and its next block."""

    is_running: bool = True
    lengths: dict[str, int] = field(default_factory=dict)
    blocks: int = 0
    # It is known from a snapshot, which may be newer than its cursor: its beginning may follow.
    of_snapshot: bool = False


@dataclass
class TurnState:
    state: str = ""
    epoch: int = 0
    attempts: dict[str, Attempt] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)


class StateMachine:
    """`take` gets every frame of the conversation and calls `report(rule, frame)`."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._cursor: tuple[int, int] | None = None
        self._turns: dict[str, TurnState] = {}

    def reopened(self) -> None:
        """The client asks for everything anew (`open` with a null cursor)."""
        self._cursor = None

    def take(self, frame: Frame) -> None:
        if frame["type"] == "snapshot":
            self._take_snapshot(frame)
        elif "id" in frame and self._is_newer(frame):
            for rule in self._broken(frame):
                self._report(rule, frame)

    def _is_newer(self, frame: Frame) -> bool:
        incarnation, number = map(int, frame["id"].split("-"))
        before, self._cursor = self._cursor, (incarnation, number)
        if before is None or (incarnation, number - 1) == before:
            return True
        if incarnation == before[0] and number <= before[1]:
            self._cursor = before
            return False
        self._report("a gap in the numbers" if incarnation == before[0] else "no snapshot", frame)
        return True

    def _broken(self, frame: Frame) -> Iterator[str]:
        """The rules against which the frame is."""
        match frame["type"]:
            case "turn":
                yield from self._turn(frame)
            case "generation":
                yield from self._generation(frame)
            case "delta":
                yield from self._delta(frame)
            case "block":
                yield from self._block(frame)
            case "text":
                self._text(frame)
            case "call":
                yield from self._call(frame)

    def _take_snapshot(self, frame: Frame) -> None:
        cursor = frame["cursor"]
        self._cursor = None if cursor is None else _numbers(cursor)
        for turn in frame["turns"]:
            for rule in self._turn(turn):
                self._report(f"{rule}, in a snapshot", turn)
            state = self._turns[turn["turn"]]
            state.attempts = {}
            if (attempt := turn["attempt"]) and attempt["state"] == "running":
                state.attempts[attempt["generation"]] = Attempt(of_snapshot=True)
            if running := turn["running"]:
                self._text({"turn": turn["turn"], **running})
            state.calls |= {call["call"]: call["state"] for call in turn["calls"]}

    def _of(self, frame: Frame) -> TurnState:
        return self._turns.setdefault(frame["turn"], TurnState())

    def _turn(self, frame: Frame) -> Iterator[str]:
        turn = self._of(frame)
        before, turn.state = turn.state, frame["state"]
        turn.epoch = max(turn.epoch, frame["epoch"])
        if before in FINAL_TURN and before != turn.state:
            yield f"a turn that was {before} is {turn.state}"

    def _generation(self, frame: Frame) -> Iterator[str]:
        turn = self._of(frame)
        if frame["epoch"] < turn.epoch:
            return
        turn.epoch = frame["epoch"]
        key, is_running = frame["generation"], frame["state"] == "running"
        known = turn.attempts.get(key)
        if is_running and turn.state in FINAL_TURN:
            yield "a generation begins in a turn that has ended"
        if is_running and known is not None and not known.of_snapshot:
            yield "a generation begins after its text" if known.lengths else "it begins twice"
        turn.attempts[key] = known or Attempt()
        turn.attempts[key].is_running = is_running

    def _delta(self, frame: Frame) -> Iterator[str]:
        turn = self._of(frame)
        if frame["epoch"] < turn.epoch:
            return
        turn.epoch = frame["epoch"]
        attempt = turn.attempts.get(frame["generation"])
        if turn.state in FINAL_TURN:
            yield "text of a turn that has ended"
        if attempt is None:
            yield "text of a generation that has not begun"
            attempt = turn.attempts[frame["generation"]] = Attempt()
        elif not attempt.is_running:
            yield "text of a generation that has ended"
        elif attempt.lengths.get(frame["part"], 0) != frame["offset"]:
            yield "text that does not fit"
        attempt.lengths[frame["part"]] = frame["offset"] + units(frame["text"])

    def _block(self, frame: Frame) -> Iterator[str]:
        turn = self._of(frame)
        if frame["epoch"] < turn.epoch:
            return
        attempt = turn.attempts.setdefault(frame["generation"], Attempt())
        if frame["end"] > attempt.lengths.get(frame["part"], 0):
            yield "a block of text that has not come"
        if frame["part"] == "content":
            if frame["index"] > attempt.blocks:
                yield "a block is missing"
            attempt.blocks = max(attempt.blocks, frame["index"] + 1)

    def _text(self, frame: Frame) -> None:
        turn = self._of(frame)
        if frame["epoch"] < turn.epoch:
            return
        turn.epoch = frame["epoch"]
        attempt = turn.attempts.setdefault(frame["generation"], Attempt())
        attempt.lengths = {part: units(text) for part, text in frame["parts"].items()}
        attempt.blocks = len(frame.get("blocks", {}).get("content", []))

    def _call(self, frame: Frame) -> Iterator[str]:
        turn = self._of(frame)
        key, state = frame["call"], frame["state"]
        before, turn.calls[key] = turn.calls.get(key, ""), state
        if before != state and state not in STEPS.get(before, ()):
            yield f"a call that was {before} is {state}"


def _numbers(event_id: str) -> tuple[int, int]:
    incarnation, number = event_id.split("-")
    return int(incarnation), int(number)


def units(text: str) -> int:
    """Its length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
