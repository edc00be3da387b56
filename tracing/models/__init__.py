"""The tables of traces: what was recorded (`archive`, `trace`, `span`, `payload`), what is counted
from it (`digest`), and what is found in it (`finding`)."""

from tracing.models.archive import Archive
from tracing.models.digest import Action, Facet, FacetValue, Metric
from tracing.models.finding import Deletion, SearchText
from tracing.models.payload import Blob, Payload
from tracing.models.sending import Collector
from tracing.models.span import Span
from tracing.models.trace import Trace, TraceQuerySet

__all__ = [
    "Action",
    "Archive",
    "Blob",
    "Collector",
    "Deletion",
    "Facet",
    "FacetValue",
    "Metric",
    "Payload",
    "SearchText",
    "Span",
    "Trace",
    "TraceQuerySet",
]
