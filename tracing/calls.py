"""The tool calls of a round as the page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.safestring import SafeString

from tracing import json_text, payloads
from tracing.binaries import shorten
from tracing.errors import PayloadCorrupt
from tracing.frames import Frames, read_frames
from tracing.journal import payloads_of
from tracing.models import Payload, Span
from tracing.text import Clip, decode
from tracing.waterfall import Bar, scale

MOST_BYTES = 50_000
STAGES = {
    "arguments": "Arguments",
    "shown": "Shown to the model",
    "result": "Full result",
    "frames": "Protocol frames",
    "stderr": "Server's error output",
}


@dataclass(frozen=True)
class Part:
    """One payload of a call: text, and markup where the text is JSON."""

    stage: str
    title: str
    payload: Payload
    text: Clip
    markup: SafeString | str = ""
    problem: str = ""
    frames: Frames | None = None

    @property
    def folded(self) -> bool:
        return self.stage not in ("arguments", "shown")


@dataclass(frozen=True)
class Call:
    span: Span
    elapsed: timedelta | None
    bars: list[Bar]
    parts: list[Part]

    @property
    def is_error(self) -> bool:
        return self.span.attributes.get("is_error") is True

    @property
    def queued(self) -> timedelta | None:
        """From the model's asking to the call's start."""
        return self.span.started - self.span.created if self.span.started else None


def read_calls(spans: Iterable[Span], now: datetime) -> list[Call]:
    """Each call with what was recorded of it, and its bars in the time that all of them took."""
    calls = list(spans)
    stored = payloads_of(calls)
    window = scale(calls, now)
    return [
        Call(
            span,
            span.elapsed(now),
            window.bars(span, now),
            [
                _read(stage, title, stored[span.pk, stage])
                for stage, title in STAGES.items()
                if (span.pk, stage) in stored
            ],
        )
        for span in calls
    ]


def _read(stage: str, title: str, payload: Payload) -> Part:
    try:
        body = payloads.load(payload)
    except PayloadCorrupt as error:
        return Part(stage, title, payload, Clip(""), problem=error.reason)
    if stage == "frames" and (frames := read_frames(body)) is not None:
        return Part(stage, title, payload, Clip(""), frames=frames)
    text = decode(shorten(body), MOST_BYTES)
    markup = json_text.pretty(text.text) if json_text.is_json(text.text) else ""
    return Part(stage, title, payload, text, markup)
