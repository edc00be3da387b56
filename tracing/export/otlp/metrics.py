"""The metrics of model calls that the convention names, from the exported spans."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from limits.export import MAX_ANSWERING_MODELS
from tracing.export.otlp import generations
from tracing.export.otlp.collector import SERVICE, quiet_sdk
from tracing.export.otlp.errors import error_type
from tracing.export.otlp.limits import cut
from tracing.export.otlp.otlp_span import Attributes
from tracing.export.otlp.web import Web
from tracing.models import Span
from tracing.models.attributes import generation_attributes

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

SECONDS = [0.01 * 2**step for step in range(14)]
TOKENS = [4**step for step in range(14)]
_OTHER = "_other"
# HTTP statuses of a collector that takes no metrics, such as Phoenix.
_NO_METRICS = frozenset({404, 405, 415, 501})


class Metrics:
    """Three histograms, sent together by `send`."""

    def __init__(self, resource: "Resource") -> None:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

        quiet_sdk()
        self._web = Web()
        # Without an interval: `send` collects.
        self._reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(session=self._web), export_interval_millis=math.inf
        )
        provider = MeterProvider([self._reader], resource, shutdown_on_exit=False)
        meter = provider.get_meter(SERVICE)
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=TOKENS,
        )
        self._first_chunk = meter.create_histogram(
            "gen_ai.client.operation.time_to_first_chunk",
            "s",
            "Time to receive the first chunk of a streamed answer.",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._has_records = False
        self._answering_models: set[str] = set()

    def record(self, spans: Sequence[Span]) -> None:
        """The model calls among the spans of a trace."""
        for span in spans:
            if span.kind == Span.Kind.GENERATION and span.started and span.ended:
                self._record(span)
                self._has_records = True

    def send(self) -> str:
        """Sends the records; the reason if the collector takes no metrics at all, else ""."""
        if not self._has_records:
            return ""
        self._web.begin()
        self._reader.collect()
        return self._web.failure if self._web.status in _NO_METRICS else ""

    def _record(self, span: Span) -> None:
        labels = self._labels(span)
        error = error_type(span)
        assert span.started and span.ended
        seconds = (span.ended - span.started).total_seconds()
        self._duration.record(max(0.0, seconds), labels | ({"error.type": error} if error else {}))
        for kind, count in generations.usage(span.attributes).items():
            if kind in ("input", "output"):
                self._tokens.record(count, labels | {"gen_ai.token.type": kind})
        if (first := generations.first_chunk(span.attributes)) is not None:
            self._first_chunk.record(first, labels)

    def _labels(self, span: Span) -> Attributes:
        model = generation_attributes(span).get("answering_model")
        labels = generations.request_labels(span.attributes)
        if not isinstance(model, str) or not model:
            return labels
        return labels | {"gen_ai.response.model": self._bounded(cut(model))}

    def _bounded(self, name: str) -> str:
        """One of at most `MAX_ANSWERING_MODELS` names: a provider may answer with any number."""
        if len(self._answering_models) < MAX_ANSWERING_MODELS:
            self._answering_models.add(name)
        return name if name in self._answering_models else _OTHER
