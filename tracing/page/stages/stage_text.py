"""A payload as text, JSON or a hexdump: how a stage is shown that has no view of its own."""

from dataclasses import replace

from limits.trace_pages import MAX_STAGE_BYTES
from tracing.formatting import json_text, json_tree
from tracing.formatting.binaries import shorten
from tracing.formatting.text import Clip, decode, is_text
from tracing.models import Payload
from tracing.page.payload import reader
from tracing.page.payload.reader import ReaderOptions
from tracing.page.stages.contents import RawBytes, StageText
from tracing.page.stages.request import fold_unchanged
from tracing.store import payloads
from tracing.store.ranges import Body
from wire.recorded import body_events, data_of


def read_text(payload: Payload) -> StageText | RawBytes:
    """At most the first MAX_STAGE_BYTES of the payload. Raises PayloadCorrupt."""
    is_short = payload.size <= MAX_STAGE_BYTES
    body = payloads.load(payload) if is_short else Body(payload).read(0, MAX_STAGE_BYTES)
    return text_of(payload, body, payload.size)


def read_folded_json(payload: Payload, before: Payload) -> StageText | RawBytes | None:
    """The JSON of a request without the messages that are also in `before`.

    None if there are none. Raises PayloadCorrupt.
    """
    body = fold_unchanged(payload, before)
    if body is None:
        return None
    content = text_of(payload, body)
    return replace(content, is_folded=True) if isinstance(content, StageText) else content


def list_of_events(body: bytes) -> StageText | None:
    """The JSON of all events of a stream as one list; None if it has none, or is too long."""
    events = [data_of(event) for event in body_events(body[:MAX_STAGE_BYTES])]
    if len(body) > MAX_STAGE_BYTES or not events:
        return None
    json_list = b"[" + b",".join(_json_of(event) for event in events) + b"]"
    text = decode(shorten(json_list), MAX_STAGE_BYTES)
    tree = json_tree.tree(text.text)
    return StageText(tree=tree, event_count=len(events)) if tree else None


def text_of(payload: Payload, body: bytes, size: int = 0) -> StageText | RawBytes:
    """The `body` of the payload, or its beginning if the payload has `size` bytes; a hexdump of
    the payload if it is no text."""
    if not is_text(body[:MAX_STAGE_BYTES]):
        return RawBytes(reader.read(payload, ReaderOptions(is_hex=True)))
    short = shorten(body)
    text = decode(short, MAX_STAGE_BYTES)
    if size > len(body):
        text = Clip(text.text, size - len(body))
    if text.hidden:
        return StageText(text, json_text.pretty(text.text))
    tree = json_tree.tree(short.decode(errors="replace"))
    is_json = tree is None and json_text.is_json(text.text)
    markup = json_text.pretty(text.text) if is_json else ""
    is_broken = not (tree or markup) and payload.stage != Payload.Stage.RESPONSE
    return StageText(text, markup, tree, is_broken=is_broken)


def _json_of(event: bytes) -> bytes:
    """The data of an event as JSON; a JSON string for other text, such as `[DONE]`."""
    if json_text.is_json(event.decode(errors="replace")) and event != b"[DONE]":
        return event
    return b'"' + event.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
