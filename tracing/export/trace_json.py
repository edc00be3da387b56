"""A trace as one JSON document: all stages of all rounds, exactly, the compactions between them,
and the documents of its subagents."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from db.fields import dump_json
from tracing.errors import PayloadCorrupt
from tracing.export.compact_json import Elements, Pieces
from tracing.export.json_shapes import (
    ActionShape,
    Arrivals,
    BodyShape,
    CallExtras,
    CallShape,
    CompactionShape,
    GenerationShape,
    InputShape,
    MessageShape,
    NewElements,
    ParentCall,
    RoundCompactions,
    RoundShape,
    SentHash,
    TraceHead,
    TraceTimes,
)
from tracing.journal import actions, feedback
from tracing.journal.trace_rounds import Compaction, Round, find_round, payloads_of, round_numbers
from tracing.models import Action, Payload, Span, Trace
from tracing.models.attributes import (
    CallAttributes,
    call_attributes,
    compaction_attributes,
    generation_attributes,
    payload_attributes,
    trace_attributes,
)
from tracing.store import payloads

# Python's extensions of JSON (NaN, Infinity) stay text, so that the document is JSON.
_decoder = json.JSONDecoder(
    parse_constant=str,
    parse_float=lambda text: float(text) if isfinite(float(text)) else text,
)

# By primary key of the span, and stage.
PayloadRows = dict[tuple[int, str], Payload]
# A list is the pieces of the compact form.
Body = bytes | PayloadCorrupt | Pieces
Bodies = dict[tuple[int, str], Body]


def document(trace: Trace, numbers: list[int], is_compact: bool = False) -> Iterator[str]:
    """The document in parts; one round is in memory at a time, in the compact form also the
    distinct elements of all rounds."""
    elements = Elements() if is_compact else None
    form = {"form": "compact"} if is_compact else {}
    given = actions.of_trace(trace)
    about = {"feedback": _feedback(given), "actions": _actions(given)}
    head = dump_json({**form, **_head(trace), **about})
    yield head[:-1] + ',"rounds":['
    for place, number in enumerate(numbers):
        yield ("," if place else "") + _round_text(trace, number, elements)
    yield '],"subagents":['
    for place, nested in enumerate(_subagents(trace, numbers)):
        yield ("," if place else "")
        yield from document(nested, round_numbers(nested), is_compact)
    yield "]}"


def documents(traces: Iterable[Trace]) -> Iterator[str]:
    """Several traces as a list of their documents."""
    yield '{"traces":['
    for place, trace in enumerate(traces):
        yield ("," if place else "")
        yield from document(trace, round_numbers(trace))
    yield "]}"


def describe_round(round_: Round, elements: Elements | None = None) -> RoundShape:
    """One round with its generations and tool calls, all stages included."""
    rows = payloads_of([*round_.model_calls, *round_.calls])
    bodies: Bodies = dict(elements.take(rows)) if elements else {}
    bodies |= _load({key: payload for key, payload in rows.items() if key not in bodies})
    new_elements: NewElements = {"elements": elements.new_texts()} if elements else {}
    return {
        **new_elements,
        "number": round_.number,
        "id": str(round_.span.public_id),
        "status": round_.span.status,
        **_times(round_.span),
        **_describe_compactions(round_, rows, bodies),
        "generations": [_describe_generation(span, rows, bodies) for span in round_.generations],
        "tool_calls": [_describe_call(span, bodies) for span in round_.calls],
    }


def _describe_compactions(round_: Round, rows: PayloadRows, bodies: Bodies) -> RoundCompactions:
    shapes: RoundCompactions = {}
    if round_.compactions:
        before = [_describe_compaction(one, rows, bodies) for one in round_.compactions]
        shapes["compactions"] = before
    if round_.after:
        after = [_describe_compaction(one, rows, bodies) for one in round_.after]
        shapes["compactions_after"] = after
    return shapes


def _describe_compaction(
    compaction: Compaction, rows: PayloadRows, bodies: Bodies
) -> CompactionShape:
    span = compaction.span
    return {
        "id": str(span.public_id),
        "status": span.status,
        "error": span.error or None,
        **_times(span),
        **compaction_attributes(span),
        "generations": [_describe_generation(one, rows, bodies) for one in compaction.generations],
    }


def _subagents(trace: Trace, numbers: list[int]) -> list[Trace]:
    """The traces of the subagents that calls of these rounds began."""
    nested = Trace.objects.filter(
        parent__trace=trace, parent__parent__number__in=numbers, kind=Trace.Kind.SUBAGENT
    )
    return list(nested.select_related("archive", "parent").order_by("parent_id", "pk"))


def _feedback(recorded: Sequence[Action]) -> dict[str, str] | None:
    """`rating` (up, down) and `note`."""
    given = feedback.given(recorded)
    return given._asdict() if given else None


def _actions(recorded: Sequence[Action]) -> list[ActionShape]:
    """The actions of people, each with the span that it is about."""
    return [
        {
            "kind": action.kind,
            "at": _time(action.at),
            "user": action.user.get_username() if action.user else None,
            "span": str(action.span.public_id) if action.span else None,
            "detail": action.detail,
        }
        for action in recorded
    ]


def _head(trace: Trace) -> TraceHead:
    attributes = trace_attributes(trace)
    parent: ParentCall = {"call": str(trace.parent.public_id)} if trace.parent else {}
    return {
        "id": str(trace.public_id),
        "name": trace.name,
        "status": trace.status,
        "started": _time(trace.started),
        "ended": _time(trace.ended),
        "conversation": attributes.get("conversation"),
        "turn": attributes.get("turn"),
        "parent": attributes.get("parent"),
        "model": attributes.get("model"),
        **parent,
    }


def _round_text(trace: Trace, number: int, elements: Elements | None) -> str:
    round_ = find_round(trace, number)
    return dump_json(describe_round(round_, elements) if round_ else {"number": number})


def _load(rows: PayloadRows) -> Bodies:
    """All bodies at once; one by one if one is corrupt, so that the others are shown."""
    try:
        bodies = payloads.load_all(list(rows.values()))
        return dict(zip(rows, bodies, strict=True))
    except PayloadCorrupt:
        return {key: _load_or_error(payload) for key, payload in rows.items()}


def _load_or_error(payload: Payload) -> Body:
    try:
        return payloads.load(payload)
    except PayloadCorrupt as error:
        return error


def _describe_generation(span: Span, rows: PayloadRows, bodies: Bodies) -> GenerationShape:
    attributes = generation_attributes(span)
    return {
        "id": str(span.public_id),
        "attempt": span.number,
        "status": span.status,
        "error": span.error or None,
        **_times(span),
        "provider": attributes.get("provider"),
        "base_url": attributes.get("base_url"),
        "model": attributes.get("model"),
        "answering_model": attributes.get("answering_model"),
        "dialect": attributes.get("dialect"),
        "parameters": attributes.get("parameters"),
        "status_code": attributes.get("status_code"),
        "finish_reason": attributes.get("finish_reason"),
        "usage": attributes.get("usage"),
        "timings": attributes.get("timings"),
        "retry_in_ms": attributes.get("retry_in_ms"),
        **_input(bodies.get((span.pk, "input"))),
        "request": _message(span, "request", rows, bodies),
        "response": _message(span, "response", rows, bodies),
        "output": _value(bodies.get((span.pk, "output"))),
    }


def _message(span: Span, stage: str, rows: PayloadRows, bodies: Bodies) -> MessageShape | None:
    """An HTTP message: its attributes, the exact body, its hash, the arrivals of a response."""
    payload = rows.get((span.pk, stage))
    if payload is None:
        return None
    sent_hash: SentHash = {}
    if payload.redacted and payload.sha256_sent is not None:
        sent_hash = {"sha256_sent": bytes(payload.sha256_sent).hex()}
    arrivals: Arrivals = {"chunks": _chunks(payload)} if stage == Payload.Stage.RESPONSE else {}
    return {
        **payload_attributes(payload),
        **_body(bodies[(span.pk, stage)]),
        "size": payload.size,
        "sha256": bytes(payload.sha256).hex(),
        "redacted": payload.redacted,
        **sent_hash,
        **arrivals,
    }


def _chunks(payload: Payload) -> Any:
    try:
        return payloads.read_chunks(payload)
    except PayloadCorrupt as error:
        return {"corrupt": error.reason}


def _describe_call(span: Span, bodies: Bodies) -> CallShape:
    attributes = call_attributes(span)
    return {
        "id": attributes.get("call_id"),
        "span": str(span.public_id),
        "name": span.name,
        "server": attributes.get("server"),
        "tool": attributes.get("tool"),
        "arguments": _text(bodies.get((span.pk, "arguments"))),
        "result": _value(bodies.get((span.pk, "result"))),
        "shown": _text(bodies.get((span.pk, "shown"))),
        "frames": _value(bodies.get((span.pk, "frames"))),
        "stderr": _text(bodies.get((span.pk, "stderr"))),
        "is_error": attributes.get("is_error"),
        "status": span.status,
        "error": span.error or None,
        "task_id": attributes.get("task_id"),
        **_call_extras(attributes),
        "queued": _time(span.created),
        **_times(span),
    }


def _call_extras(attributes: CallAttributes) -> CallExtras:
    extras: CallExtras = {}
    if attributes.get("subagent"):
        extras["subagent"] = attributes["subagent"]
    if attributes.get("skill"):
        extras["skill"] = attributes["skill"]
    if attributes.get("sandbox"):
        extras["sandbox"] = attributes["sandbox"]
    return extras


def _input(body: Body | None) -> InputShape:
    return {"input_pieces": body} if isinstance(body, list) else {"input": _value(body)}


def _body(body: Body) -> BodyShape:
    if isinstance(body, list):
        return {"body_pieces": body}
    if isinstance(body, PayloadCorrupt):
        return {"body": None, "corrupt": body.reason}
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": b64encode(body).decode()}


def _value(body: Body | None) -> Any:
    """The JSON value; the text itself if it is not JSON."""
    text = _text(body)
    try:
        return _decoder.decode(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _text(body: Body | None) -> Any:
    if isinstance(body, PayloadCorrupt):
        return {"corrupt": body.reason}
    if body is None or isinstance(body, list):
        return body
    try:
        # Lone surrogates come from JSON escapes of a model, and are written as escapes again.
        return body.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _times(span: Span) -> TraceTimes:
    return {"started": _time(span.started), "ended": _time(span.ended)}


def _time(moment: datetime | None) -> str | None:
    """ISO 8601, UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds") if moment else None
