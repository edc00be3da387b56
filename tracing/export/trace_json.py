"""A trace as one JSON document: every stage of every round, exactly, what was left out of the
context between them, and the same of the subagents that its calls began."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from db.fields import dump_json
from tracing.errors import PayloadCorrupt
from tracing.export.compact_json import Elements, Pieces
from tracing.journal import actions
from tracing.journal.trace_rounds import Compaction, Round, find_round, payloads_of, round_numbers
from tracing.models import Payload, Span, Trace
from tracing.models.attributes import call_attributes, generation_attributes, trace_attributes
from tracing.store import payloads

# What Python reads beyond JSON stays text, so that the document is JSON.
_decoder = json.JSONDecoder(
    parse_constant=str,
    parse_float=lambda text: float(text) if isfinite(float(text)) else text,
)

Stored = dict[tuple[int, str], Payload]
# A list: the pieces of the compact form.
Loaded = bytes | PayloadCorrupt | Pieces
Bodies = dict[tuple[int, str], Loaded]


def document(trace: Trace, numbers: list[int], is_compact: bool = False) -> Iterator[str]:
    """The document in pieces; one round is in memory at a time, and in the compact form all that
    is different between the rounds."""
    elements = Elements() if is_compact else None
    form = {"form": "compact"} if is_compact else {}
    head = dump_json({**form, **_head(trace), "actions": _actions(trace)})
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


def describe_round(round_: Round, elements: Elements | None = None) -> dict[str, Any]:
    """One round with its generations and tool calls, all stages included."""
    stored = payloads_of([*round_.model_calls, *round_.calls])
    bodies: Bodies = dict(elements.take(stored)) if elements else {}
    bodies |= _load({key: payload for key, payload in stored.items() if key not in bodies})
    made = {
        name: [_compaction(one, stored, bodies) for one in some]
        for name, some in (("compactions", round_.compactions), ("compactions_after", round_.after))
    }
    return {
        **({"elements": elements.fresh()} if elements else {}),
        "number": round_.number,
        "id": str(round_.span.public_id),
        "status": round_.span.status,
        **_times(round_.span),
        **{name: some for name, some in made.items() if some},
        "generations": [_generation(span, stored, bodies) for span in round_.generations],
        "tool_calls": [_call(span, bodies) for span in round_.calls],
    }


def _compaction(compaction: Compaction, stored: Stored, bodies: Bodies) -> dict[str, Any]:
    """What was left out, as its span notes it, and the model calls of a summary."""
    span = compaction.span
    return {
        "id": str(span.public_id),
        "status": span.status,
        "error": span.error or None,
        **_times(span),
        **span.attributes,
        "generations": [_generation(one, stored, bodies) for one in compaction.generations],
    }


def _subagents(trace: Trace, numbers: list[int]) -> list[Trace]:
    """What the calls of these rounds began."""
    nested = Trace.objects.filter(
        parent__trace=trace, parent__parent__number__in=numbers, kind=Trace.Kind.SUBAGENT
    )
    return list(nested.select_related("archive", "parent").order_by("parent_id", "pk"))


def _actions(trace: Trace) -> list[dict[str, Any]]:
    """What people did, and to which of the spans."""
    return [
        {
            "kind": action.kind,
            "at": _time(action.at),
            "user": action.user.get_username() if action.user else None,
            "span": str(action.span.public_id) if action.span else None,
            "detail": action.detail,
        }
        for action in actions.of_trace(trace)
    ]


def _head(trace: Trace) -> dict[str, Any]:
    return {
        "id": str(trace.public_id),
        "name": trace.name,
        "status": trace.status,
        "started": _time(trace.started),
        "ended": _time(trace.ended),
        **{key: trace_attributes(trace).get(key) for key in ("conversation", "turn", "model")},
        **({"call": str(trace.parent.public_id)} if trace.parent else {}),
    }


def _round_text(trace: Trace, number: int, elements: Elements | None) -> str:
    round_ = find_round(trace, number)
    return dump_json(describe_round(round_, elements) if round_ else {"number": number})


def _load(stored: Stored) -> Bodies:
    """All bodies at once; one by one where something is corrupt, so that the rest is shown."""
    try:
        bodies = payloads.load_all(list(stored.values()))
        return dict(zip(stored, bodies, strict=True))
    except PayloadCorrupt:
        return {key: _load_or_error(payload) for key, payload in stored.items()}


def _load_or_error(payload: Payload) -> Loaded:
    try:
        return payloads.load(payload)
    except PayloadCorrupt as error:
        return error


def _generation(span: Span, stored: Stored, bodies: Bodies) -> dict[str, Any]:
    attributes = generation_attributes(span)
    names = ("provider", "base_url", "model", "answering_model", "dialect", "parameters")
    outcomes = ("status_code", "finish_reason", "usage", "timings", "retry_in_ms")
    return {
        "id": str(span.public_id),
        "attempt": span.number,
        "status": span.status,
        "error": span.error or None,
        **_times(span),
        **{name: attributes.get(name) for name in (*names, *outcomes)},
        **_input(bodies.get((span.pk, "input"))),
        "request": _message(span, "request", stored, bodies),
        "response": _message(span, "response", stored, bodies),
        "output": _value(bodies.get((span.pk, "output"))),
    }


def _message(span: Span, stage: str, stored: Stored, bodies: Bodies) -> dict[str, Any] | None:
    """An HTTP message: what was noted of it, the exact body, its hash, arrivals of a response."""
    payload = stored.get((span.pk, stage))
    if payload is None:
        return None
    message = {
        **payload.attributes,
        **_body(bodies[(span.pk, stage)]),
        "size": payload.size,
        "sha256": bytes(payload.sha256).hex(),
        "redacted": payload.redacted,
    }
    if payload.redacted and payload.sha256_sent is not None:
        message["sha256_sent"] = bytes(payload.sha256_sent).hex()
    if stage == Payload.Stage.RESPONSE:
        message["chunks"] = _chunks(payload)
    return message


def _chunks(payload: Payload) -> Any:
    try:
        return payloads.read_chunks(payload)
    except PayloadCorrupt as error:
        return {"corrupt": error.reason}


def _call(span: Span, bodies: Bodies) -> dict[str, Any]:
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
        **{
            name: attributes[name]
            for name in ("subagent", "skill", "sandbox")
            if attributes.get(name)
        },
        "queued": _time(span.created),
        **_times(span),
    }


def _input(body: Loaded | None) -> dict[str, Any]:
    return {"input_pieces": body} if isinstance(body, list) else {"input": _value(body)}


def _body(body: Loaded) -> dict[str, Any]:
    if isinstance(body, list):
        return {"body_pieces": body}
    if isinstance(body, PayloadCorrupt):
        return {"body": None, "corrupt": body.reason}
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": b64encode(body).decode()}


def _value(body: Loaded | None) -> Any:
    """The JSON value; the text itself where it is none."""
    text = _text(body)
    try:
        return _decoder.decode(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _text(body: Loaded | None) -> Any:
    if isinstance(body, PayloadCorrupt):
        return {"corrupt": body.reason}
    if body is None or isinstance(body, list):
        return body
    try:
        # Lone surrogates come from JSON escapes of a model, and are written as such again.
        return body.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _times(span: Span) -> dict[str, str | None]:
    return {"started": _time(span.started), "ended": _time(span.ended)}


def _time(moment: datetime | None) -> str | None:
    """ISO 8601, UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds") if moment else None
