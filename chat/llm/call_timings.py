"""Durations of one streamed model call."""

import time
from collections.abc import Sequence
from typing import Any

from chat.llm.dialects.contract import TextDelta
from chat.llm.recording import Recording

# A delta with one of these members counts as a token, shown or not. `content_block`
# begins a block in the Messages API.
TOKEN_MEMBERS = (
    *("content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call"),
    "content_block",
)


class CallTimings:
    """Records moments while an answer arrives; `timings` are the durations between them."""

    def __init__(self) -> None:
        self._first_token: float | None = None
        self._reasoning_since: float | None = None
        self._reasoning_until: float | None = None

    def delta_arrived(self, delta: dict[str, Any]) -> None:
        """To be called for each delta."""
        if self._first_token is None and any(map(delta.get, TOKEN_MEMBERS)):
            self._first_token = time.perf_counter()

    def text_parsed(self, deltas: Sequence[TextDelta]) -> None:
        """To be called for the texts of a delta. Reasoning lasts until the first text that is
        none."""
        if self._reasoning_until is not None:
            return
        is_reasoning = deltas[0].part == "reasoning"
        if is_reasoning and self._reasoning_since is None:
            self._reasoning_since = time.perf_counter()
        elif not is_reasoning and self._reasoning_since is not None:
            self._reasoning_until = time.perf_counter()

    def timings(self, recording: Recording, began_at: float, ended_at: float) -> dict[str, float]:
        """Durations in seconds, those that are known; `first_…` and `connect_ms` count from the
        sending of the request."""
        if recording.sent_at is None:
            return {}
        first_byte = recording.chunks[0][0] / 1000 if recording.chunks else None
        last_byte = recording.chunks[-1][0] / 1000 if recording.chunks else None
        until = self._reasoning_until or ended_at
        timings = {
            "send_ms": _between(began_at, recording.sent_at),
            "connect_ms": _between(recording.sent_at, recording.headers_at),
            "first_byte_ms": first_byte,
            "first_token_ms": _between(recording.sent_at, self._first_token),
            "stream_ms": _between(first_byte, last_byte),
            "reasoning_ms": _between(self._reasoning_since, until),
        }
        return {name: seconds for name, seconds in timings.items() if seconds is not None}


def _between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else max(0.0, end - start)
