"""Who sends the messages of a conversation, and what they do while the answers come.

Everything that is asked for is asked again until it shows: a decision or a stop that is lost with
its socket is pressed again, as a person would.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from tests.chaos.journal import Journal
from tests.chaos.plan import Message
from tests.chaos.tabs import Tab
from tests.faults.browser import FINAL, Frame

# A turn that is not over by then is a finding.
PATIENCE = 120.0
ASK_AGAIN = 2.0
# The last end may be told some seconds later.
SHOWN_SOON = 15.0

OpenTab = Callable[[str], Tab]


class Person(threading.Thread):
    """One conversation, from its first message to the end of its last turn."""

    def __init__(
        self,
        name: str,
        messages: list[Message],
        models: dict[str, str],
        open_tab: OpenTab,
        journal: Journal,
    ) -> None:
        super().__init__(name=name, daemon=True)
        # What was accepted, as it was told.
        self.sent: list[Frame] = []
        self.error = ""
        self._messages = messages
        self._models = models
        self._open_tab = open_tab
        self._journal = journal
        self._number = 0
        self._tabs: list[Tab] = []
        self._ended = threading.Event()
        self._decision = "approve"
        self._stopping = ""
        self._pressed = 0.0

    def run(self) -> None:
        try:
            self._tabs = [self._new_tab()]
            for message in self._messages:
                self._do(message)
            self._wait(self._all_over, SHOWN_SOON)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
        finally:
            self._ended.set()
            for tab in self._tabs:
                tab.note_shown()
                tab.cut()

    @property
    def is_over(self) -> bool:
        return self._ended.is_set()

    @property
    def _tab(self) -> Tab:
        return self._tabs[0]

    def _new_tab(self) -> Tab:
        self._number += 1
        return self._open_tab(f"{self.name}.{self._number}")

    def _do(self, message: Message) -> None:
        self._decision = "approve" if message.approves else "deny"
        if message.kind == "line":
            self._send(Message("talk", message.model, message.text))
        key = self._send(message)
        if key is None:
            return
        if message.beside:
            self._beside(message, key)
        if message.kind == "stop":
            self._until(key, "text to stop", lambda: len(self._tab.shown(key).text) > message.at)
            self._stopping = key
        self._until(key, "the end", lambda: False)
        self._stopping = ""

    def _send(self, message: Message) -> str | None:
        """Its key, if the message was accepted."""
        tab = self._tab
        more: dict[str, Any] = {}
        if message.edits and self.sent:
            more["edit"] = self.sent[-1]["message"]
        key = tab.post(self._models[message.model], message.text, **more)
        self._journal.note("sent", key=key, tab=tab.name)
        began = time.monotonic()
        self._wait(lambda: key in tab.accepted or key in tab.rejected)
        if key not in tab.accepted:
            error = tab.rejected.get(key, "no answer")
            self._journal.note("unfinished", key=key, turn="", doing=f"accepting: {error}")
            return None
        told = tab.accepted[key]
        tab.note_gap(told["turn"], began)
        self._journal.note(
            "accepted",
            key=key,
            tab=tab.name,
            turn=told["turn"],
            conversation=told["conversation"],
            lines=message.lines,
            text=message.text,
        )
        self.sent.append(told)
        return key

    def _beside(self, message: Message, key: str) -> None:
        """Once some text is there, or the answer is over."""
        shown = self._tab.shown(key)
        self._until(
            key, "text", lambda: len(shown.text) > min(message.at, 60) or shown.state in FINAL
        )
        match message.beside:
            case "cut":
                self._tab.cut()
            case "reload":
                self._replace(key)
            case "second" if len(self._tabs) == 1:
                self._tabs.append(self._copy())

    def _copy(self) -> Tab:
        """Another tab of the same conversation, which knows what was sent."""
        tab = self._new_tab()
        tab.accepted = dict(self._tab.accepted)
        tab.follow(self._tab.conversation or "")
        return tab

    def _replace(self, key: str) -> None:
        old, self._tabs[0] = self._tab, self._copy()
        old.cut()

    def _press(self) -> None:
        """Decides on what waits for a person, and stops what is to be stopped; again after a while,
        since a socket may have been lost with it."""
        if time.monotonic() - self._pressed < ASK_AGAIN:
            return
        self._pressed = time.monotonic()
        for call in self._tab.all_waiting():
            self._tab.write({"type": "decide", "call": call, "decision": self._decision})
        if self._stopping:
            self._tab.stop(self._stopping)

    def _until(self, key: str, what: str, condition: Callable[[], Any]) -> None:
        shown = self._tab.shown
        if not self._wait(lambda: condition() or shown(key).state in FINAL):
            turn = self._tab.accepted[key]["turn"]
            self._journal.note("unfinished", key=key, turn=turn, doing=what)

    def _all_over(self) -> bool:
        """Whether every tab shows the end of every turn."""
        ends = (tab.shows_end(one["turn"]) for tab in self._tabs for one in self.sent)
        return all(ends) and all(tab.shows_ends_of_subagents() for tab in self._tabs)

    def _wait(self, condition: Callable[[], Any], seconds: float = PATIENCE) -> bool:
        """Reads on all tabs until it holds; False: not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            for tab in self._tabs[1:]:
                while tab.read_some(0):
                    pass
            self._tab.read_some()
            self._press()
        return True
