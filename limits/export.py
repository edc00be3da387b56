"""Traces in other tools."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_EXPORTED_STAGE_BYTES: Annotated[
    int,
    Limit("bytes", "Stage whose content is exported", "The span is exported without its content"),
] = 32 * 1024 * 1024
MAX_EXPORT_AGE: Annotated[
    timedelta,
    Limit("seconds", "Time for which a trace is offered to a collector", "No longer sent"),
] = timedelta(days=1)
MAX_EXPORTED_TEXT: Annotated[
    int,
    Limit(
        "characters",
        "Text of an exported attribute",
        "Truncated",
        "`OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT`",
    ),
] = 32_000
MAX_EXPORTED_SPAN: Annotated[
    int, Limit("characters", "Messages of an exported span", "Only the newest are exported")
] = 200_000
MAX_EXPORTED_TRACE: Annotated[
    int,
    Limit(
        "characters",
        "All attributes of an exported trace",
        "Later spans carry only their newest messages",
    ),
] = 20_000_000
MAX_EXPORTED_MESSAGES: Annotated[
    int, Limit("messages", "Messages of an exported span", "Only the newest are exported")
] = 200
MAX_EXPORT_REQUEST: Annotated[
    int,
    Limit("characters", "Attributes in one request to the collector", "Sent in the next request"),
] = 2_000_000
MAX_ANSWERING_MODELS: Annotated[
    int, Limit("names", "Model names in the labels of a metric", "The others are counted as one")
] = 100
MAX_EXPORT_PAUSE_S: Annotated[
    float,
    Limit("seconds", "Pause before a failed collector is tried again", "Lowered to this"),
] = 300.0
MAX_REFUSED_TRACES: Annotated[
    int, Limit("traces", "Remembered traces that the collector refused", "The oldest are dropped")
] = 1000
MAX_REFUSED_AT_ONCE: Annotated[
    int,
    Limit(
        "traces",
        "Consecutive refusals of traces",
        "The collector counts as broken; the batch is sent again later",
    ),
] = 20
MAX_COLLECTOR_ANSWER_BYTES: Annotated[
    int, Limit("bytes", "Response of a collector", "The rest is not read")
] = 64 * 1024
MAX_COLLECTOR_ANSWER_S: Annotated[
    float, Limit("seconds", "Time for a collector to respond", "The request fails")
] = 10.0
MAX_COLLECTOR_WAIT_S: Annotated[
    float, Limit("seconds", "`Retry-After` of a collector", "Lowered to this")
] = 3600.0
