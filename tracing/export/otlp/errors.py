"""`error.type`: the kind of a failure, from a small set that can be a label of a metric.

    429, 503, …        the HTTP status, where the provider answered with one
    timeout            no bytes for too long, or an answer that took too long
    connect_failed, connection_lost, cut_stream, broken_chunk, provider_error, …
                       the other kinds of failure of a model call (`chat.llm.errors`)
    -32602, …          the code of a server's JSON-RPC error
    unknown_tool       the model named a tool that does not exist
    tool_error         the tool reported a failure
    superseded         a crash cut the attempt off
    outcome_unknown    it is not known whether the tool ran
    _OTHER             anything else

A turn, a round and a compaction have the kind of their last model call.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tracing.models import Span

OTHER = "_OTHER"
UNKNOWN_TOOL = "unknown_tool"
BROKEN = frozenset({Span.Status.FAILED, Span.Status.SUPERSEDED, Span.Status.OUTCOME_UNKNOWN})
_TIMEOUTS = frozenset({"Stalled", "Overdue"})
_OF_STATUS = "StatusFailure"
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{1,39}")
_CODE = re.compile(r"-?[0-9]{1,6}")


def error_type(span: Span, spans: Sequence[Span] = ()) -> str:
    """Empty if the span did not fail. `spans` are those of its trace, in their order."""
    if span.status not in BROKEN:
        return ""
    if span.status != Span.Status.FAILED:
        return str(span.status)
    if span.kind == Span.Kind.TOOL:
        return _call_error(span.attributes)
    if span.kind == Span.Kind.GENERATION:
        return _generation_error(span.attributes)
    last = _last_call(span, spans)
    return _generation_error(last.attributes) if last and last.status in BROKEN else OTHER


def is_unknown_tool(call: Mapping[str, Any]) -> bool:
    """Whether a model named a tool that it was not offered, by the call's attributes."""
    return call.get("offered") is False


def _generation_error(attributes: Mapping[str, Any]) -> str:
    kind, status = attributes.get("error_kind"), attributes.get("status_code")
    if kind in _TIMEOUTS:
        return "timeout"
    if isinstance(status, int) and (kind == _OF_STATUS or status >= 400):
        return str(status)
    if isinstance(kind, str) and kind != _OF_STATUS and _KIND.fullmatch(kind):
        return _WORD.sub("_", kind).lower()
    return OTHER


def _call_error(attributes: Mapping[str, Any]) -> str:
    if is_unknown_tool(attributes):
        return UNKNOWN_TOOL
    mcp = attributes.get("mcp")
    code = str(mcp.get("error_code") or "") if isinstance(mcp, dict) else ""
    return code if _CODE.fullmatch(code) else "tool_error"


def _last_call(span: Span, spans: Sequence[Span]) -> Span | None:
    """The last model call of a round or a compaction; of a turn the last one of its rounds."""
    compactions = {one.pk for one in spans if one.kind == Span.Kind.COMPACTION}
    for one in reversed(spans):
        if one.kind == Span.Kind.GENERATION and (
            one.parent_id == span.pk
            or (span.kind == Span.Kind.TURN and one.parent_id not in compactions)
        ):
            return one
    return None
