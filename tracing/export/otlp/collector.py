"""Sends spans to a collector: OTLP over HTTP, by the SDK's own exporter and variables.

The SDK is loaded with the first `CollectorClient`. Its logging of each failure is switched off: a
failure is a value here, and the sender decides what is logged.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from limits.export import MAX_EXPORT_REQUEST
from tracing.export.otlp.otlp_span import OTLPSpan, Outcome, SpanKind
from tracing.export.otlp.web import Web

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

SERVICE = "roundtrip"
# HTTP statuses by which a collector refuses the content of a request.
_REFUSALS = frozenset({400, 413, 415, 422})


class Verdict(Enum):
    """`REFUSED`: the collector works, but does not take this trace."""

    TAKEN = "taken"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True)
class Answer:
    """The result of sending. `why`: a sentence for people, without secrets; `wait_s`: the pause in
    seconds that the collector asked for."""

    verdict: Verdict
    why: str = ""
    wait_s: float = 0.0


TAKEN = Answer(Verdict.TAKEN)


class CollectorClient:
    """Belongs to one thread."""

    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        quiet_sdk()
        self.resource = resource()
        self._web = Web()
        self._exporter = OTLPSpanExporter(session=self._web)

    def send(self, spans: Iterable[OTLPSpan]) -> Answer:
        """Sends all spans, in as many requests as they need, until one is not taken."""
        for batch in batches(spans):
            answer = self._send(batch)
            if answer.verdict is not Verdict.TAKEN:
                return answer
        return TAKEN

    def close(self) -> None:
        """Ends the wait for another try. May be called from any thread."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK gives no type

    def _send(self, batch: Sequence[OTLPSpan]) -> Answer:
        from opentelemetry.sdk.trace.export import SpanExportResult

        self._web.begin()
        sdk_spans = [_sdk_span(span, self.resource) for span in batch]
        if self._exporter.export(sdk_spans) is SpanExportResult.SUCCESS:
            return TAKEN
        status = self._web.status
        verdict = Verdict.REFUSED if status in _REFUSALS else Verdict.FAILED
        return Answer(
            verdict, self._web.failure or "The spans could not be written.", self._web.wait_s
        )


def batches(spans: Iterable[OTLPSpan]) -> Iterator[list[OTLPSpan]]:
    """The spans of each request; a span above the bound is a request of its own."""
    batch: list[OTLPSpan] = []
    size = 0
    for span in spans:
        if batch and size + span.size > MAX_EXPORT_REQUEST:
            yield batch
            batch, size = [], 0
        batch.append(span)
        size += span.size
    if batch:
        yield batch


def resource() -> "Resource":
    """`OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` replace our name."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    detected = Resource.create()
    name = str(detected.attributes.get(SERVICE_NAME) or "")
    return detected.merge(Resource({SERVICE_NAME: SERVICE})) if _is_default(name) else detected


def quiet_sdk() -> None:
    """Switches off the SDK's logging of each failure."""
    for name in ("opentelemetry", "urllib3"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _is_default(name: str) -> bool:
    return not name or name.startswith("unknown_service")


def _sdk_span(span: OTLPSpan, resource: "Resource") -> "ReadableSpan":
    from opentelemetry import trace
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace.status import Status, StatusCode

    codes = {
        Outcome.UNSET: StatusCode.UNSET,
        Outcome.OK: StatusCode.OK,
        Outcome.ERROR: StatusCode.ERROR,
    }
    kinds = {SpanKind.INTERNAL: trace.SpanKind.INTERNAL, SpanKind.CLIENT: trace.SpanKind.CLIENT}

    def context(span_id: int) -> trace.SpanContext:
        flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
        return trace.SpanContext(span.trace_id, span_id, is_remote=False, trace_flags=flags)

    return ReadableSpan(
        name=span.name,
        context=context(span.span_id),
        parent=None if span.parent_id is None else context(span.parent_id),
        resource=resource,
        attributes=span.attributes,
        kind=kinds[span.kind],
        status=Status(codes[span.outcome], span.failure or None),
        start_time=span.start,
        end_time=span.end,
        instrumentation_scope=InstrumentationScope(SERVICE),
    )
