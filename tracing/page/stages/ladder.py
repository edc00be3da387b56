"""The stage ladder of a generation on the trace page: input, request, response, output."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.safestring import SafeString

from db.fields import dump_json
from limits.trace_pages import MAX_READ_STAGE_BYTES, MAX_STAGE_BYTES, MAX_UNPACKED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.formatting import json_text, json_tree
from tracing.formatting.binaries import shorten
from tracing.formatting.text import Clip, decode, is_text
from tracing.journal.trace_rounds import payloads_of
from tracing.models import Payload, Span
from tracing.models.attributes import payload_attributes
from tracing.page.payload import reader as reading
from tracing.page.payload.reader import Reader
from tracing.page.stages import (
    dialect_text,
    output_origins,
    product_text,
    response_events,
    side_by_side,
)
from tracing.page.stages.messages import MessageView
from tracing.page.stages.output_origins import Marks
from tracing.page.stages.request import RequestView, fold_unchanged, read_request_view
from tracing.page.stages.response import (
    OutputView,
    ResponseView,
    output_view,
    read_output,
    response_view,
)
from tracing.page.stages.response_events import ResponseEvents
from tracing.page.stages.side_by_side import SideBySide
from tracing.page.view_options import NAMES, TraceViewOptions
from tracing.store import payloads
from tracing.store.encodings import unpacked
from tracing.store.ranges import Body
from wire.recorded import RecordedResponse, body_events, data_of, read_response

# Dialects whose request can be shown as the text that a model finally reads.
PROMPTED = ("native", "nous")


@dataclass
class Stage:
    """A column of the ladder. It shows one of `request`, `side_by_side`, `response`, `output`,
    `event_page` and `reader`, else `text`, with `tree` if that is JSON.

    With the view `prompt` none is set: the prompt is rendered by another view.
    """

    name: str
    view: str = "messages"
    payload: Payload | None = None
    problem: str = ""
    request: RequestView | None = None
    side_by_side: SideBySide | None = None
    response: ResponseView | None = None
    output: OutputView | None = None
    event_page: ResponseEvents | None = None
    reader: Reader | None = None
    text: Clip | None = None
    markup: SafeString | str = ""
    tree: SafeString | None = None
    events: int = 0
    folded: bool = False
    is_broken: bool = False


def read_stages(
    generation: Span, before: Span | None, options: TraceViewOptions, recorded: Collection[str] = ()
) -> list[Stage]:
    """The four stages, with changes since the generation `before`; `recorded` are the layers of the
    compactions between the two."""
    stored = payloads_of([generation, *([before] if before else [])])
    earlier = {name: stored.get((before.pk, name)) for name in NAMES} if before else {}
    own = {name: stored.get((generation.pk, name)) for name in NAMES}
    stages = {name: Stage(name, options.of(name), own[name]) for name in NAMES}
    for stage in stages.values():
        _read_as_bytes(stage, options)
    for name in ("input", "request"):
        _fill(stages[name], earlier.get(name), own["input"], options, recorded)
    _link(stages["request"], stages["input"])
    _fill_answer(stages["response"], stages["output"], options)
    return list(stages.values())


def _read_as_bytes(stage: Stage, options: TraceViewOptions) -> None:
    if stage.payload is None:
        return
    if stage.view == "raw" or (
        stage.payload.size > MAX_READ_STAGE_BYTES and stage.view != "prompt"
    ):
        stage.view = "raw"
        is_elsewhere = options.opened not in ("", stage.name)
        reader_options = reading.ReaderOptions() if is_elsewhere else options.reader_options()
        stage.reader = reading.read(stage.payload, reader_options)


def _fill(
    stage: Stage,
    before: Payload | None,
    meant: Payload | None,
    options: TraceViewOptions,
    recorded: Collection[str],
) -> None:
    """Fills the stage `input` or `request`, with changes since `before`."""
    if stage.payload is None or stage.view == "prompt" or stage.reader:
        return
    unfold = options.unfold == stage.name
    try:
        if stage.view == "json":
            _read_as_json(stage, stage.payload, before, unfold)
        elif stage.view == "beside" and meant is not None:
            stage.side_by_side = side_by_side.read_side_by_side(meant, stage.payload, options.page)
        if stage.view != "json" and stage.side_by_side is None:
            stage.request = read_request_view(stage.payload, before, unfold, options.page, recorded)
        if not (stage.request or stage.side_by_side or stage.text):
            _read_as_text(stage, stage.payload)
    except PayloadCorrupt as error:
        stage.problem = error.reason


def _link(sent: Stage, meant: Stage) -> None:
    """Marks the dialect's and the product's own text in the request, and links each message of the
    input to those of the request that it became."""
    before, after = meant.request, sent.request
    if not (before and after):
        return
    after.items = dialect_text.mark(after.items, before.items)
    after.items = product_text.mark(after.items, before.items)
    if after.entries == before.entries:
        return
    forth, back = side_by_side.linked(before.entries, after.entries)
    for view, messages in ((before, forth), (after, back)):
        linked = iter(messages)
        view.items = [
            next(linked) if isinstance(item, MessageView) else item for item in view.items
        ]


def _fill_answer(response: Stage, output: Stage, options: TraceViewOptions) -> None:
    """Fills `response` and `output`; each body is read once, since both views need both."""
    sent, meant = _load_response(response), _load(output)
    value = read_output(meant) if meant else None
    recorded = RecordedResponse()
    if sent is not None and response.view == "messages":
        recorded = read_response(sent, dump_json)
    is_marked = output.view == "messages"
    marks = output_origins.read_marks(value, recorded.parts) if is_marked else Marks()
    if sent is not None and response.payload is not None:
        if response.view == "chunks":
            response.event_page = response_events.read(response.payload, sent, options.part)
        elif response.view == "messages":
            response.response = response_view(recorded, marks)
        elif response.view == "json":
            _read_events(response, sent)
        if not (response.event_page or response.response or response.tree):
            _show_text(response, sent)
    if meant is not None:
        if value is not None and output.view == "messages":
            output.output = output_view(value, marks, len(meant))
        else:
            _show_text(output, meant)


def _load_response(stage: Stage) -> bytes | None:
    """The body, decompressed; as received for the view `chunks`, which has offsets in it."""
    body = _load(stage)
    if body is None or stage.payload is None or stage.view == "chunks":
        return body
    return unpacked(
        body, payload_attributes(stage.payload).get("headers") or (), MAX_UNPACKED_STAGE_BYTES
    )


def _load(stage: Stage) -> bytes | None:
    if stage.payload is None or stage.reader:
        return None
    try:
        return payloads.load(stage.payload)
    except PayloadCorrupt as error:
        stage.problem = error.reason
        return None


def _read_as_json(stage: Stage, payload: Payload, before: Payload | None, unfold: bool) -> None:
    """The JSON of a request, unchanged messages folded."""
    body = None if unfold or before is None else fold_unchanged(payload, before)
    if body is not None:
        stage.folded = True
        _show_text(stage, body)


def _read_events(stage: Stage, body: bytes) -> None:
    """The JSON of all events of a stream as one list."""
    events = [data_of(event) for event in body_events(body[:MAX_STAGE_BYTES])]
    if len(body) <= MAX_STAGE_BYTES and events:
        text = decode(
            shorten(b"[" + b",".join(_json_of(one) for one in events) + b"]"), MAX_STAGE_BYTES
        )
        stage.events, stage.tree = len(events), json_tree.tree(text.text)


def _json_of(event: bytes) -> bytes:
    """The data of an event as JSON; a JSON string for other text, such as `[DONE]`."""
    if json_text.is_json(event.decode(errors="replace")) and event != b"[DONE]":
        return event
    return b'"' + event.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def _read_as_text(stage: Stage, payload: Payload) -> None:
    body = payloads.load(payload) if payload.size <= MAX_STAGE_BYTES else _beginning(payload)
    _show_text(stage, body, payload.size)


def _beginning(payload: Payload) -> bytes:
    return Body(payload).read(0, MAX_STAGE_BYTES)


def _show_text(stage: Stage, body: bytes, size: int = 0) -> None:
    if stage.payload is not None and not is_text(body[:MAX_STAGE_BYTES]):
        stage.reader = reading.read(stage.payload, reading.ReaderOptions(is_hex=True))
        return
    short = shorten(body)
    stage.text = decode(short, MAX_STAGE_BYTES)
    if size > len(body):
        stage.text = Clip(stage.text.text, size - len(body))
    if stage.text.hidden:
        stage.markup = json_text.pretty(stage.text.text)
        return
    stage.tree = json_tree.tree(short.decode(errors="replace"))
    if stage.tree is None and json_text.is_json(stage.text.text):
        stage.markup = json_text.pretty(stage.text.text)
    stage.is_broken = not (stage.tree or stage.markup) and stage.name != "response"
