"""Traces in other tools."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_EXPORTED_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Stage whose content is exported", "Exported without content")
] = 32 * 1024 * 1024
MAX_EXPORT_AGE: Annotated[
    timedelta, Limit("seconds", "Time in which a collector may take a trace", "Not sent any more")
] = timedelta(days=1)
MAX_EXPORTED_TEXT: Annotated[
    int,
    Limit("characters", "Text of an attribute", "Cut", "`OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT`"),
] = 32_000
MAX_EXPORTED_SPAN: Annotated[
    int, Limit("characters", "Messages of a span", "The newest are kept")
] = 200_000
MAX_EXPORTED_TRACE: Annotated[
    int, Limit("characters", "Attributes of a trace", "Spans carry only what is newest")
] = 20_000_000
MAX_EXPORTED_MESSAGES: Annotated[
    int, Limit("messages", "Messages of a span", "The newest are kept")
] = 200
MAX_EXPORT_REQUEST: Annotated[
    int, Limit("characters", "Attributes of a request to the collector", "In the next request")
] = 2_000_000
MAX_ANSWERING_MODELS: Annotated[
    int, Limit("names", "Names of models that a metric has", "Counted as one")
] = 100
MAX_EXPORT_PAUSE_S: Annotated[
    float,
    Limit("seconds", "Pause before a collector that failed is tried again", "Tried after this one"),
] = 300.0
MAX_REFUSED_TRACES: Annotated[
    int, Limit("traces", "Refused traces that are remembered", "The oldest are forgotten")
] = 1000
MAX_REFUSED_AT_ONCE: Annotated[
    int,
    Limit(
        "traces",
        "Refusals in a row before the collector counts as out of order",
        "The batch is sent again later",
    ),
] = 20
MAX_COLLECTOR_ANSWER_BYTES: Annotated[int, Limit("bytes", "Answer of a collector", "Not read")] = (
    64 * 1024
)
MAX_COLLECTOR_ANSWER_S: Annotated[
    float, Limit("seconds", "Answer of a collector", "The request fails")
] = 10.0
MAX_COLLECTOR_WAIT_S: Annotated[
    float, Limit("seconds", "Pause that a collector asks for", "Lowered to this")
] = 3600.0
