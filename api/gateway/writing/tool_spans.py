"""The tool calls between two rounds: what the model asked for, and what came back with the next
request. They ran in the caller's program; their times are those of its two calls."""

from datetime import datetime
from typing import Any

from api.gateway.reading.given import Given
from api.gateway.reading.values import objects, text
from chat.llm.messages import Message, text_of
from db.fields import dump_json
from limits.gateway import MAX_GATEWAY_CALLS_A_ROUND
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import CallAttributes
from tracing.store import payloads

Status = Span.Status


def write(round_: Span, given: Given, started: datetime, ended: datetime) -> list[payloads.Record]:
    """Writes the rows; their payloads, still to be stored."""
    calls = _calls(given)
    records: list[payloads.Record] = []
    for number, result in enumerate(given.results[:MAX_GATEWAY_CALLS_A_ROUND], 1):
        call_id = text(result.get("tool_call_id"))
        records += _write_call(round_, number, calls.get(call_id), result, (started, ended))
    return records


def _write_call(
    round_: Span,
    number: int,
    call: Any,
    result: Message,
    times: tuple[datetime, datetime],
) -> list[payloads.Record]:
    name = text(call["function"].get("name")) if call else ""
    content = result.get("content")
    shown = text_of(content) if isinstance(content, str) else dump_json(content)
    is_error = bool(result.get("is_error"))
    attributes: CallAttributes = {
        "call_id": text(result.get("tool_call_id")),
        "server": "",
        "tool": name,
        "is_error": is_error,
        "result_bytes": len(shown.encode(errors="surrogatepass")),
        "needs_approval": False,
    }
    span = Span.objects.insert(
        trace=round_.trace,
        parent=round_,
        kind=Span.Kind.TOOL,
        name=name or "tool",
        number=number,
        status=Status.FAILED if is_error else Status.SUCCEEDED,
        created=times[0],
        started=times[0],
        ended=times[1],
        attributes=attributes,
    )
    arguments = text(call["function"].get("arguments")) if call else ""
    return [
        recorder.arguments_record(span, arguments),
        recorder.shown_record(span, shown),
    ]


def _calls(given: Given) -> dict[str, Any]:
    """By their ids. A caller may have written anything."""
    calls: Any = given.answer.get("tool_calls") if given.answer else None
    return {
        text(call.get("id")): call
        for call in objects(calls)
        if isinstance(call.get("function"), dict)
    }
