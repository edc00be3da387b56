"""Events of a round with their times, for the player of the trace page.

All times are in microseconds since the start of the round. A stream is a list of pieces of text;
beyond MAX_PLAYED_PIECES, pieces with close times are joined.
"""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, TypedDict

from db.fields import dump_json
from limits.trace_pages import MAX_PLAYED_PIECES, MAX_RESPONSE_TEXT, MAX_UNPACKED_STAGE_BYTES
from tracing.errors import PayloadCorrupt
from tracing.formatting.text import visible
from tracing.journal.trace_rounds import Round, payloads_of
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes, generation_attributes, payload_attributes
from tracing.page.view_options import NAMES
from tracing.store import payloads
from tracing.store.encodings import decode_content
from wire.recorded import RecordedResponse, ResponsePiece, read_pieces

_US = 1_000_000


class StreamPart(TypedDict):
    kind: str
    name: str
    id: str


class Stream(TypedDict):
    """The text of a response. `pieces`: `[time, part, text]`, with a 1 if the part starts again.
    `hidden`: characters left out. `is_exact`: the times were recorded."""

    parts: list[StreamPart]
    pieces: list[list[Any]]
    hidden: int
    is_exact: bool


class Attempt(Stream):
    number: int
    status: str
    stages: list[str]
    started: int
    sent: int
    ended: int | None
    retry_in: int | None


class PlayedCall(TypedDict):
    id: str
    name: str
    status: str
    proposed: int
    started: int | None
    ended: int | None


class Timeline(TypedDict):
    round: int
    attempts: list[Attempt]
    calls: list[PlayedCall]


def timeline(round_: Round) -> Timeline:
    """The attempts and the calls of a round: JSON for `static/js/tracing/player/timeline.js`."""
    stored = payloads_of(round_.generations)
    begin = round_.span.started or round_.span.created
    return {
        "round": round_.number,
        "attempts": [_player_attempt(span, begin, stored) for span in round_.generations],
        "calls": [_player_call(span, begin) for span in round_.calls],
    }


def _player_attempt(span: Span, begin: datetime, stored: dict[tuple[int, str], Payload]) -> Attempt:
    started = _since(begin, span.started or span.created)
    sent = started + _timing(span, "pre_ms") + _timing(span, "send_ms")
    ended = _since(begin, span.ended) if span.ended else None
    response = stored.get((span.pk, Payload.Stage.RESPONSE))
    return {
        "number": span.number,
        "status": span.status,
        "stages": [name for name in NAMES if (span.pk, name) in stored],
        "started": started,
        "sent": sent if ended is None else min(sent, ended),
        "ended": ended,
        "retry_in": _retry(span),
        **(_stream(response, sent, ended) if response else _SILENT),
    }


_SILENT: Stream = {"parts": [], "pieces": [], "hidden": 0, "is_exact": True}


def _player_call(span: Span, begin: datetime) -> PlayedCall:
    return {
        "id": str(span.public_id),
        "name": visible(str(call_attributes(span).get("tool") or span.name)),
        "status": span.status,
        "proposed": _since(begin, span.created),
        "started": _since(begin, span.started) if span.started else None,
        "ended": _since(begin, span.ended) if span.ended else None,
    }


def _stream(response: Payload, sent: int, ended: int | None) -> Stream:
    """Parts and pieces of the response; `_SILENT` if the payload is damaged, which its stage
    shows."""
    try:
        body = payloads.load(response)
        chunks = payloads.read_chunks(response)
    except PayloadCorrupt:
        return _SILENT
    headers = payload_attributes(response).get("headers") or []
    plain = decode_content(body, headers, MAX_UNPACKED_STAGE_BYTES)
    recorded = read_pieces(plain, dump_json)
    times, is_exact = _times(recorded.pieces, chunks, len(plain), (sent, ended or sent))
    pieces, hidden = _bounded(recorded, times)
    return {
        "parts": [
            {"kind": part.kind, "name": visible(part.name), "id": visible(part.id)}
            for part in recorded.parts
        ],
        "pieces": _joined(pieces),
        "hidden": hidden,
        "is_exact": is_exact,
    }


def _times(
    pieces: Sequence[ResponsePiece],
    chunks: Sequence[tuple[float, int]],
    size: int,
    within: tuple[int, int],
) -> tuple[list[int], bool]:
    """The time of each piece, and whether it is exact. If the lengths of the chunks do not add up
    to the body's (a secret was replaced, or it was compressed), pieces are spread evenly."""
    sent, ended = within
    ends = list(accumulate(length for _, length in chunks))
    if ends and ends[-1] == size:
        return [sent + round(chunks[bisect_left(ends, p.end)][0] * 1000) for p in pieces], True
    first = sent + round(chunks[0][0] * 1000) if chunks else sent
    last = sent + round(chunks[-1][0] * 1000) if chunks else max(sent, ended)
    step = (last - first) / max(1, len(pieces) - 1)
    return [first + round(step * place) for place in range(len(pieces))], False


def _bounded(recorded: RecordedResponse, times: Sequence[int]) -> tuple[list[list[Any]], int]:
    """The pieces as `[time, part, text, restarts?]`, and the number of characters left out."""
    room = [MAX_RESPONSE_TEXT] * len(recorded.parts)
    pieces: list[list[Any]] = []
    hidden = 0
    for piece, at in zip(recorded.pieces, times, strict=True):
        if piece.restarts:
            room[piece.part] = MAX_RESPONSE_TEXT
        text = piece.text[: room[piece.part]]
        hidden += len(piece.text) - len(text)
        room[piece.part] -= len(text)
        if text or piece.restarts:
            pieces.append([at, piece.part, visible(text), *([1] if piece.restarts else [])])
    return pieces, hidden


def _joined(pieces: list[list[Any]]) -> list[list[Any]]:
    """At most about `MAX_PLAYED_PIECES` pieces: neighbours of a part are joined, with the later
    time."""
    if len(pieces) <= MAX_PLAYED_PIECES:
        return pieces
    window = max(1, (pieces[-1][0] - pieces[0][0]) // MAX_PLAYED_PIECES)
    joined: list[list[Any]] = []
    texts: list[str] = []
    for at, part, text, *restarts in pieces:
        last = joined[-1] if joined else None
        if last and last[1] == part and not restarts and at // window == last[0] // window:
            texts.append(text)
            last[0] = at
            continue
        _close(last, texts)
        joined.append([at, part, text, *restarts])
        texts = [text]
    _close(joined[-1], texts)
    return joined


def _close(piece: list[Any] | None, texts: list[str]) -> None:
    if piece is not None:
        piece[2] = "".join(texts)


def _since(begin: datetime, moment: datetime) -> int:
    return max(0, round((moment - begin).total_seconds() * _US))


def _timing(span: Span, name: str) -> int:
    timings = generation_attributes(span).get("timings")
    ms = timings.get(name) if isinstance(timings, dict) else None
    return round(ms * 1000) if isinstance(ms, int | float) else 0


def _retry(span: Span) -> int | None:
    ms = generation_attributes(span).get("retry_in_ms")
    return round(ms * 1000) if isinstance(ms, int | float) else None
