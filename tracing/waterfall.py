"""Where the bars of a waterfall stand, in thousandths of the width."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tracing.models import Span

WIDTH = 1000
# What takes no time is still to be seen.
_THINNEST = 4.0


@dataclass(frozen=True)
class Bar:
    kind: str
    x: float
    width: float


@dataclass(frozen=True)
class Scale:
    """From a moment on, over a duration, mapped to `WIDTH`."""

    begin: datetime
    length: timedelta

    def bar(self, kind: str, start: datetime, end: datetime) -> Bar:
        x = self._place(start)
        width = max(_THINNEST, self._place(end) - x)
        return Bar(kind, round(min(x, WIDTH - _THINNEST), 1), round(width, 1))

    def bars(self, span: Span, now: datetime) -> list[Bar]:
        """A generation waits, then streams, and pauses if it is to be tried again; a call is
        queued, then runs."""
        if span.started is None:
            return [self.bar("queued", span.created, span.ended or now)]
        end = span.ended or now
        if span.kind == Span.Kind.TOOL:
            return [
                self.bar("queued", span.created, span.started),
                self.bar("tool", span.started, end),
            ]
        first = min(span.started + _first_token(span), end)
        bars = [self.bar("wait", span.started, first)]
        if first < end:
            bars.append(self.bar("stream", first, end))
        if span.ended is not None and (pause := retry_wait(span)):
            bars.append(self.bar("pause", span.ended, span.ended + pause))
        return bars

    def _place(self, moment: datetime) -> float:
        share = (moment - self.begin) / self.length if self.length else 0.0
        return min(1.0, max(0.0, share)) * WIDTH


def _begin(span: Span) -> datetime:
    """A call begins to count when it is asked for."""
    return span.created if span.kind == Span.Kind.TOOL else span.started or span.created


def _first_token(span: Span) -> timedelta:
    """How long the first token took since the span began; for ever if none came."""
    timings = span.attributes.get("timings")
    known = timings if isinstance(timings, dict) else {}
    ms, sent = known.get("first_token_ms"), known.get("send_ms", 0)
    if not isinstance(ms, int | float) or not isinstance(sent, int | float):
        return timedelta(days=1)
    return timedelta(milliseconds=sent + ms)


def retry_wait(span: Span) -> timedelta:
    """How long after its end the next attempt was to wait."""
    ms = span.attributes.get("retry_in_ms")
    return timedelta(milliseconds=ms) if isinstance(ms, int | float) else timedelta()


def scale(spans: list[Span], now: datetime) -> Scale:
    """One that all of these fit into."""
    begin = min((_begin(span) for span in spans), default=now)
    end = max((span.ended or now for span in spans), default=now)
    return Scale(begin, max(end - begin, timedelta(milliseconds=1)))
