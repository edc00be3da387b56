"""HTTP responses for recorded attempts, at their recorded pace, and for requests without one."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from chat.cassettes.library import Library, NoMatch
from chat.cassettes.recorded import CassetteGeneration, CassetteResponse
from chat.cassettes.stream_document import stream_document
from limits.replay import MAX_CASSETTE_ANSWER_BYTES
from tracing.store.encodings import decode_content

JSON = (("content-type", "application/json"),)
# Failures of an attempt by its connection.
BROKEN = frozenset({"ConnectionLost", "Stalled", "NotHttp", "Endless", "Overdue"})
TYPES = {400: "invalid_request_error", 404: "not_found_error", 502: "api_error"}

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reply:
    """A response. `plan`: (second at which it is due, bytes) of each piece. `breaks`: the
    connection is closed after them, within the body."""

    status: int
    headers: Headers
    plan: list[tuple[float, bytes]] = field(default_factory=list)
    breaks: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(piece for _, piece in self.plan)


class ConnectionBroken(Exception):
    """The recorded connection broke here."""


def answer(library: Library, protocol: str, body: bytes, speed: float) -> Reply:
    """The recorded answer to this request, or an error that names the nearest one."""
    try:
        sent = json.loads(body)
        match = library.find(protocol, sent)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return error(protocol, 400, "The body has to be a JSON object with a list of messages.")
    if isinstance(match, NoMatch):
        return error(protocol, 404, match.sentence, _details(match))
    return recorded(match.generation, bool(sent.get("stream")), speed)


def recorded(generation: CassetteGeneration, is_streamed: bool, speed: float) -> Reply:
    """The response of an attempt, streamed or as one document."""
    response = generation.response
    if response is None:
        why = generation.error_kind or "no answer came"
        return error(generation.protocol, 503, f"When this was recorded nothing came back ({why}).")
    if not is_streamed and response.status < 300 and _is_stream(response):
        return _whole(generation, response, speed)
    breaks = generation.error_kind in BROKEN or generation.status == "cancelled"
    return Reply(response.status, response.headers, plan(response, speed), breaks)


def plan(response: CassetteResponse, speed: float) -> list[tuple[float, bytes]]:
    """The recorded pieces with the seconds at which they are due. `speed`: 2 halves the times, 0
    means at once."""
    pieces = []
    start = 0
    for at, length in response.chunks:
        pieces.append((at / 1000 / speed if speed else 0.0, response.body[start : start + length]))
        start += length
    return pieces


async def paced(reply: Reply) -> AsyncIterator[bytes]:
    """The pieces, each at its time. Raises `ConnectionBroken` at the end if `breaks`."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for due, piece in reply.plan:
        if (wait := began + due - loop.time()) > 0:
            await asyncio.sleep(wait)
        yield piece
    if reply.breaks:
        raise ConnectionBroken


def error(
    protocol: str, status: int, sentence: str, details: dict[str, Any] | None = None
) -> Reply:
    """An error in the form of the protocol, with details besides the message."""
    fields: dict[str, Any] = {"message": sentence, "type": "cassette", **(details or {})}
    value: dict[str, Any] = {"error": fields}
    if protocol == "anthropic":
        value = {"type": "error", "error": {**fields, "type": TYPES.get(status, "api_error")}}
    return document(value, status)


def document(value: Any, status: int = 200, due: float = 0.0) -> Reply:
    return Reply(status, JSON, [(due, json.dumps(value, ensure_ascii=False).encode())])


def models(library: Library) -> Reply:
    """The answer to `/v1/models`: the recorded model ids."""
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": "cassette"}
        for name in library.cassette.models
    ]
    return document({"object": "list", "data": listed})


def _details(no_match: NoMatch) -> dict[str, Any]:
    details: dict[str, Any] = {"code": "no_recorded_round"}
    if no_match.nearest is not None and no_match.difference is not None:
        details["nearest"] = no_match.nearest.label
        details["difference"] = {
            "message": no_match.difference.message,
            "key": no_match.difference.key,
            "recorded": no_match.difference.recorded,
            "sent": no_match.difference.sent,
        }
    return details


def _is_stream(response: CassetteResponse) -> bool:
    types = [value for name, value in response.headers if name.lower() == "content-type"]
    return any("event-stream" in value for value in types)


def _whole(generation: CassetteGeneration, response: CassetteResponse, speed: float) -> Reply:
    due = response.chunks[-1][0] / 1000 / speed if speed and response.chunks else 0.0
    body = decode_content(response.body, response.headers, MAX_CASSETTE_ANSWER_BYTES)
    value = stream_document(generation.protocol, body)
    if value is None:
        return Reply(200, JSON, [], breaks=True)
    return document(value, due=due)
