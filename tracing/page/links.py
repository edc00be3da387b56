"""Addresses of spans on the trace page, and of places within their payloads.

`?span=<public id>&stage=<stage>` with `find=<text>` or `bytes=<start>-<end>` opens a trace at that
place: the payload's part, with the text or the bytes marked.
"""

from typing import Any
from urllib.parse import urlencode

from db.public_ids import parse_public_id
from tracing.models import Span, Trace
from tracing.models.attributes import generation_attributes


def attempt_of(generation: Span) -> str:
    """The query parameter `attempt`: the number of a model call in its round; the public id for one
    of a summary."""
    is_attempt = generation.parent is None or generation.parent.kind == Span.Kind.ROUND
    return str(generation.number if is_attempt else generation.public_id)


def round_of(span: Span) -> int | None:
    """The number of the round that a span is shown with; None without rounds."""
    parent = span.parent
    if parent is not None and parent.kind == Span.Kind.ROUND:
        return parent.number
    if parent is None or parent.kind != Span.Kind.COMPACTION:
        return None
    rounds = Span.objects.filter(trace=span.trace_id, kind=Span.Kind.ROUND).order_by("pk")
    following = rounds.filter(pk__gt=parent.pk).first() or rounds.last()
    return following.number if following else None


def address(span: Span) -> str:
    """The page at this attempt or call; the page of the trace for other spans."""
    page, number = span.trace.get_absolute_url(), round_of(span)
    if number is None:
        return page
    if span.kind == Span.Kind.TOOL:
        return f"{page}?round={number}#span-{span.public_id}"
    return f"{page}?round={number}&attempt={attempt_of(span)}"


def address_in(
    span: Span, stage: str, find: str = "", between: tuple[int, int] | None = None
) -> str:
    """The page opened at the first match of `find` in this payload of an attempt or a call, or at
    the bytes `between` (end exclusive); `address` for other spans."""
    page, number = span.trace.get_absolute_url(), round_of(span)
    if number is None or span.kind not in (Span.Kind.TOOL, Span.Kind.GENERATION):
        return address(span)
    at = f"{between[0]}-{between[1]}" if between else ""
    place = {"round": number, "span": span.public_id, "stage": stage, "find": find, "bytes": at}
    query = urlencode({name: value for name, value in place.items() if value != ""})
    fragment = f"span-{span.public_id}" if span.kind == Span.Kind.TOOL else f"stage-{stage}"
    return f"{page}?{query}#{fragment}"


def in_round(generation: Span, round_span: Span) -> Span:
    """The generation with its round and trace attached, so that its address needs no query."""
    generation.parent, generation.trace = round_span, round_span.trace
    return generation


def address_of_error(generation: Span) -> str:
    """The page opened at the bytes of the error in the response of this model call, else at the
    response; at the attempt if there is no response."""
    attributes = generation_attributes(generation)
    if not attributes.get("status_code"):
        return address(generation)
    return address_in(generation, "response", between=_range(attributes.get("error_bytes")))


def _range(pair: Any) -> tuple[int, int] | None:
    known = isinstance(pair, list) and len(pair) == 2 and all(type(at) is int for at in pair)
    return (pair[0], pair[1]) if known and 0 <= pair[0] < pair[1] else None


def find_span(trace: Trace, text: str) -> Span | None:
    """The span of this trace with the public id `text`."""
    spans = trace.spans.select_related("trace", "parent")
    public_id = parse_public_id(text)
    return spans.filter(public_id=public_id).first() if public_id else None
