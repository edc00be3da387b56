"""How much is measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Scale:
    """`probes`: turns for a first token. `burst`, `steady`: numbers of streams. `burst_seconds`:
    of each stream. `steady_seconds`: of each stream after the last one was begun. `short_turns`,
    `calling_turns`: of a stream, with 5 tokens or with tool calls. `long_tokens`: of a long turn.
    `messages`: of the conversation whose page is opened. `listed`: conversations of the list that
    a browser shows. `browser_seconds`: of a stream in a browser. `browser_shapes`: widths of its
    window in pixels, and by what its processor is slowed down. `recorded_rounds`: of the recorded
    ones. `gateway`: numbers of streams through the gateway, each with the calls of a stream.
    `after_seconds`: from the last load to the last measurement of memory. `floor`: whether the
    openai client alone is measured beside it."""

    probes: int = 40
    burst: tuple[int, ...] = (1, 10, 50, 100, 200)
    steady: tuple[int, ...] = (1, 50, 100, 200)
    burst_seconds: float = 4.0
    steady_seconds: float = 12.0
    short_turns: int = 20
    long_tokens: int = 5000
    calling_turns: int = 3
    messages: int = 1000
    listed: int = 10_000
    browser_seconds: float = 8.0
    browser_shapes: tuple[tuple[int, int], ...] = ((1440, 1), (390, 1), (1440, 4), (390, 4))
    recorded_rounds: tuple[int, ...] = (3, 100, 500)
    gateway: tuple[tuple[int, int], ...] = ((1, 40), (50, 12))
    after_seconds: float = 600.0
    floor: bool = True

    def streams(self, parts: Sequence[str]) -> int:
        """The largest number of streams in these parts."""
        counts = {"burst": self.burst, "steady": self.steady}
        return max([10, *(count for part in parts for count in counts.get(part, ()))])


WHOLE = Scale()
QUICK = Scale(
    probes=25,
    burst=(1, 10, 50, 200),
    steady=(50,),
    steady_seconds=8.0,
    browser_seconds=4.0,
    long_tokens=2500,
    gateway=((1, 10), (50, 4)),
    after_seconds=20.0,
)


def scale_of(*, quick: bool, after_minutes: float | None = None) -> Scale:
    """WHOLE or QUICK, with another time to the last measurement of memory."""
    scale = QUICK if quick else WHOLE
    return scale if after_minutes is None else replace(scale, after_seconds=after_minutes * 60)
