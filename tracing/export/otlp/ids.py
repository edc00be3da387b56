"""The ids of W3C Trace Context, from our own: a second export of a trace has the same.

A trace's is its UUID, a span's the last half of its UUID (62 random bits and two that are never
both zero), so that either can be looked up by what a receiver shows.
"""

from uuid import UUID

_HALF = (1 << 64) - 1


def trace_id(public_id: UUID) -> int:
    return public_id.int


def span_id(public_id: UUID) -> int:
    return public_id.int & _HALF


def traceparent(trace: UUID, span: UUID) -> str:
    """The header that makes `span` the parent of what a server does for it; sampled."""
    return f"00-{trace_id(trace):032x}-{span_id(span):016x}-01"
