"""The time ledger: a period of wall time divided completely by kind.

Spans overlap (parallel calls, a call that waits for a person while another runs). Each moment
counts once, for the first of these kinds that it had: the model's streaming, its wait for the first
token, connecting, pre- and post-processing, making room, tools, subagents, building a request,
storing; then waiting for a person, for the next attempt, for a worker. So waiting counts only while
nothing worked, and the sum is the wall time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tracing.journal.time_segments import Kind, TimeSegment, time_segments
from tracing.models import Span

WIDTH = 1000
PRIORITY = (
    Kind.STREAM,
    Kind.WAIT,
    Kind.MODEL,
    Kind.START,
    Kind.CONNECT,
    Kind.POST,
    Kind.PRE,
    Kind.COMPACTION,
    Kind.TOOL,
    Kind.SUBAGENT,
    Kind.CONTEXT,
    Kind.STORE,
    Kind.PERSON,
    Kind.PAUSE,
    Kind.QUEUE,
)
_RANK = {kind: place for place, kind in enumerate((*PRIORITY, Kind.OURS))}
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Item:
    """`tenths` is the share in tenths of a percent; `x` and `width` are thousandths of the bar."""

    kind: Kind
    length: timedelta
    tenths: int
    x: float
    width: float

    @property
    def label(self) -> str:
        return str(self.kind.label)

    @property
    def share(self) -> str:
        """`34.2 %`, or `< 0.1 %`."""
        return f"{self.tenths / 10:.1f} %" if self.tenths else "< 0.1 %"


@dataclass(frozen=True)
class Ledger:
    """`items` by kind, without empty ones; they sum to `length`, and their tenths to 1000. `last`
    is the kind at the end."""

    length: timedelta
    items: list[Item]
    last: Kind | None = None


def read_ledger(
    spans: Iterable[Span],
    begin: datetime,
    end: datetime,
    now: datetime,
    queued: timedelta,
    overhead: Iterable[TimeSegment] = (),
) -> Ledger:
    """The ledger of a turn or a round from `begin` to `end`, which starts with `queued` in the
    queue. `overhead` are segments between the spans."""
    segments = [segment for span in spans for segment in time_segments(span, now)]
    return make_ledger(
        [TimeSegment(Kind.QUEUE, begin, begin + queued), *overhead, *segments], begin, end
    )


def make_ledger(segments: Iterable[TimeSegment], begin: datetime, end: datetime) -> Ledger:
    end, segments = max(begin, end), list(segments)
    micros = divide(segments, begin, end)
    return Ledger(end - begin, _items(micros, (end - begin) // _TICK), _last(segments, end))


def _last(segments: Iterable[TimeSegment], end: datetime) -> Kind:
    active = (segment.kind for segment in segments if segment.start < end <= segment.end)
    return min(active, key=_RANK.__getitem__, default=Kind.OURS)


def divide(segments: Iterable[TimeSegment], begin: datetime, end: datetime) -> dict[Kind, int]:
    """Microseconds by kind; together they are `end - begin`, and none is negative."""
    edges: list[tuple[int, int, int]] = []
    whole = (end - begin) // _TICK
    for segment in segments:
        start = min(whole, max(0, (segment.start - begin) // _TICK))
        stop = min(whole, max(0, (segment.end - begin) // _TICK))
        if start < stop:
            rank = _RANK[segment.kind]
            edges += ((start, 1, rank), (stop, -1, rank))
    micros = _sweep(sorted(edges), whole)
    return {kind: micros[_RANK[kind]] for kind in Kind if micros[_RANK[kind]]}


def _sweep(edges: list[tuple[int, int, int]], whole: int) -> list[int]:
    """Microseconds by rank: a sweep over the sorted starts and ends, with a bit for each active
    rank."""
    counts, micros = [0] * len(_RANK), [0] * len(_RANK)
    active = passed = 0
    for at, change, rank in [*edges, (whole, 0, 0)]:
        if passed < at:
            # The lowest bit; without any the last place, which is that of `OURS`.
            micros[(active & -active).bit_length() - 1] += at - passed
            passed = at
        counts[rank] += change
        active = active | 1 << rank if counts[rank] else active & ~(1 << rank)
    return micros


def _items(micros: dict[Kind, int], whole: int) -> list[Item]:
    tenths = shares(list(micros.values()), 1000)
    items, passed = [], 0
    for (kind, length), share in zip(micros.items(), tenths, strict=True):
        x, width = passed * WIDTH / whole, length * WIDTH / whole
        items.append(Item(kind, length * _TICK, share, round(x, 1), round(width, 1)))
        passed += length
    return items


def shares(counts: list[int], parts: int) -> list[int]:
    """`parts` divided like the counts, in whole numbers that sum to it: what is left over after
    rounding down goes to those that lost most by it."""
    whole = sum(counts)
    if not whole:
        return [0 for _ in counts]
    shares = [count * parts // whole for count in counts]
    by_loss = sorted(range(len(counts)), key=lambda place: -(counts[place] * parts % whole))
    for place in by_loss[: parts - sum(shares)]:
        shares[place] += 1
    return shares
