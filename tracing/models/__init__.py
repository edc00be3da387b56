"""The tables of traces.

- `archive`, `trace`, `span`, `payload`: what was recorded
- `attributes`: the keys of their JSON columns
- `digest`: facets, metrics and actions
- `finding`: the searched texts of traces, deletions that a worker carries out, and deleted words
- `sending`: destinations of exported traces
"""

from tracing.models.archive import Archive
from tracing.models.digest import Action, Facet, FacetValue, Metric
from tracing.models.finding import DeletedWords, Deletion, SearchText
from tracing.models.payload import Blob, Payload
from tracing.models.sending import Collector
from tracing.models.span import Span
from tracing.models.trace import Trace, TraceQuerySet

__all__ = [
    "Action",
    "Archive",
    "Blob",
    "Collector",
    "DeletedWords",
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
