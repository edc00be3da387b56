"""Writing a trace. The engine runs from its rows: a span is written before its step runs and closed
after it.

Each function is one statement, inside the caller's transaction, unless it says that there are more;
it brings the `Span` that it is given up to date. The records of payloads are written by
`tracing.store.payloads.store_all`, several in one go.

- `traces`: begin and end a trace
- `spans`: open and close a span
- `call_payloads`: what a tool call was given and gave back
"""

from tracing.recorder.call_payloads import (
    CallResult,
    arguments_record,
    result_attributes,
    result_records,
    shown_record,
    traffic_records,
)
from tracing.recorder.spans import (
    close_if_running,
    close_span,
    close_spans,
    open_call,
    open_compaction,
    open_generation,
    open_round,
    settle_call,
    settle_claimed_call,
)
from tracing.recorder.traces import begin_trace, end_if_running, end_turn_trace

__all__ = [
    "CallResult",
    "arguments_record",
    "begin_trace",
    "close_if_running",
    "close_span",
    "close_spans",
    "end_if_running",
    "end_turn_trace",
    "open_call",
    "open_compaction",
    "open_generation",
    "open_round",
    "result_attributes",
    "result_records",
    "settle_call",
    "settle_claimed_call",
    "shown_record",
    "traffic_records",
]
