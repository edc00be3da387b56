"""The tables of traces.

- `archive`, `trace`, `span`, `payload`: what was recorded
- `attributes`: the keys of their JSON columns
- `digest`: facets, metrics and actions
- `search_text`: the searched text of a trace
- `deletion`: deletions that a worker carries out
- `collector`: destinations of exported traces
"""

from tracing.models.archive import Archive
from tracing.models.collector import Collector
from tracing.models.deletion import Deletion
from tracing.models.digest import Action, Facet, FacetValue, Metric
from tracing.models.payload import Blob, Payload
from tracing.models.search_text import SearchText
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
