"""Ids of W3C Trace Context from our own, so that a second export of a trace has the same.

A trace id is the trace's UUID, a span id the last half of the span's UUID (62 random bits and two
that are never both zero), so that either can be looked up by the id that a receiver shows.
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
