"""The tables of traces: what was recorded (`evidence`), and what is counted from it (`digest`)."""

from tracing.models.digest import Action, Facet, FacetValue, Measure
from tracing.models.evidence import Archive, Blob, Payload, Span, Trace, TraceQuerySet

__all__ = [
    "Action",
    "Archive",
    "Blob",
    "Facet",
    "FacetValue",
    "Measure",
    "Payload",
    "Span",
    "Trace",
    "TraceQuerySet",
]
