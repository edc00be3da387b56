"""A tab of the chaos run: a `Browser` that watches subagents, notes frames against the protocol and
silence, and knows which texts the page would have fetched rather than received."""

import time
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.journal import Journal
from tests.chaos.state_machine import FINAL_CALL, FINAL_TURN, StateMachine
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
        # Calls that wait for a person; those of subagents as their progress names them.
        self.waiting: set[str] = set()
        self._waiting_there: dict[str, set[str]] = {}
        self.rejected: dict[str, str] = {}
        self._journal = journal
        self._machine = StateMachine(self._report)
        self._place = (url, cookie)
        # Of the subagents that are watched, by conversation.
        self.nested: dict[str, Nested] = {}
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
        for nested in self.nested.values():
            nested.watch()

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
        if frame["state"] == "awaiting_approval":
            self.waiting.add(frame["call"])
        else:
            self.waiting.discard(frame["call"])
        if frame.get("subagent"):
            self._turn_of_nested[frame["subagent"]] = frame["turn"]
            if frame["state"] not in FINAL_CALL:
                self._watch(frame["subagent"])

    def _on_subagent(self, frame: Frame) -> None:
        self._waiting_there[frame["conversation"]] = set(frame["waiting"])
        self._turn_of_nested[frame["conversation"]] = frame["turn"]
        if frame["state"] not in FINAL_TURN:
            self._watch(frame["conversation"])

    def _on_nested(self, frame: Frame) -> None:
        conversation = frame["conversation"]
        if nested := self.nested.get(conversation):
            for inner in frame["frames"]:
                nested.apply(inner)
        if outer := self._turn_of_nested.get(conversation):
            self._touch(outer, {})

    def _watch(self, conversation: str) -> None:
        if conversation not in self.nested:
            self.nested[conversation] = Nested(self, conversation)
            self.nested[conversation].watch()

    def all_waiting(self) -> set[str]:
        """The calls that wait for a person, here and in subagents."""
        nested = (one.all_waiting() for one in self.nested.values())
        return self.waiting.union(*self._waiting_there.values(), *nested)

    def shows_end(self, turn: str) -> bool:
        """Whether the turn is over here, or on the page that this tab has fetched."""
        return turn not in self.turns or self._is_over(turn) or self.watched[turn].whole

    def shows_ends_of_subagents(self) -> bool:
        return all(
            nested.shows_ends_of_subagents() and all(map(nested.shows_end, nested.turns))
            for nested in self.nested.values()
        )

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
        for nested in self.nested.values():
            nested.note_shown()


class Nested(Tab):
    """A subagent that a tab watches, by way of that tab's socket."""

    def __init__(self, outer: Tab, conversation: str) -> None:
        super().__init__(f"{outer.name}/{conversation[:8]}", *outer._place, outer._journal)
        self.conversation = conversation
        self._outer = outer

    def watch(self) -> None:
        """Asks for what comes after the cursor."""
        self._has_asked = False
        self.write(self._open())

    def apply(self, frame: Frame) -> None:
        self._take(frame)

    def write(self, frame: Frame) -> None:
        self._outer.write(frame)

    def _open(self) -> Frame:
        return {"type": "watch", "conversation": self.conversation, "cursor": self.cursor}


def _shortened(value: Any) -> Any:
    is_long = isinstance(value, str) and len(value) > LONG_TEXT
    return f"{value[:LONG_TEXT]}… ({len(value)})" if is_long else value
