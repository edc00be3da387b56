"""When what happened in one streamed answer."""

import time
from collections.abc import Sequence
from typing import Any

from chat.llm.dialects.contract import TextDelta
from chat.llm.recording import Recording

# A delta with one of these is a token, whether or not it is shown; so is the beginning of a block
# in the Messages API.
SPOKEN = (
    *("content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call"),
    "content_block",
)


class Marks:
    """Gathers moments while an answer arrives; `timings` makes durations of them."""

    def __init__(self) -> None:
        self._first_token: float | None = None
        self._thinking_since: float | None = None
        self._thought_until: float | None = None

    def arrived(self, delta: dict[str, Any]) -> None:
        """A delta came in."""
        if self._first_token is None and any(map(delta.get, SPOKEN)):
            self._first_token = time.perf_counter()

    def said(self, deltas: Sequence[TextDelta]) -> None:
        """Text was taken out of it. Thinking lasts until the first text that is none."""
        if self._thought_until is not None:
            return
        thinking = deltas[0].part == "reasoning"
        if thinking and self._thinking_since is None:
            self._thinking_since = time.perf_counter()
        elif not thinking and self._thinking_since is not None:
            self._thought_until = time.perf_counter()

    def timings(self, kept: Recording, began_at: float, ended_at: float) -> dict[str, float]:
        """Seconds by the name of the timing, those that are known; most since it was sent."""
        if kept.sent_at is None:
            return {}
        first_byte = kept.chunks[0][0] / 1000 if kept.chunks else None
        last_byte = kept.chunks[-1][0] / 1000 if kept.chunks else None
        until = self._thought_until or ended_at
        found = {
            "send_ms": _between(began_at, kept.sent_at),
            "connect_ms": _between(kept.sent_at, kept.headers_at),
            "first_byte_ms": first_byte,
            "first_token_ms": _between(kept.sent_at, self._first_token),
            "stream_ms": _between(first_byte, last_byte),
            "reasoning_ms": _between(self._thinking_since, until),
        }
        return {name: seconds for name, seconds in found.items() if seconds is not None}


def _between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else max(0.0, end - start)
