"""How the time of a call was spent."""

import time
from dataclasses import dataclass, field
from typing import Any


@dataclass
class CallTiming:
    """Milliseconds, filled as a call of a server's tool goes; None is what it did not come to.

    `room_ms` is the wait for a session: for one that is being opened for somebody else, or for a
    place among the most that may be open. `connect_ms` is the opening of a session for this call.
    `answer_ms` is from the request to the answer, or to the end of the patience with it.
    """

    room_ms: int | None = None
    connect_ms: int | None = None
    answer_ms: int | None = None
    server: str = ""
    protocol: str = ""
    is_first: bool = False  # whether this call opens the session
    failure: str = ""  # why there was no session
    # Where the session is, and the call in it: what traces of others call it.
    met: dict[str, str | int] = field(default_factory=dict)
    _mark: float = field(default_factory=time.monotonic, repr=False)

    def begin(self) -> None:
        self._mark = time.monotonic()

    def opening(self) -> None:
        """Now this call opens a session."""
        self.room_ms, self.is_first = self._passed(), True

    def opened(self, protocol: str) -> None:
        if self.is_first:
            self.connect_ms = self._passed()
        else:
            self.room_ms = self._passed()
        self.protocol = protocol

    def failed(self, failure: str) -> None:
        """There is no session, and what is past was spent on opening one."""
        if self.is_first and self.connect_ms is None:
            self.connect_ms, self.failure = self._passed(), failure

    def asked(self) -> None:
        """The request leaves."""
        self._mark = time.monotonic()

    def answered(self) -> None:
        self.answer_ms = self._passed()

    def as_attributes(self) -> dict[str, Any]:
        """What a span keeps of it."""
        kept = {
            "room_ms": self.room_ms,
            "connect_ms": self.connect_ms,
            "answer_ms": self.answer_ms,
            "protocol": self.protocol or None,
        }
        kept = {name: value for name, value in kept.items() if value is not None}
        return {"timing": kept} | ({"mcp": self.met} if self.met else {}) if kept else {}

    def _passed(self) -> int:
        now = time.monotonic()
        passed, self._mark = now - self._mark, now
        return round(passed * 1000)
