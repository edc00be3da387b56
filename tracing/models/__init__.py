"""The tables of traces: what was recorded (`evidence`), what is counted from it (`digest`), and
what is found in it (`finding`)."""

from tracing.models.digest import Action, Facet, FacetValue, Measure
from tracing.models.evidence import Archive, Blob, Payload, Span, Trace, TraceQuerySet
from tracing.models.finding import Deletion, SearchText
from tracing.models.sending import Collector

__all__ = [
    "Action",
    "Archive",
    "Blob",
    "Collector",
    "Deletion",
    "Facet",
    "FacetValue",
    "Measure",
    "Payload",
    "SearchText",
    "Span",
    "Trace",
    "TraceQuerySet",
]
