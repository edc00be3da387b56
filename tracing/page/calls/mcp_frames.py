"""The recorded JSON-RPC frames of a call: direction, message, time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from limits.trace_pages import MAX_FRAMES, MAX_SHOWN_FRAME_BYTES
from tracing.formatting import json_text
from tracing.formatting.binaries import shorten
from tracing.formatting.text import Clip, decode, visible


@dataclass(frozen=True)
class Frame:
    """One message; `after_ms`: milliseconds since the first one."""

    direction: str
    title: str
    after_ms: float
    size: int
    text: Clip
    markup: SafeString | str


@dataclass(frozen=True)
class Frames:
    """The first frames of a call, and the number of `hidden` ones."""

    frames: Sequence[Frame]
    hidden: int = 0


def read_frames(body: bytes) -> Frames | None:
    """The frames in a payload; None if it has another form."""
    try:
        recorded = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(recorded, list) or not all(_is_frame(one) for one in recorded):
        return None
    start = recorded[0]["at"] if recorded else 0.0
    frames = [_frame(one, start) for one in recorded[:MAX_FRAMES]]
    return Frames(frames, len(recorded) - len(frames))


def _is_frame(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("at"), int | float) and "message" in one


def _frame(one: dict[str, Any], start: float) -> Frame:
    written = json.dumps(one["message"], ensure_ascii=False, separators=(",", ":"))
    body = written.encode(errors="surrogatepass")
    text = decode(shorten(body), MAX_SHOWN_FRAME_BYTES)
    markup = json_text.pretty(text.text) if json_text.is_json(text.text) else ""
    direction = str(one.get("direction"))
    after_ms = max(0.0, (one["at"] - start) * 1000)
    return Frame(direction, _title(one["message"]), after_ms, len(body), text, markup)


def _title(message: Any) -> str:
    """The method of a request or notification; `result` or `error` for a response."""
    if not isinstance(message, dict):
        return "note"
    number = f" #{message['id']}" if message.get("id") is not None else ""
    if "method" in message:
        return visible(f"{message['method']}{number}"[:200])
    if "error" in message:
        return visible(f"error{number}"[:200])
    return visible(f"result{number}"[:200]) if "result" in message else "note"
