"""Views of the tool calls of a round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from languages.later import later
from limits.trace_pages import MAX_CALL_BYTES, MAX_CALL_FRAMES_BYTES
from tracing.errors import PayloadCorrupt
from tracing.formatting import json_tree
from tracing.formatting.binaries import shorten
from tracing.formatting.text import Clip, decode, is_text
from tracing.journal.subagents import NestedTurn
from tracing.journal.time_segments import Kind, time_segments
from tracing.journal.trace_rounds import StoredPayloads
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.page.calls import sandbox_facts
from tracing.page.calls.mcp_frames import Frames, read_frames
from tracing.page.payload import reader as reading
from tracing.page.payload.reader import Reader
from tracing.page.timeline.waterfall import Bar, scale
from tracing.store import payloads
from tracing.store.ranges import Body

STAGES = {
    "arguments": later("Arguments"),
    "shown": later("Shown to the model"),
    "result": later("Full result"),
    "frames": later("Protocol frames"),
    "stderr": later("Server's error output"),
}
# The same within a sentence.
_NOUNS = {
    "arguments": later("arguments"),
    "shown": later("text for the model"),
    "result": later("result"),
    "frames": later("protocol frames"),
    "stderr": later("error output"),
}


@dataclass(frozen=True)
class CallPayload:
    """A payload of a call: text, with a tree if it is JSON; or a reader for bytes."""

    stage: str
    title: str
    payload: Payload
    text: Clip
    tree: SafeString | None = None
    problem: str = ""
    frames: Frames | None = None
    reader: Reader | None = None
    is_opened: bool = False

    @property
    def label(self) -> str:
        """A label that differs from those of other calls."""
        return gettext("%(stage)s of call %(number)s") % {
            "stage": _NOUNS.get(self.stage, self.stage),
            "number": self.payload.span.number,
        }

    @property
    def folded(self) -> bool:
        return self.stage not in ("arguments", "shown") and not self.is_opened


@dataclass(frozen=True)
class Call:
    span: Span
    elapsed: timedelta | None
    bars: list[Bar]
    parts: list[CallPayload]
    nested: NestedTurn | None = None

    @property
    def is_error(self) -> bool:
        return call_attributes(self.span).get("is_error") is True

    @property
    def limit(self) -> str:
        """The sandbox limit that ended the call; empty if none did."""
        return sandbox_facts.ended_by(self.span)

    @property
    def queued(self) -> timedelta | None:
        """Time in the queue: since the model asked, or a person decided."""
        return self._until_started(Kind.QUEUE)

    @property
    def asked(self) -> timedelta | None:
        """Time that a person took to decide."""
        return self._until_started(Kind.PERSON)

    def _until_started(self, kind: Kind) -> timedelta | None:
        started = self.span.started
        if started is None:
            return None
        segments = (
            segment for segment in time_segments(self.span, started) if segment.end <= started
        )
        return sum(
            (segment.end - segment.start for segment in segments if segment.kind == kind),
            timedelta(),
        )


def read_calls(
    spans: Iterable[Span],
    stored: StoredPayloads,
    now: datetime,
    nested: Mapping[int, NestedTurn] | None = None,
    opened: tuple[str, str, reading.ReaderOptions] | None = None,
) -> list[Call]:
    """The calls with their payloads, bars on the scale of all of them, and subagents. `opened` is
    the public id of a call, one of its stages, and the place to open."""
    calls = list(spans)
    window = scale(calls, now)
    return [
        Call(
            span,
            span.elapsed(now),
            window.bars(span, now),
            [
                _read_opened(stage, title, stored[span.pk, stage], opened[2])
                if opened and opened[:2] == (str(span.public_id), stage)
                else _read(stage, title, stored[span.pk, stage])
                for stage, title in STAGES.items()
                if (span.pk, stage) in stored
            ],
            (nested or {}).get(span.pk),
        )
        for span in calls
    ]


def _read_opened(
    stage: str, title: str, payload: Payload, options: reading.ReaderOptions
) -> CallPayload:
    reader = reading.read(payload, options)
    return CallPayload(
        stage, title, payload, Clip(""), reader=reader, problem=reader.problem, is_opened=True
    )


def _read(stage: str, title: str, payload: Payload) -> CallPayload:
    try:
        body = _body(stage, payload)
        if stage == "frames" and (frames := read_frames(body)) is not None:
            return CallPayload(stage, title, payload, Clip(""), frames=frames)
        if not is_text(body):
            reader = reading.read(payload, reading.ReaderOptions(is_hex=True))
            return CallPayload(
                stage, title, payload, Clip(""), reader=reader, problem=reader.problem
            )
    except PayloadCorrupt as error:
        return CallPayload(stage, title, payload, Clip(""), problem=error.reason)
    text = decode(shorten(body), MAX_CALL_BYTES)
    if len(body) < payload.size:
        text = Clip(text.text, payload.size - len(body))
    tree = None if text.hidden else json_tree.tree(text.text)
    return CallPayload(stage, title, payload, text, tree=tree)


def _body(stage: str, payload: Payload) -> bytes:
    """The whole body, or its beginning if it is larger than the limit of the stage."""
    limit = MAX_CALL_FRAMES_BYTES if stage == "frames" else MAX_CALL_BYTES
    return (
        payloads.load(payload) if payload.size <= limit else Body(payload).read(0, MAX_CALL_BYTES)
    )
