"""What of a trace is searched: the question, what was said and thought, tools, results, errors.

Bounded: the question and the last answer nearly whole, of everything else the beginnings, the first
rounds before the later ones.
"""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from tracing import payloads
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span, Trace
from tracing.prepared import Given, Select
from tracing.search import index

# Characters.
MOST = 20_000
_MOST_OF_ONE = 1_500
_MOST_OF_FIRST = 6_000
# Bytes: what is larger is not opened to read its beginning.
_LARGEST = 2_000_000
_AT_ONCE = 40
_SAID = (Payload.Stage.OUTPUT, Payload.Stage.ARGUMENTS, Payload.Stage.SHOWN)


def _payloads() -> Any:
    rows = Payload.objects.filter(span__trace=Given("trace"), size__lte=_LARGEST)
    return rows.select_related("span__trace").defer("chunks", "attributes")


def _said() -> Any:
    """Not those of a summary: it quotes what was said before the turn."""
    return _payloads().exclude(span__parent__kind=Span.Kind.COMPACTION)


_FIRST_INPUT = Select(lambda: _said().filter(stage=Payload.Stage.INPUT).order_by("span_id")[:1])
_LAST_OUTPUT = Select(lambda: _said().filter(stage=Payload.Stage.OUTPUT).order_by("-span_id")[:1])
_NEXT = Select(
    lambda: (
        _payloads()
        .filter(stage__in=_SAID)
        .filter(Q(span_id=Given("span"), pk__gt=Given("after")) | Q(span_id__gt=Given("span")))
        .order_by("span_id", "id")[:_AT_ONCE]
    )
)
_NAMES = Select(
    lambda: (
        Span.objects.filter(trace=Given("trace"), kind__in=[Span.Kind.GENERATION, Span.Kind.TOOL])
        .order_by("name")
        .values_list("name", flat=True)
        .distinct()[:50]
    )
)
_ERRORS = Select(
    lambda: (
        Span.objects.filter(trace=Given("trace"), error__gt="")
        .order_by("id")
        .values_list("error", flat=True)[:20]
    )
)


def index_trace(trace: Trace) -> None:
    """Makes a trace found by what is in it now."""
    index.write({trace.pk: collect(trace)})


def collect(trace: Trace) -> str:
    """The texts, one after the other, at most `MOST` characters."""
    texts, length = [], 0
    for text in _pieces(trace):
        kept = text[: MOST - length]
        texts.append(kept)
        length += len(kept) + 1
        if length >= MOST:
            break
    return "\n".join(dict.fromkeys(texts))


def _pieces(trace: Trace) -> Iterator[str]:
    yield trace.name
    yield _question(trace)
    yield _answer(trace)
    yield from _labels(trace)
    span = after = 0
    while some := _NEXT.all(trace=trace.pk, span=span, after=after):
        for payload in some:
            yield _beginning(payload, _MOST_OF_ONE)
        span, after = some[-1].span_id, some[-1].pk


def _labels(trace: Trace) -> Iterator[str]:
    """Names of tools and models, and the sentences of errors, each once."""
    yield " ".join(_NAMES.all(trace=trace.pk))
    yield from (error[:_MOST_OF_ONE] for error in dict.fromkeys(_ERRORS.all(trace=trace.pk)))


def _question(trace: Trace) -> str:
    """The last message of a person in the first request."""
    first = _FIRST_INPUT.first(trace=trace.pk)
    if first is None:
        return ""
    try:
        ordinals = payloads.read_manifest(first).section("messages")[-4:]
        blobs = payloads.load_blobs(trace.archive_id, ordinals)
    except PayloadCorrupt:
        return ""
    messages = [_json(blobs[ordinal]) for ordinal in ordinals if ordinal in blobs]
    said = [item for item in messages if isinstance(item, dict) and item.get("role") == "user"]
    return _text(said[-1].get("content"))[:_MOST_OF_FIRST] if said else ""


def _answer(trace: Trace) -> str:
    payload = _LAST_OUTPUT.first(trace=trace.pk)
    return _beginning(payload, _MOST_OF_FIRST) if payload else ""


def _beginning(payload: Payload, most: int) -> str:
    try:
        body = payloads.load(payload)
    except PayloadCorrupt:
        return ""
    if payload.stage != Payload.Stage.OUTPUT:
        return body[: 4 * most].decode(errors="replace")[:most]
    output = _json(body)
    message = output.get("message") if isinstance(output, dict) else None
    if not isinstance(message, dict):
        return ""
    said = (message.get("content"), message.get("refusal"), message.get("reasoning_content"))
    return "\n".join(filter(None, map(_text, said)))[:most]


def _text(content: Any) -> str:
    """Of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
