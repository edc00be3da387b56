"""Traces as one cassette: requests and responses of models, results of tools, and their times.

The format is described in `docs/cassettes.md`; `chat.cassettes` reads it. Secrets were replaced
when the trace was recorded; of the headers only those are kept that a client acts on.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from db.fields import dump_json
from tracing.export import trace_json
from tracing.export.cassette_shapes import (
    BranchShape,
    ExactBody,
    OpeningShape,
    RecordedCall,
    RecordedCompaction,
    RecordedCompactions,
    RecordedGeneration,
    RecordedRequest,
    RecordedResponse,
    RecordedRound,
)
from tracing.export.json_shapes import (
    CallShape,
    CompactionShape,
    GenerationShape,
    MessageShape,
    RoundShape,
)
from tracing.journal.trace_rounds import Compaction, Round, find_round, round_numbers
from tracing.models import Span, Trace
from tracing.models.attributes import (
    GenerationAttributes,
    call_attributes,
    compaction_attributes,
    generation_attributes,
    trace_attributes,
)

FORMAT = "roundtrip-cassette"
VERSION = 1
KEPT_HEADERS = frozenset({"content-type", "content-encoding", "retry-after", "retry-after-ms"})


def export(traces: Iterable[Trace], name: str = "") -> Iterator[str]:
    """The file in parts of text; one round is in memory at a time. Its name is that of the first
    trace, unless one is given. After a turn come the turns of its subagents."""
    place = -1
    for place, trace in enumerate(_with_subagents(traces)):
        yield "," if place else _head(name or trace.name)
        yield from _turn(trace)
    yield ("" if place >= 0 else _head(name)) + "]}\n"


def file_name(name: str) -> str:
    """The file name for browsers: the letters and digits of the name."""
    words = "".join(letter if letter.isalnum() else " " for letter in name).split()
    return f"{'-'.join(words)[:60] or 'trace'}.cassette.json"


def _with_subagents(traces: Iterable[Trace]) -> Iterator[Trace]:
    """Each trace once, also if a subagent's is among them."""
    seen_ids: set[int] = set()
    for trace in traces:
        group = [] if trace.pk in seen_ids else [trace, *_subagents(trace)]
        yield from group
        seen_ids.update(one.pk for one in group)


def _subagents(trace: Trace) -> Iterator[Trace]:
    """The traces of its subagents, each followed by those of its own."""
    nested = Trace.objects.filter(parent__trace=trace, kind=Trace.Kind.SUBAGENT)
    for one in nested.select_related("archive", "parent").order_by("parent_id", "pk"):
        yield one
        yield from _subagents(one)


def _head(name: str) -> str:
    exported = datetime.now(UTC).isoformat(timespec="seconds")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "source": {"product": "Roundtrip", "exported": exported},
    }
    return dump_json(head)[:-1] + ',"turns":['


def _turn(trace: Trace) -> Iterator[str]:
    head = {
        "trace": str(trace.public_id),
        "name": trace.name,
        "kind": trace.kind,
        "status": trace.status,
        **({"call": str(trace.parent.public_id)} if trace.parent else {}),
        **_branch(trace),
    }
    is_first = True
    tools: Any = None
    for number in round_numbers(trace):
        round_ = find_round(trace, number)
        if round_ is None:
            continue
        shape = trace_json.describe_round(round_)
        if is_first:
            yield dump_json(head | {"opening": _opening(shape)})[:-1] + ',"rounds":['
        offer = _offered_tools(shape)
        change = {} if is_first or offer in (None, tools) else {"tools": offer}
        yield ("" if is_first else ",") + dump_json({**_record_round(round_, shape), **change})
        is_first, tools = False, offer or tools
    yield (dump_json(head | {"opening": None})[:-1] + ',"rounds":[' if is_first else "") + "]}"


def _branch(trace: Trace) -> BranchShape:
    """The turn, and the one that it follows on its branch; nothing of what is no turn, or older
    than branches."""
    attributes = trace_attributes(trace)
    if "turn" not in attributes or "parent" not in attributes:
        return {}
    return {"turn": attributes["turn"], "parent": attributes["parent"]}


def _first_input(shape: RoundShape) -> Any:
    """The canonical input of the first attempt; None without one."""
    first = next(iter(shape["generations"]), None)
    return first and first["input"]


def _opening(shape: RoundShape) -> OpeningShape | None:
    value = _first_input(shape)
    if not isinstance(value, dict) or "messages" not in value:
        return None
    return {"messages": value["messages"], "tools": value.get("tools", [])}


