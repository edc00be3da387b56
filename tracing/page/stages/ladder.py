"""Reads the stage ladder of a generation: input, request, response and output."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db.fields import dump_json
from limits.trace_pages import MAX_READ_STAGE_BYTES, MAX_UNPACKED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.journal.trace_rounds import StoredPayloads
from tracing.models import Payload, Span
from tracing.models.attributes import payload_attributes
from tracing.page.payload import reader
from tracing.page.payload.reader import ReaderOptions
from tracing.page.stages import (
    dialect_text,
    output_origins,
    product_text,
    response_events,
    side_by_side,
    stage_text,
)
from tracing.page.stages.contents import (
    Damaged,
    Missing,
    PromptSlot,
    RawBytes,
    Stage,
    StageContent,
)
from tracing.page.stages.messages import MessageView
from tracing.page.stages.output_origins import Marks
from tracing.page.stages.request import Item, RequestView, read_request_view
from tracing.page.stages.response import output_view, read_output, response_view
from tracing.page.view_options import NAMES, TraceViewOptions
from tracing.store import payloads
from tracing.store.encodings import decode_content
from wire.recorded import RecordedResponse, read_response

# Dialects whose request can be shown as the text that a model finally reads.
PROMPTED = ("native", "nous")


def read_stages(
    generation: Span,
    before: Span | None,
    stored: StoredPayloads,
    options: TraceViewOptions,
    layers: Collection[str] = (),
) -> list[Stage]:
    """The four stages, with changes since the generation `before`; `layers` are those of the
    compactions between the two."""
    earlier = {name: stored.get((before.pk, name)) for name in NAMES} if before else {}
    own = {name: stored.get((generation.pk, name)) for name in NAMES}
    contents: dict[str, StageContent] = {}
    for name in ("input", "request"):
        contents[name] = _read_given(name, own, earlier.get(name), options, layers)
    contents.update(_link(contents["input"], contents["request"]))
    contents.update(_read_answer(own["response"], own["output"], options))
    return [
        Stage(name, _view(payload, name, options), payload, contents[name])
        for name, payload in own.items()
    ]


def _view(payload: Payload | None, name: str, options: TraceViewOptions) -> str:
    """The view that is asked for; `raw` for what is too large for any other."""
    view = options.of(name)
    is_large = payload is not None and payload.size > MAX_READ_STAGE_BYTES
    return "raw" if is_large and view != "prompt" else view


def _raw_bytes(payload: Payload, options: TraceViewOptions) -> RawBytes:
    is_elsewhere = options.opened not in ("", payload.stage)
    at = ReaderOptions() if is_elsewhere else options.reader_options()
    return RawBytes(reader.read(payload, at))


def _read_given(
    name: str,
    own: Mapping[str, Payload | None],
    before: Payload | None,
    options: TraceViewOptions,
    layers: Collection[str],
) -> StageContent:
    """The content of `input` or `request`, with changes since `before`."""
    payload, view = own[name], _view(own[name], name, options)
    if payload is None:
        return Missing()
    if view == "raw":
        return _raw_bytes(payload, options)
    if view == "prompt":
        return PromptSlot()
    try:
        return _read_messages(payload, view, own["input"], before, options, layers)
    except PayloadCorrupt as error:
        return Damaged(error.reason)


def _read_messages(
    payload: Payload,
    view: str,
    meant: Payload | None,
    before: Payload | None,
    options: TraceViewOptions,
    layers: Collection[str],
) -> StageContent:
    """The view `messages`, `beside` or `json`; text if the payload cannot be shown so."""
    unfold = options.unfold == payload.stage
    content: StageContent | None = None
    if view == "json":
        if before is not None and not unfold:
            content = stage_text.read_folded_json(payload, before)
        return content or stage_text.read_text(payload)
    if view == "beside" and meant is not None:
        content = side_by_side.read_side_by_side(meant, payload, options.page)
    content = content or read_request_view(payload, before, unfold, options.page, layers)
    return content or stage_text.read_text(payload)


def _link(meant: StageContent, sent: StageContent) -> dict[str, StageContent]:
    """Marks the dialect's and the product's own text in the request, and links each message of the
    input to those of the request that it became."""
    if not (isinstance(meant, RequestView) and isinstance(sent, RequestView)):
        return {}
    items = product_text.annotate(dialect_text.annotate(sent.items, meant.items), meant.items)
    sent = replace(sent, items=items)
    if sent.entries == meant.entries:
        return {"request": sent}
    forth, back = side_by_side.linked(meant.entries, sent.entries)
    return {
        "input": replace(meant, items=_with_messages(meant.items, iter(forth))),
        "request": replace(sent, items=_with_messages(sent.items, iter(back))),
    }


def _with_messages(items: Sequence[Item], messages: Iterator[MessageView]) -> list[Item]:
    return [next(messages) if isinstance(item, MessageView) else item for item in items]


@dataclass(frozen=True)
class _LoadedStage:
    payload: Payload
    view: str
    body: bytes


def _read_answer(
    response: Payload | None, output: Payload | None, options: TraceViewOptions
) -> dict[str, StageContent]:
    """The contents of `response` and `output`; each body is read once, since both need both."""
    sent, meant = _load(response, "response", options), _load(output, "output", options)
    value = read_output(meant.body) if isinstance(meant, _LoadedStage) else None
    recorded = RecordedResponse()
    if isinstance(sent, _LoadedStage) and sent.view == "messages":
        recorded = read_response(sent.body, dump_json)
    is_marked = _view(output, "output", options) == "messages"
    marks = output_origins.read_marks(value, recorded.parts) if is_marked else Marks()
    return {
        "response": _response_content(sent, recorded, marks, options.part)
        if isinstance(sent, _LoadedStage)
        else sent,
        "output": _output_content(meant, value, marks)
        if isinstance(meant, _LoadedStage)
        else meant,
    }


def _response_content(
    stage: _LoadedStage, recorded: RecordedResponse, marks: Marks, part: int
) -> StageContent:
    content: StageContent | None = None
    if stage.view == "chunks":
        content = response_events.read(stage.payload, stage.body, part)
    elif stage.view == "messages":
        content = response_view(recorded, marks)
    elif stage.view == "json":
        content = stage_text.list_of_events(stage.body)
    return content or stage_text.text_of(stage.payload, stage.body)


def _output_content(stage: _LoadedStage, value: Any, marks: Marks) -> StageContent:
    if value is not None and stage.view == "messages":
        return output_view(value, marks, len(stage.body))
    return stage_text.text_of(stage.payload, stage.body)


def _load(
    payload: Payload | None, name: str, options: TraceViewOptions
) -> _LoadedStage | Missing | RawBytes | Damaged:
    """A response is decompressed, except for the view `chunks`, whose offsets are those of the
    bytes as received."""
    view = _view(payload, name, options)
    if payload is None:
        return Missing()
    if view == "raw":
        return _raw_bytes(payload, options)
    try:
        body = payloads.load(payload)
    except PayloadCorrupt as error:
        return Damaged(error.reason)
    if name == "response" and view != "chunks":
        headers = payload_attributes(payload).get("headers") or ()
        body = decode_content(body, headers, MAX_UNPACKED_STAGE_BYTES)
    return _LoadedStage(payload, view, body)
