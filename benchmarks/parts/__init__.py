"""The parts of `make bench`: each measures a running site and returns its figures by name.

first    first token of a new and of a later turn, one at a time, beside the openai client alone
turns    turns of 5 and of 5,000 tokens: CPU by process
burst    streams that all begin within a second, of 200 tokens
steady   long streams: the tokens after all have begun
rounds   rounds with a tool call: CPU by process
page     the page of a conversation with 1,000 messages
browser  the chat page in Chromium: first paint, scripts, frames of a stream
recording
         growth of the database and CPU a span
gateway  streaming calls through the recording gateway, beside the same calls directly
openai   the first token over /v1, beside that over the websocket

A name ends with its unit (`_ms`, `_mb`, `_kb`) where it has one; `PART.POINT.FIGURE.PROCESS` is
the share of a process.
"""

from collections.abc import Callable

from benchmarks.parts import (
    browser,
    burst,
    first,
    gateway,
    openai,
    page,
    recording,
    rounds,
    steady,
    turns,
)
from benchmarks.parts.scale import Scale
from benchmarks.site import Site

Part = Callable[[Site, Scale], dict[str, float]]

PARTS: dict[str, Part] = {
    "first": first.measure,
    "turns": turns.measure,
    "burst": burst.measure,
    "steady": steady.measure,
    "rounds": rounds.measure,
    "page": page.measure,
    "browser": browser.measure,
    "recording": recording.measure,
    "gateway": gateway.measure,
    "openai": openai.measure,
}
