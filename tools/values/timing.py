"""How the time of a call was spent."""

import time
from dataclasses import dataclass, field

from tracing.models.attributes import CallAttributes


@dataclass
class CallTiming:
    """Milliseconds of the phases of a call of a server's tool; None for a phase not reached.

    `room_ms` is the wait for a session: for one that is being opened for somebody else, or for a
    place among the most that may be open. `start_ms` is the start of the server's program for this
    call, until it says something; `connect_ms` is the rest of the opening of a session.
    `answer_ms` is from the request to the answer, or to the end of the patience with it.
    """

    room_ms: int | None = None
    start_ms: int | None = None
    connect_ms: int | None = None
    answer_ms: int | None = None
    server: str = ""
    protocol: str = ""
    is_first: bool = False  # whether this call opens the session
    is_program: bool = False  # whether a program is started for it
    failure: str = ""  # why there was no session
    # Transport, host, port and id of the session, and the id of the request.
    met: dict[str, str | int] = field(default_factory=dict)
    _mark: float = field(default_factory=time.monotonic, repr=False)

    def begin(self) -> None:
        self._mark = time.monotonic()

    @property
    def opening_ms(self) -> int | None:
        """Milliseconds of opening the session."""
        known = [ms for ms in (self.start_ms, self.connect_ms) if ms is not None]
        return sum(known) if known else None

    def opening(self, *, is_program: bool = False) -> None:
        """This call starts to open a session."""
        self.room_ms, self.is_first, self.is_program = self._passed(), True, is_program

    def opened(self, protocol: str, started_ms: int | None = None) -> None:
        """The session is open; its program sent the first message after `started_ms`."""
        if not self.is_first:
            self.room_ms = self._passed()
        else:
            self._divide(self._passed(), started_ms)
        self.protocol = protocol

    def failed(self, failure: str, started_ms: int | None = None) -> None:
        """The session could not be opened; the time until now was spent on trying."""
        if self.is_first and self.opening_ms is None:
            self._divide(self._passed(), started_ms)
            self.failure = failure

    def _divide(self, passed: int, started_ms: int | None) -> None:
        if self.is_program:
            self.start_ms = passed if started_ms is None else min(started_ms, passed)
        self.connect_ms = passed - (self.start_ms or 0)

    def asked(self) -> None:
        """The request is being sent."""
        self._mark = time.monotonic()

    def answered(self) -> None:
        self.answer_ms = self._passed()

    def as_attributes(self) -> CallAttributes:
        """The attributes of the call's span."""
        durations = {
            "room_ms": self.room_ms,
            "start_ms": self.start_ms,
            "connect_ms": self.connect_ms,
            "answer_ms": self.answer_ms,
            "protocol": self.protocol or None,
        }
        durations = {name: value for name, value in durations.items() if value is not None}
        if not durations:
            return {}
        attributes: CallAttributes = {"timing": durations}
        if self.met:
            attributes["mcp"] = self.met
        return attributes

    def _passed(self) -> int:
        now = time.monotonic()
        passed, self._mark = now - self._mark, now
        return round(passed * 1000)
