"""The exceptions of tracing.

TracingError
└── PayloadCorrupt      the stored rows do not give the bytes that were recorded
"""


class TracingError(Exception):
    """Base of the exceptions of tracing."""


class PayloadCorrupt(TracingError):
    """A payload cannot be reassembled, or its bytes do not have the recorded hash."""

    def __init__(self, reason: str, span_id: int | None = None, stage: str = "") -> None:
        self.reason = reason
        self.span_id = span_id
        self.stage = stage
        where = f"{stage} of span {span_id}: " if span_id is not None else ""
        super().__init__(f"{where}{reason}")