def _offered_tools(shape: RoundShape) -> list[Any] | None:
    """The tools in canonical form; None if they are not known."""
    value = _first_input(shape)
    return value.get("tools", []) if isinstance(value, dict) else None


def _record_round(round_: Round, shape: RoundShape) -> RecordedRound:
    calls = zip(round_.calls, shape["tool_calls"], strict=True)
    return {
        "number": round_.number,
        **_record_compactions(round_, shape),
        "generations": _record_generations(round_.generations, shape["generations"]),
        "tool_calls": [_record_call(span, call) for span, call in calls],
    }


def _record_compactions(round_: Round, shape: RoundShape) -> RecordedCompactions:
    pairs = zip(round_.compactions, shape.get("compactions", []), strict=True)
    compactions = [_record_compaction(one, compaction) for one, compaction in pairs]
    return {"compactions": compactions} if compactions else {}


def _record_compaction(compaction: Compaction, shape: CompactionShape) -> RecordedCompaction:
    return {
        "layer": compaction_attributes(compaction.span).get("layer") or compaction.span.name,
        "status": compaction.span.status,
        "generations": _record_generations(compaction.generations, shape["generations"]),
    }


def _record_generations(
    spans: Iterable[Span], shapes: Iterable[GenerationShape]
) -> list[RecordedGeneration]:
    """The attempts whose request was sent and is not damaged."""
    return [
        _record_generation(span, shape, shape["request"])
        for span, shape in zip(spans, shapes, strict=True)
        if shape["request"] is not None and "corrupt" not in shape["request"]
    ]


def _record_generation(
    span: Span, shape: GenerationShape, request: MessageShape
) -> RecordedGeneration:
    attributes = generation_attributes(span)
    return {
        "attempt": span.number,
        "status": span.status,
        "error_kind": attributes.get("error_kind"),
        "provider": shape["provider"],
        "host": urlsplit(shape["base_url"] or "").netloc.rpartition("@")[2],
        "protocol": _protocol(request),
        "model": shape["model"],
        "dialect": shape["dialect"],
        "parameters": shape["parameters"] or {},
        "settings": _settings(attributes),
        "request": _record_request(request),
        "response": _record_response(shape["response"]),
    }


def _settings(attributes: GenerationAttributes) -> dict[str, Any]:
    """The settings beside the parameters that shape a request; the context window limits how long
    a result may be."""
    window = attributes.get("context_window")
    return {**(attributes.get("settings") or {}), **({"context_window": window} if window else {})}


def _protocol(request: MessageShape) -> str:
    return "anthropic" if _path(request).endswith("/messages") else "openai"


def _path(request: MessageShape) -> str:
    return urlsplit(request.get("url", "")).path


def _record_request(message: MessageShape) -> RecordedRequest:
    return {
        "method": message.get("method", "POST"),
        "path": _path(message),
        **_exact_body(message),
    }


def _record_response(message: MessageShape | None) -> RecordedResponse | None:
    if message is None or "corrupt" in message:
        return None
    headers = [[name, value] for name, value in message["headers"] if name.lower() in KEPT_HEADERS]
    chunks = message["chunks"] if isinstance(message["chunks"], list) else []
    return {
        "status": message["status"],
        "headers": headers,
        **_exact_body(message),
        "chunks": _fit_chunks(chunks, message["size"]),
    }


def _exact_body(message: MessageShape) -> ExactBody:
    body: ExactBody = {}
    if "body" in message:
        body["body"] = message["body"]
    if "body_base64" in message:
        body["body_base64"] = message["body_base64"]
    return body


def _fit_chunks(chunks: list[tuple[float, int]], size: int) -> list[list[float]]:
    """The arrivals with lengths that add up to the body: replaced secrets changed its length."""
    arrivals: list[list[float]] = []
    for at, length in chunks:
        part = min(length, size)
        size -= part
        arrivals.append([at, part])
    if size and not arrivals:
        arrivals.append([0.0, 0])
    if size:
        arrivals[-1][1] += size
    return arrivals


def _record_call(span: Span, shape: CallShape) -> RecordedCall:
    attributes = call_attributes(span)
    elapsed = span.ended - span.started if span.started and span.ended else None
    return {
        "id": shape["id"],
        "span": shape["span"],
        "name": shape["name"],
        "arguments": shape["arguments"],
        "edited_arguments": attributes.get("edited_arguments"),
        "result": shape["result"],
        "shown": shape["shown"],
        "is_error": bool(shape["is_error"]),
        "status": shape["status"],
        "error": shape["error"],
        "denied_by": attributes.get("denied_by"),
        "duration_ms": None if elapsed is None else round(elapsed.total_seconds() * 1000, 3),
    }
