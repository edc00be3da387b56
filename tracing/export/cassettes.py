"""Traces as one cassette: what models were sent and answered, what tools gave, and when.

The file's form is described in `docs/cassettes.md`; `chat.cassettes` reads it. Secrets were
replaced when the trace was recorded; of the headers only those are kept that somebody acts on.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from db.fields import dump_json
from tracing.export import trace_json as whole
from tracing.journal.trace_rounds import Compaction, Round, find_round, round_numbers
from tracing.models import Span, Trace
from tracing.models.attributes import (
    GenerationAttributes,
    call_attributes,
    compaction_attributes,
    generation_attributes,
)

FORMAT = "roundtrip-cassette"
VERSION = 1
KEPT_HEADERS = frozenset({"content-type", "content-encoding", "retry-after", "retry-after-ms"})

Described = dict[str, Any]


def export(traces: Iterable[Trace], name: str = "") -> Iterator[str]:
    """The file in pieces of text; one round is in memory at a time. Its name is the first trace's,
    unless one is given. A turn is followed by those of its subagents."""
    place = -1
    for place, trace in enumerate(_with_subagents(traces)):
        yield "," if place else _head(name or trace.name)
        yield from _turn(trace)
    yield ("" if place >= 0 else _head(name)) + "]}\n"


def file_name(name: str) -> str:
    """What a browser saves it as: the name's letters and digits."""
    words = "".join(letter if letter.isalnum() else " " for letter in name).split()
    return f"{'-'.join(words)[:60] or 'trace'}.cassette.json"


def _with_subagents(traces: Iterable[Trace]) -> Iterator[Trace]:
    """Each once, also if a subagent's was asked for beside that of its turn."""
    seen_ids: set[int] = set()
    for trace in traces:
        group = [] if trace.pk in seen_ids else [trace, *_subagents(trace)]
        yield from group
        seen_ids.update(one.pk for one in group)


def _subagents(trace: Trace) -> Iterator[Trace]:
    """Those of its subagents, and of theirs."""
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
    }
    is_first = True
    tools: Any = None
    for number in round_numbers(trace):
        round_ = find_round(trace, number)
        if round_ is None:
            continue
        described = whole.describe_round(round_)
        if is_first:
            yield dump_json(head | {"opening": _opening(described)})[:-1] + ',"rounds":['
        offered = _offered(described)
        changed = {} if is_first or offered in (None, tools) else {"tools": offered}
        yield ("" if is_first else ",") + dump_json(_round(round_, described) | changed)
        is_first, tools = False, offered or tools
    yield (dump_json(head | {"opening": None})[:-1] + ',"rounds":[' if is_first else "") + "]}"


def _opening(described: Described) -> Described | None:
    """What was meant by the first request: the history with its question, and the tools."""
    first = next(iter(described["generations"]), None)
    meant = first and first["input"]
    if not isinstance(meant, dict) or "messages" not in meant:
        return None
    return {"messages": meant["messages"], "tools": meant.get("tools", [])}


def _offered(described: Described) -> list[Any] | None:
    """The tools in canonical form; None if that is not known."""
    first = next(iter(described["generations"]), None)
    meant = first and first["input"]
    return meant.get("tools", []) if isinstance(meant, dict) else None


def _round(round_: Round, described: Described) -> Described:
    generations = zip(round_.generations, described["generations"], strict=True)
    calls = zip(round_.calls, described["tool_calls"], strict=True)
    made = zip(round_.compactions, described.get("compactions", []), strict=True)
    compactions = [_compaction(one, description) for one, description in made]
    return {
        "number": round_.number,
        **({"compactions": compactions} if compactions else {}),
        "generations": [
            _generation(span, description)
            for span, description in generations
            if _was_sent(description["request"])
        ],
        "tool_calls": [_call(span, description) for span, description in calls],
    }


def _compaction(compaction: Compaction, described: Described) -> Described:
    generations = zip(compaction.generations, described["generations"], strict=True)
    return {
        "layer": compaction_attributes(compaction.span).get("layer") or compaction.span.name,
        "status": compaction.span.status,
        "generations": [
            _generation(span, description)
            for span, description in generations
            if _was_sent(description["request"])
        ],
    }


def _was_sent(request: Described | None) -> bool:
    """Whether there is a request; one whose bytes are damaged is none."""
    return request is not None and "corrupt" not in request


def _generation(span: Span, description: Described) -> Described:
    attributes = generation_attributes(span)
    return {
        "attempt": span.number,
        "status": span.status,
        "error_kind": attributes.get("error_kind"),
        "provider": description["provider"],
        "host": urlsplit(description["base_url"] or "").netloc.rpartition("@")[2],
        "protocol": _protocol(description["request"]),
        "model": description["model"],
        "dialect": description["dialect"],
        "parameters": description["parameters"] or {},
        "settings": _settings(attributes),
        "request": _request(description["request"]),
        "response": _response(description["response"]),
    }


def _settings(attributes: GenerationAttributes) -> Described:
    """What else decides how a request is written; a long result is cut by the window's size."""
    window = attributes.get("context_window")
    return {**(attributes.get("settings") or {}), **({"context_window": window} if window else {})}


def _protocol(request: Described) -> str:
    return "anthropic" if _path(request).endswith("/messages") else "openai"


def _path(request: Described) -> str:
    return urlsplit(request.get("url", "")).path


def _request(description: Described) -> Described:
    return {
        "method": description.get("method", "POST"),
        "path": _path(description),
        **_body(description),
    }


def _response(description: Described | None) -> Described | None:
    if description is None or "corrupt" in description:
        return None
    headers = [
        [name, value] for name, value in description["headers"] if name.lower() in KEPT_HEADERS
    ]
    chunks = description["chunks"] if isinstance(description["chunks"], list) else []
    return {
        "status": description["status"],
        "headers": headers,
        **_body(description),
        "chunks": _fitting(chunks, description["size"]),
    }


def _body(description: Described) -> Described:
    return {key: description[key] for key in ("body", "body_base64") if key in description}


def _fitting(chunks: list[tuple[float, int]], size: int) -> list[list[float]]:
    """The arrivals, so that their lengths make up the body: a replaced secret changed some."""
    fitting: list[list[float]] = []
    for at, length in chunks:
        taken = min(length, size)
        size -= taken
        fitting.append([at, taken])
    if size and not fitting:
        fitting.append([0.0, 0])
    if size:
        fitting[-1][1] += size
    return fitting


def _call(span: Span, description: Described) -> Described:
    attributes = call_attributes(span)
    took = span.ended - span.started if span.started and span.ended else None
    return {
        "id": description["id"],
        "span": description["span"],
        "name": description["name"],
        "arguments": description["arguments"],
        "edited_arguments": attributes.get("edited_arguments"),
        "result": description["result"],
        "shown": description["shown"],
        "is_error": bool(description["is_error"]),
        "status": description["status"],
        "error": description["error"],
        "denied_by": attributes.get("denied_by"),
        "duration_ms": took and round(took.total_seconds() * 1000, 3),
    }
