"""What tracing raises.

TracingError
└── PayloadCorrupt      what is stored does not give the bytes that were recorded
"""


class TracingError(Exception):
    """Base of everything that tracing raises."""


class PayloadCorrupt(TracingError):
    """A payload cannot be put together again, or its bytes are not those that were recorded."""

    def __init__(self, reason: str, span_id: int | None = None, stage: str = "") -> None:
        self.reason = reason
        self.span_id = span_id
        self.stage = stage
        where = f"{stage} of span {span_id}: " if span_id is not None else ""
        super().__init__(f"{where}{reason}")
