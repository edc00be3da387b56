"""The recorded answers of a turn, given in their order as long as the requests are the recorded."""

import json
import threading
from dataclasses import dataclass, replace

from chat.cassettes.answers import Reply, error, recorded
from chat.cassettes.recorded import Generation, Response, Turn
from chat.rerun.differences import Difference, first_difference

# An attempt that a crash ended is not made again; one that never ended has nothing to give.
NOT_REPEATED = ("superseded", "running")
# What ended an attempt and will not come again by itself, but must not be tried again either.
NOT_RETRIED = ("Endless", "Overdue", "Defect")
OVER = "This is the end of what was recorded."


@dataclass(frozen=True)
class Deviation:
    """A request that was not the recorded one. `number` counts from 1."""

    number: int
    label: str
    difference: Difference


class Script:
    """Answers the engine's requests, from any thread. After a deviation it answers none."""

    def __init__(self, turn: Turn) -> None:
        self.expected = [
            (f"round {found.number}, attempt {generation.attempt}", generation)
            for found in turn.rounds
            for generation in found.generations
            if generation.status not in NOT_REPEATED
        ]
        self.equal = 0
        self.deviation: Deviation | None = None
        self._guard = threading.Lock()

    @property
    def is_played(self) -> bool:
        return self.equal == len(self.expected)

    def answer(self, protocol: str, body: bytes) -> Reply:
        """The next recorded answer, if this is the next recorded request."""
        with self._guard:
            generation = self._compared(protocol, body)
        if generation is None:
            return error(protocol, 400, OVER)
        return _given(generation)

    def _compared(self, protocol: str, body: bytes) -> Generation | None:
        if self.deviation is not None:
            return None
        number = self.equal + 1
        if self.is_played:
            sent = _last_message(body)
            self.deviation = Deviation(
                number, "after the last round", Difference("messages[-1]", None, sent)
            )
            return None
        label, generation = self.expected[self.equal]
        difference = _protocols(generation.protocol, protocol) or first_difference(
            generation.sent, json.loads(body)
        )
        if difference is not None:
            self.deviation = Deviation(number, label, difference)
            return None
        self.equal = number
        return generation


def _protocols(old: str, new: str) -> Difference | None:
    return None if old == new else Difference("protocol", old, new)


def _last_message(body: bytes) -> str:
    messages = json.loads(body).get("messages") or [None]
    return json.dumps(messages[-1], ensure_ascii=False)


def _given(generation: Generation) -> Reply:
    """At once, and without the pauses that a provider asked for."""
    if generation.error_kind in NOT_RETRIED or generation.status == "cancelled":
        return error(generation.protocol, 400, OVER)
    response = generation.response
    if response is not None:
        generation = replace(generation, response=_without_pause(response))
    return recorded(generation, is_streamed=True, speed=0)


def _without_pause(response: Response) -> Response:
    headers = tuple(
        (name, "0" if name.startswith("retry-after") else value) for name, value in response.headers
    )
    return replace(response, headers=headers)
