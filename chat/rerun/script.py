"""The recorded answers of a turn, played in their order while the requests are equal."""

import json
import threading
from dataclasses import dataclass, replace

from chat.cassettes.answers import Reply, error, recorded
from chat.cassettes.recorded import CassetteGeneration, CassetteResponse, CassetteTurn
from chat.rerun.differences import RequestDifference, first_difference

# Attempts without an answer to play: a crash ended them, or they never ended.
NOT_REPEATED = ("superseded", "running")
# Failures that do not repeat by themselves, and after which the engine does not retry.
NOT_RETRIED = ("Endless", "Overdue", "Defect")
OVER = "This is the end of what was recorded."


@dataclass(frozen=True)
class Deviation:
    """A request that differs from the recorded one. `number`: from 1."""

    number: int
    label: str
    difference: RequestDifference


class Script:
    """Answers the engine's requests, up to the first deviation. Thread-safe."""

    def __init__(self, turn: CassetteTurn) -> None:
        self.expected = [
            (f"round {round_.number}, attempt {generation.attempt}", generation)
            for round_ in turn.rounds
            for generation in round_.generations
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
            generation = self._next_generation(protocol, body)
        if generation is None:
            return error(protocol, 400, OVER)
        return _reply(generation)

    def _next_generation(self, protocol: str, body: bytes) -> CassetteGeneration | None:
        if self.deviation is not None:
            return None
        number = self.equal + 1
        if self.is_played:
            sent = _last_message(body)
            self.deviation = Deviation(
                number, "after the last round", RequestDifference("messages[-1]", None, sent)
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


def _protocols(old: str, new: str) -> RequestDifference | None:
    return None if old == new else RequestDifference("protocol", old, new)


def _last_message(body: bytes) -> str:
    messages = json.loads(body).get("messages") or [None]
    return json.dumps(messages[-1], ensure_ascii=False)


def _reply(generation: CassetteGeneration) -> Reply:
    """The recorded answer, at once and without `Retry-After`."""
    if generation.error_kind in NOT_RETRIED or generation.status == "cancelled":
        return error(generation.protocol, 400, OVER)
    response = generation.response
    if response is not None:
        generation = replace(generation, response=_without_pause(response))
    return recorded(generation, is_streamed=True, speed=0)


def _without_pause(response: CassetteResponse) -> CassetteResponse:
    headers = tuple(
        (name, "0" if name.startswith("retry-after") else value) for name, value in response.headers
    )
    return replace(response, headers=headers)
