"""Sends due traces to the collector in rounds, with pauses after failures."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from django.db import Error
from django.utils import timezone

from limits.export import MAX_EXPORT_PAUSE_S, MAX_REFUSED_AT_ONCE, MAX_REFUSED_TRACES
from tracing.export.otlp import due, switch
from tracing.export.otlp.collector import Answer, CollectorClient, Verdict
from tracing.export.otlp.mapping import map_trace, spans_of
from tracing.export.otlp.metrics import Metrics
from tracing.export.otlp.otlp_span import OTLPSpan
from tracing.models import Span, Trace

logger = logging.getLogger(__name__)

BATCH = 20  # traces
SHORTEST_PAUSE_S = 5.0
METRICS_S = 60.0


class Sender:
    """Belongs to one thread. A round raises only errors of the database. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._collector = CollectorClient()
        self._metrics = Metrics(self._collector.resource) if switch.sends_metrics() else None
        self._place = due.collector()
        self._refused: list[int] = []
        self._failures = 0
        self._failing_since = 0.0
        self._next = 0.0
        self._metrics_at = 0.0

    def round(self) -> bool:
        """Sends a batch, unless a pause lasts; True if there may be more to send at once."""
        now = self._clock()
        if now < self._next:
            return False
        if skipped := due.give_up(self._place, timezone.now()):
            logger.error("OTLP: %d traces were not taken for a day; they are skipped", skipped)
        traces = due.due(self._place.since, self._refused, BATCH)
        is_sent = self._send(traces) if traces else True
        if self._metrics is not None and now >= self._metrics_at and is_sent:
            self._send_metrics(now)
        return is_sent and len(traces) == BATCH

    def close(self) -> None:
        self._collector.close()

    def _send(self, traces: Sequence[Trace]) -> bool:
        """All traces together; each by itself if something in them is refused."""
        spans = {trace.pk: spans_of(trace) for trace in traces}
        answer = self._answer(chain.from_iterable(_map_traces(traces, spans)))
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
            answer = self._answer(map_trace(trace, spans[trace.pk]))
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

    def _answer(self, spans: Iterable[OTLPSpan]) -> Answer:
        """A trace that cannot be mapped is refused, so that the others are sent."""
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
        """Logs the first failure; doubles the pause, or takes the collector's if it is longer."""
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


def _map_traces(
    traces: Sequence[Trace], spans: dict[int, list[Span]]
) -> Iterator[Iterator[OTLPSpan]]:
    for trace in traces:
        yield map_trace(trace, spans[trace.pk])
