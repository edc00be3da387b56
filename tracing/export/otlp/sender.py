"""Sends what is due, one round after the other, and remembers how the collector took it."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from django.db import Error
from django.utils import timezone

from limits.export import MAX_EXPORT_PAUSE_S, MAX_REFUSED_AT_ONCE, MAX_REFUSED_TRACES
from tracing.export.otlp import due, switch
from tracing.export.otlp.collector import Answer, Collector, Verdict
from tracing.export.otlp.mapped import Mapped
from tracing.export.otlp.mapping import mapped, spans_of
from tracing.export.otlp.metrics import Metrics
from tracing.models import Span, Trace

logger = logging.getLogger(__name__)

BATCH = 20  # traces
SHORTEST_PAUSE_S = 5.0
METRICS_S = 60.0


class Sender:
    """Lives in one thread. Rounds raise nothing but errors of the database. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._collector = Collector()
        self._metrics = Metrics(self._collector.resource) if switch.sends_metrics() else None
        self._place = due.collector()
        self._refused: list[int] = []
        self._failures = 0
        self._failing_since = 0.0
        self._next = 0.0
        self._metrics_at = 0.0

    def round(self) -> bool:
        """Sends what is due, if it is not too early; whether there may be more at once."""
        now = self._clock()
        if now < self._next:
            return False
        if left := due.give_up(self._place, timezone.now()):
            logger.error("OTLP: %d traces were not taken for a day; they are skipped", left)
        traces = due.due(self._place.since, self._refused, BATCH)
        went_well = self._send(traces) if traces else True
        if self._metrics is not None and now >= self._metrics_at and went_well:
            self._send_metrics(now)
        return went_well and len(traces) == BATCH

    def close(self) -> None:
        self._collector.close()

    def _send(self, traces: Sequence[Trace]) -> bool:
        """All together; if something in it is refused, each by itself."""
        spans = {trace.pk: spans_of(trace) for trace in traces}
        answer = self._answer(chain.from_iterable(_mapped(traces, spans)))
        if answer.verdict is Verdict.TAKEN:
            self._recovered()
            self._mark(traces, spans)
            return True
        if answer.verdict is Verdict.FAILED:
            self._failed(answer)
            return False
        return self._send_singly(traces, spans)

    def _send_singly(self, traces: Sequence[Trace], spans: dict[int, list[Span]]) -> bool:
        refused: list[tuple[Trace, str]] = []
        for trace in traces:
            answer = self._answer(mapped(trace, spans[trace.pk]))
            if answer.verdict is Verdict.FAILED:
                self._failed(answer)
                return False
            if answer.verdict is Verdict.REFUSED:
                refused.append((trace, answer.why))
                continue
            self._recovered()
            self._mark([trace], spans)
        if len(refused) == len(traces) >= MAX_REFUSED_AT_ONCE:
            self._failed(Answer(Verdict.FAILED, refused[-1][1]))
            return False
        self._leave_out(refused)
        return True

    def _answer(self, spans: Iterable[Mapped]) -> Answer:
        """A trace that breaks the mapping is one that is refused: the others go on."""
        try:
            return self._collector.send(spans)
        except Error:
            raise
        except Exception as error:
            logger.debug("OTLP: spans cannot be made", exc_info=True)
            return Answer(Verdict.REFUSED, f"Its spans cannot be made ({type(error).__name__}).")

    def _mark(self, traces: Sequence[Trace], spans: dict[int, list[Span]]) -> None:
        for trace in traces:
            if due.mark(trace) and self._metrics is not None:
                self._metrics.record(spans[trace.pk])

    def _leave_out(self, refused: Sequence[tuple[Trace, str]]) -> None:
        for trace, why in refused:
            logger.error("OTLP: trace %s is skipped. %s", trace.public_id, why)
            self._refused = [*self._refused, trace.pk][-MAX_REFUSED_TRACES:]

    def _send_metrics(self, now: float) -> None:
        assert self._metrics is not None
        self._metrics_at = now + METRICS_S
        if why := self._metrics.send():
            logger.info("OTLP: %s takes no metrics. %s", switch.destination(), why)
            self._metrics = None

    def _failed(self, answer: Answer) -> None:
        """Logged once; the pause doubles, or is what the collector asked for."""
        now = self._clock()
        if not self._failures:
            self._failing_since = now
            logger.warning(
                "OTLP: %s takes no traces. %s It is tried again for a day.",
                switch.destination(),
                answer.why,
            )
        pause = min(SHORTEST_PAUSE_S * 2**self._failures, MAX_EXPORT_PAUSE_S)
        self._failures = min(self._failures + 1, 16)
        self._next = now + max(pause, answer.wait_s)

    def _recovered(self) -> None:
        if self._failures:
            minutes = (self._clock() - self._failing_since) / 60
            logger.warning(
                "OTLP: %s takes traces again, after %.0f min", switch.destination(), minutes
            )
        self._failures = 0


def _mapped(traces: Sequence[Trace], spans: dict[int, list[Span]]) -> Iterator[Iterator[Mapped]]:
    for trace in traces:
        yield mapped(trace, spans[trace.pk])
