"""The state machine of docs/protocol.md, as a client sees it: what may follow what.

`violations` reads the frames of one tab, in the order in which they came, over as many sockets as
there were. Turns of subagents, whose frames come nested, have a machine of their own for each
conversation; the `subagent` events of their parent are a second view of the same turns.
"""

from dataclasses import dataclass, field
from typing import Any

Frame = dict[str, Any]

FINAL = ("done", "failed", "stopped")
# States of a call, in the order in which it may pass through them; those of a rank are its ends.
CALL_RANKS = {"proposed": 0, "awaiting_approval": 1, "approved": 2, "sent": 3, "waiting": 3}
CALL_END = 4


def violations(frames: list[Frame]) -> list[str]:
    """What came against the protocol; empty if all is well."""
    tab = _Tab()
    for frame in frames:
        tab.take(frame)
    return tab.found


@dataclass
class _Turn:
    state: str = ""
    epoch: int = 0
    generation: str = ""
    # Generations whose text came; and whose beginning came, or that a snapshot or `text` named.
    spoken: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    lengths: dict[tuple[str, str], int] = field(default_factory=dict)
    blocks: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return self.state in FINAL


class _Conversation:
    """The events of one conversation."""

    def __init__(self, found: list[str], name: str) -> None:
        self._found = found
        self._name = name
        self._cursor: tuple[int, int] | None = None
        # Over all snapshots: what is over stays so.
        self.turns: dict[str, _Turn] = {}
        self.calls: dict[str, str] = {}
        self.subagents: dict[str, str] = {}

    def take(self, frame: Frame) -> None:
        if "id" in frame and not self._is_next(frame["id"]):
            return
        handler = getattr(self, f"_on_{frame['type']}", None)
        if handler is not None:
            handler(frame)

    def _is_next(self, event_id: str) -> bool:
        """False: it came before, on another socket, or is not to be applied: one is missing, for
        which the client opens again."""
        incarnation, n = map(int, event_id.split("-"))
        if self._cursor is not None:
            if (incarnation, n) <= self._cursor:
                return False
            if (incarnation, n - 1) != self._cursor:
                return False
        self._cursor = incarnation, n
        return True

    def _say(self, frame: Frame, sentence: str) -> None:
        self._found.append(f"{self._name} {frame.get('id', '')} {frame['type']}: {sentence}")

    def _turn(self, frame: Frame) -> _Turn:
        turn = self.turns.setdefault(frame["turn"], _Turn())
        turn.epoch = max(turn.epoch, frame.get("epoch", 0))
        return turn

    # Frames, by their type.

    def _on_snapshot(self, frame: Frame) -> None:
        cursor = frame["cursor"]
        self._cursor = tuple(map(int, cursor.split("-"))) if cursor else None  # type: ignore[assignment]
        for state in frame["turns"]:
            self._on_turn({**state, "type": "turn", "id": f"snapshot {cursor}"})
            turn = self._turn(state)
            turn.blocks.clear()
            turn.lengths.clear()
            running = state["running"]
            if running:
                self._restart(turn, running["generation"], running["parts"])
                for block in running["blocks"]["content"]:
                    turn.blocks[running["generation"]] = block["index"], block["end"]
            attempt = state["attempt"]
            if attempt and attempt["state"] == "running":
                turn.begun.add(attempt["generation"])

    def _on_turn(self, frame: Frame) -> None:
        turn = self._turn(frame)
        if turn.is_over and frame["state"] != turn.state:
            self._say(frame, f"a turn that was {turn.state} is {frame['state']}")
            return
        if frame["epoch"] < turn.epoch and frame["state"] not in FINAL:
            self._say(frame, f"epoch {frame['epoch']} after {turn.epoch}")
        turn.state = frame["state"]

    def _on_generation(self, frame: Frame) -> None:
        turn, generation = self._turn(frame), frame["generation"]
        if frame["epoch"] < turn.epoch:
            self._say(frame, f"epoch {frame['epoch']} after {turn.epoch}")
        if frame["state"] != "running":
            return
        if turn.is_over:
            self._say(frame, f"it begins in a turn that was {turn.state}")
        if generation in turn.spoken:
            self._say(frame, "it begins after text of it")
        turn.generation = generation
        turn.begun.add(generation)
        turn.lengths.clear()

    def _on_text(self, frame: Frame) -> None:
        turn = self._turn(frame)
        if frame["epoch"] < turn.epoch:
            return
        self._check_running(frame, turn)
        self._restart(turn, frame["generation"], frame["parts"])

    def _restart(self, turn: _Turn, generation: str, parts: dict[str, str]) -> None:
        turn.generation = generation
        turn.begun.add(generation)
        turn.blocks.pop(generation, None)
        for part, text in parts.items():
            turn.lengths[generation, part] = units(text)
            if text:
                turn.spoken.add(generation)

    def _on_delta(self, frame: Frame) -> None:
        turn, generation = self._turn(frame), frame["generation"]
        if frame["epoch"] < turn.epoch:
            return
        self._check_running(frame, turn)
        length = turn.lengths.get((generation, frame["part"]), 0)
        if frame["offset"] != length:
            self._say(frame, f"offset {frame['offset']} where {length} is the length")
        turn.spoken.add(generation)
        turn.lengths[generation, frame["part"]] = frame["offset"] + units(frame["text"])

    def _on_block(self, frame: Frame) -> None:
        turn, generation = self._turn(frame), frame["generation"]
        if frame["epoch"] < turn.epoch:
            return
        self._check_running(frame, turn)
        index, end = turn.blocks.get(generation, (-1, 0))
        if frame["index"] <= index:
            return  # a snapshot had it
        if (frame["index"], frame["start"]) != (index + 1, end):
            self._say(frame, f"block {frame['index']} at {frame['start']} after {index}, {end}")
        if frame["end"] > turn.lengths.get((generation, frame["part"]), 0):
            self._say(frame, "it comes before the text that it covers")
        turn.blocks[generation] = frame["index"], frame["end"]

    def _check_running(self, frame: Frame, turn: _Turn) -> None:
        generation = frame["generation"]
        if turn.is_over:
            self._say(frame, f"the turn was {turn.state}")
        if generation not in turn.begun:
            self._say(frame, "its generation has not begun")
        if turn.generation and frame["type"] != "text" and generation != turn.generation:
            self._say(frame, "another generation has begun since")

    def _on_call(self, frame: Frame) -> None:
        before, state = self.calls.get(frame["call"]), frame["state"]
        if before is not None and _rank(before) == CALL_END and state != before:
            self._say(frame, f"a call that was {before} is {state}")
        self.calls[frame["call"]] = state

    def _on_subagent(self, frame: Frame) -> None:
        before, state = self.subagents.get(frame["conversation"]), frame["state"]
        if before in FINAL and state != before:
            self._say(frame, f"a subagent that was {before} is {state}")
        self.subagents[frame["conversation"]] = state


class _Tab:
    """A followed conversation, and those of subagents that are watched beside it."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._shown = _Conversation(self.found, "shown")
        self._nested: dict[str, _Conversation] = {}

    def take(self, frame: Frame) -> None:
        if frame["type"] != "nested":
            self._shown.take(frame)
            return
        conversation = frame["conversation"]
        if conversation not in self._nested:
            self._nested[conversation] = _Conversation(self.found, f"nested {conversation}")
        for inner in frame["frames"]:
            self._nested[conversation].take(inner)
        self._compare(conversation)

    def _compare(self, conversation: str) -> None:
        """A nested turn that is over by one view cannot be over otherwise by the other."""
        told = self._shown.subagents.get(conversation)
        for public_id, turn in self._nested[conversation].turns.items():
            if turn.is_over and told in FINAL and told != turn.state:
                self.found.append(
                    f"nested turn {public_id} is {turn.state}, its parent says {told}"
                )


def _rank(state: str) -> int:
    return CALL_RANKS.get(state, CALL_END)


def units(text: str) -> int:
    """The length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
