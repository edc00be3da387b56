"""Positions of the bars of a waterfall, in thousandths of the width."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from tracing.journal.time_segments import TimeSegment, time_segments
from tracing.models import Span

WIDTH = 1000
# Smallest width of a bar, so that it is visible.
_MIN_WIDTH = 4.0


class Bar(NamedTuple):
    kind: str
    x: float
    width: float


@dataclass(frozen=True)
class Scale:
    """Maps the `length` from `begin` on to `WIDTH`."""

    begin: datetime
    length: timedelta

    def bars(self, span: Span, now: datetime) -> list[Bar]:
        """A bar for each segment of the span that is wide enough; at least one."""
        segments = time_segments(span, now)
        if not segments:
            start = _begin(span)
            return [self._bar(str(span.kind), start, start)]
        wide = [segment for segment in segments if self._width(segment) >= _MIN_WIDTH]
        longest = max(segments, key=lambda segment: segment.end - segment.start)
        return [
            self._bar(segment.kind, segment.start, segment.end) for segment in wide or [longest]
        ]

    def place(self, moment: datetime) -> float:
        share = (moment - self.begin) / self.length if self.length else 0.0
        return round(min(1.0, max(0.0, share)) * WIDTH, 1)

    def _bar(self, kind: str, start: datetime, end: datetime) -> Bar:
        x = self.place(start)
        width = max(_MIN_WIDTH, self.place(end) - x)
        return Bar(kind, round(min(x, WIDTH - _MIN_WIDTH), 1), round(width, 1))

    def _width(self, segment: TimeSegment) -> float:
        return self.place(segment.end) - self.place(segment.start)


def _begin(span: Span) -> datetime:
    """The start of the bar; a call's is when the model asked for it."""
    return span.created if span.kind == Span.Kind.TOOL else span.started or span.created


def scale(spans: Iterable[Span], now: datetime) -> Scale:
    """The scale from the first start to the last end of the spans."""
    spans = list(spans)
    begin = min((_begin(span) for span in spans), default=now)
    end = max((span.ended or now for span in spans), default=now)
    return Scale(begin, max(end - begin, timedelta(milliseconds=1)))
