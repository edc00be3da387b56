"""From a recorded attempt, or from nothing found, to an HTTP response in its own time."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from chat.cassettes.library import Library, Unknown
from chat.cassettes.recorded import Generation, Response
from chat.cassettes.whole import whole
from limits.replay import MAX_CASSETTE_ANSWER_BYTES
from tracing.store.encodings import decode_content

JSON = (("content-type", "application/json"),)
# How an attempt failed whose connection broke, not its answer.
BROKEN = frozenset({"ConnectionLost", "Stalled", "NotHttp", "Endless", "Overdue"})
TYPES = {400: "invalid_request_error", 404: "not_found_error", 502: "api_error"}

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Reply:
    """A response: `plan` has each piece and the second at which it is due. With `breaks` the
    connection ends there, in the middle of the body."""

    status: int
    headers: Headers
    plan: list[tuple[float, bytes]] = field(default_factory=list)
    breaks: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(piece for _, piece in self.plan)


class Broken(Exception):
    """The recorded connection broke here, so this one does, too."""


def answer(library: Library, protocol: str, body: bytes, speed: float) -> Reply:
    """The recorded answer to this request, or an error that says what there would have been."""
    try:
        sent = json.loads(body)
        found = library.find(protocol, sent)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return error(protocol, 400, "The body has to be a JSON object with a list of messages.")
    if isinstance(found, Unknown):
        return error(protocol, 404, found.sentence, _details(found))
    return recorded(found.generation, bool(sent.get("stream")), speed)


def recorded(generation: Generation, is_streamed: bool, speed: float) -> Reply:
    """The response of an attempt, streamed or whole as it is asked for."""
    response = generation.response
    if response is None:
        why = generation.error_kind or "no answer came"
        return error(generation.protocol, 503, f"When this was recorded nothing came back ({why}).")
    if not is_streamed and response.status < 300 and _is_stream(response):
        return _whole(generation, response, speed)
    breaks = generation.error_kind in BROKEN or generation.status == "cancelled"
    return Reply(response.status, response.headers, plan(response, speed), breaks)


def plan(response: Response, speed: float) -> list[tuple[float, bytes]]:
    """The pieces as they arrived, and the seconds after which; a speed of 2 halves those, a speed
    of 0 means at once."""
    pieces = []
    start = 0
    for at, length in response.chunks:
        pieces.append((at / 1000 / speed if speed else 0.0, response.body[start : start + length]))
        start += length
    return pieces


async def paced(reply: Reply) -> AsyncIterator[bytes]:
    """The pieces, each when it is due. Raises `Broken` at the end if the connection is to break."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for due, piece in reply.plan:
        if (wait := began + due - loop.time()) > 0:
            await asyncio.sleep(wait)
        yield piece
    if reply.breaks:
        raise Broken


def error(
    protocol: str, status: int, sentence: str, details: dict[str, Any] | None = None
) -> Reply:
    """An error as the protocol writes it; details stand beside the message."""
    told: dict[str, Any] = {"message": sentence, "type": "cassette", **(details or {})}
    value: dict[str, Any] = {"error": told}
    if protocol == "anthropic":
        value = {"type": "error", "error": {**told, "type": TYPES.get(status, "api_error")}}
    return document(value, status)


def document(value: Any, status: int = 200, due: float = 0.0) -> Reply:
    return Reply(status, JSON, [(due, json.dumps(value, ensure_ascii=False).encode())])


def models(library: Library) -> Reply:
    """What `/v1/models` answers: the recorded model ids."""
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": "cassette"}
        for name in library.cassette.models
    ]
    return document({"object": "list", "data": listed})


def _details(unknown: Unknown) -> dict[str, Any]:
    details: dict[str, Any] = {"code": "no_recorded_round"}
    if unknown.nearest is not None and unknown.difference is not None:
        details["nearest"] = unknown.nearest.label
        details["difference"] = {
            "message": unknown.difference.message,
            "key": unknown.difference.key,
            "recorded": unknown.difference.recorded,
            "sent": unknown.difference.sent,
        }
    return details


def _is_stream(response: Response) -> bool:
    types = [value for name, value in response.headers if name.lower() == "content-type"]
    return any("event-stream" in value for value in types)


def _whole(generation: Generation, response: Response, speed: float) -> Reply:
    due = response.chunks[-1][0] / 1000 / speed if speed and response.chunks else 0.0
    body = decode_content(response.body, response.headers, MAX_CASSETTE_ANSWER_BYTES)
    value = whole(generation.protocol, body)
    if value is None:
        return Reply(200, JSON, [], breaks=True)
    return document(value, due=due)
