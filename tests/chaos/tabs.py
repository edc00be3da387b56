"""A tab of the chaos run: a `Browser` that watches subagents, notes frames against the protocol and
silence, and knows which texts the page would have fetched rather than received."""

import time
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.journal import Journal
from tests.chaos.state_machine import FINAL_TURN, StateMachine
from tests.faults.browser import Browser, Frame, Shown

# Shorter silence is of the stub's pace and the machine's load.
MIN_GAP = 1.0
LONG_TEXT = 300


@dataclass
class Watched:
    """A turn as a tab followed it.

    known: the rounds up to this one are on the page that the tab fetched; `whole`: all of them.
    """

    last: float
    known: int = 0
    whole: bool = False
    waits: bool = False
    calls: dict[str, str] = field(default_factory=dict)


class Tab(Browser):
    """`name` is that of the tab in the ledger."""

    def __init__(self, name: str, url: str, cookie: str, journal: Journal) -> None:
        super().__init__(url, cookie)
        self.name = name
        self.watched: dict[str, Watched] = {}
        # Calls that wait for a person, of subagents too.
        self.waiting: set[str] = set()
        self.rejected: dict[str, str] = {}
        self._journal = journal
        self._machine = StateMachine(self._report)
        self._nested: dict[str, StateMachine] = {}
        self._turn_of_nested: dict[str, str] = {}
        # It has asked for a snapshot, and drops what was under way.
        self._has_asked = False
        self._taken = 0

    def _report(self, rule: str, frame: Frame) -> None:
        short = {key: _shortened(value) for key, value in frame.items()}
        self._journal.note(
            "frame",
            rule=rule,
            turn=frame.get("turn", ""),
            tab=self.name,
            conversation=self.conversation,
            frame=short,
        )

    def _take(self, frame: Frame) -> None:
        self._taken += 1
        self._follow(frame)
        if frame["type"] in ("snapshot", "hello"):
            self._has_asked = False
        if self._has_asked and "id" in frame:
            return
        self._machine.take(frame)
        super()._take(frame)
        self.frames = self.frames[-20:]

    def _reopen(self) -> None:
        self._has_asked = True
        self._machine.reopened()
        super()._reopen()

    def _follow(self, frame: Frame) -> None:
        """Takes the time of the frame's turn."""
        for turn in [frame, *frame.get("turns", ())] if frame["type"] == "snapshot" else [frame]:
            if isinstance(turn, dict) and "turn" in turn and frame["type"] != "accepted":
                self._touch(turn["turn"], turn)

    def _touch(self, key: str, frame: Frame) -> None:
        now = time.monotonic()
        watched = self.watched.setdefault(key, Watched(now))
        if not watched.waits and not self._is_over(key):
            self.note_gap(key, watched.last)
        watched.last = now
        if "waits" in frame:
            watched.waits = frame["waits"]

    def note_gap(self, turn: str, began: float) -> None:
        """Notes a silence that ends now, unless it is short."""
        now = time.monotonic()
        if now - began > MIN_GAP:
            self._journal.note(
                "gap", turn=turn, tab=self.name, began=round(began, 3), ended=round(now, 3)
            )

    def _is_over(self, key: str) -> bool:
        return key in self.turns and self.turns[key].state in FINAL_TURN

    # Frames, by their type.

    def _on_hello(self, frame: Frame) -> None:
        super()._on_hello(frame)
        for conversation in self._nested:
            self._nested[conversation] = StateMachine(self._report)
            self._watch(conversation)

    def _on_rejected(self, frame: Frame) -> None:
        self._pending.pop(frame["key"], None)
        self.rejected[frame["key"]] = frame["error"]

    def _on_snapshot(self, frame: Frame) -> None:
        for turn in frame["turns"]:
            self._know_page(turn)
        listed = {turn["turn"] for turn in frame["turns"]}
        for key, watched in self.watched.items():
            # Older ones are on the page that is fetched now.
            watched.whole = watched.whole or (key not in listed and key not in frame["elsewhere"])
        super()._on_snapshot(frame)
        for turn in frame["turns"]:
            for call in turn["calls"]:
                self._on_call({"turn": turn["turn"], **call})
            for subagent in turn["subagents"]:
                self._on_subagent({"turn": turn["turn"], **subagent})

    def _know_page(self, turn: Frame) -> None:
        """The page that is fetched with a snapshot has the rounds that ended before it."""
        watched = self.watched.setdefault(turn["turn"], Watched(time.monotonic()))
        shown = self.turns.setdefault(turn["turn"], Shown())
        shown.rounds = {}
        watched.whole = turn["state"] in FINAL_TURN
        if attempt := turn["attempt"]:
            watched.known = attempt["round"] - (attempt["state"] == "running")

    def _on_branch(self, frame: Frame) -> None:
        self._reopen()

    def _on_call(self, frame: Frame) -> None:
        super()._on_call(frame)
        self._note_call(frame)
        if frame.get("subagent") and frame["state"] not in ("succeeded", "failed"):
            self._watch(frame["subagent"])

    def _on_subagent(self, frame: Frame) -> None:
        self.waiting |= set(frame["waiting"])
        self._turn_of_nested[frame["conversation"]] = frame["turn"]
        if frame["state"] not in FINAL_TURN:
            self._watch(frame["conversation"])

    def _on_nested(self, frame: Frame) -> None:
        machine = self._nested.get(frame["conversation"])
        for inner in frame["frames"]:
            if machine is not None:
                machine.take(inner)
            if inner["type"] == "call":
                self._note_call(inner)
        if outer := self._turn_of_nested.get(frame["conversation"]):
            self._touch(outer, {})

    def _note_call(self, frame: Frame) -> None:
        if frame["state"] == "awaiting_approval":
            self.waiting.add(frame["call"])
        else:
            self.waiting.discard(frame["call"])

    def _watch(self, conversation: str) -> None:
        if conversation not in self._nested:
            self._nested[conversation] = StateMachine(self._report)
            self.write({"type": "watch", "conversation": conversation, "cursor": None})

    def shows_end(self, turn: str) -> bool:
        """Whether the turn is over here, or on the page that this tab has fetched."""
        return turn not in self.turns or self._is_over(turn) or self.watched[turn].whole

    def note_shown(self) -> None:
        """Writes into the ledger what is shown of every turn."""
        self._journal.note("client", tab=self.name, frames=self._taken, reopened=self.reopened)
        for key, shown in self.turns.items():
            watched = self.watched.get(key, Watched(0))
            self._journal.note(
                "shown",
                turn=key,
                tab=self.name,
                state=shown.state,
                known=watched.known,
                whole=watched.whole,
                rounds={
                    number: {"generation": one.generation, "text": one.parts["content"]}
                    for number, one in shown.rounds.items()
                },
            )


def _shortened(value: Any) -> Any:
    is_long = isinstance(value, str) and len(value) > LONG_TEXT
    return f"{value[:LONG_TEXT]}… ({len(value)})" if is_long else value
