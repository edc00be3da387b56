"""Newline-delimited JSON-RPC from a byte stream that may contain anything."""

import json
import re
from typing import Any

from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from languages.stored import stored
from limits.mcp import MAX_BATCH, MAX_FRAME_BYTES, MAX_HTTP_ERROR_BYTES, MAX_KEPT_ENDS_BYTES
from tools.mcp.sdk import SessionMessage

# From JSON-RPC's range for implementations; never seen on the wire.
TOO_LARGE = -32099
UNREADABLE = -32098
# The id stands before or after the result, as the implementations write it.
ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)')
METHOD = re.compile(rb'"method"\s*:')  # a message with one is no answer
BOM = b"\xef\xbb\xbf"
# A pair of surrogates, one alone, or any other escape.
ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
# A text of JSON, also one that does not end (what is looked for again from each of its quotes takes
# minutes), or a number that JSON does not have.
NOT_FINITE = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|(-?(?:NaN|Infinity))', re.DOTALL)
NOTE_NOT_FINITE = b"NaN or Infinity came, which JSON does not have; they were made texts\n"
ID_LAST = re.compile(rb'"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class Lines:
    """Cuts a byte stream at newlines. Of a line beyond `MAX_FRAME_BYTES` only the ends are kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.length = 0  # of the line that is being read

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes."""
        *complete, rest = chunk.split(b"\n")
        lines = []
        for part in complete:
            self._add(part)
            lines.append(self._take())
        self._add(rest)
        return lines

    def rest(self) -> bytes:
        """What came after the last newline, when no more comes."""
        return self._take()

    def _add(self, part: bytes) -> None:
        self.length += len(part)
        self._parts.append(part)
        if self.length > MAX_FRAME_BYTES:
            whole = b"".join(self._parts)
            self._parts = [whole[:MAX_KEPT_ENDS_BYTES], whole[-MAX_KEPT_ENDS_BYTES:]]

    def _take(self) -> bytes:
        line = b"".join(self._parts)
        too_long = self.length > MAX_FRAME_BYTES
        self._parts, self.length = [], 0
        return _too_large(line) if too_long else line


def parse(line: bytes) -> list[SessionMessage]:
    """The messages in `line`, bad UTF-8 replaced: none, one, or a batch's (until 2025-06-18).

    An answer that cannot be read becomes an error answer, so that nobody waits for it.
    """
    line = line.removeprefix(BOM).lstrip()
    if line.startswith(b"{"):
        message = _one(line)
        return [message] if message else []
    if line.startswith(b"["):
        return _batch(line)
    return []


def paired(data: bytes) -> bytes:
    """JSON with U+FFFD for half a character, which a program that cuts its text writes."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], data)


def lacks_id(body: bytes) -> bool:
    """Whether this is a JSON-RPC error that does not say what it answers."""
    if len(body) > MAX_HTTP_ERROR_BYTES or b'"error"' not in body:
        return False
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and bool(value.get("error")) and value.get("id") is None


def addressed(body: bytes, number: int | str | None) -> bytes:
    """Such an error with `number` for an id."""
    return json.dumps(_tidied(json.loads(body) | {"id": number})).encode()


def finite(data: bytes) -> bytes:
    """JSON with texts for numbers that it does not have, which some programs write. What reads it
    would take them, and what writes it again make null of them."""
    if b"NaN" not in data and b"Infinity" not in data:
        return data
    return NOT_FINITE.sub(lambda found: b'"%s"' % found[1] if found[1] else found[0], data)


def mended(data: bytes) -> bytes:
    """JSON as far as it is clear what it would be."""
    return finite(paired(data))


def _one(line: bytes) -> SessionMessage | None:
    text = mended(line).decode(errors="replace")
    try:
        return _valid(text)
    except ValueError:
        pass
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _unreadable(line)
    try:
        return _valid(json.dumps(_tidied(value)))
    except (ValueError, RecursionError):
        return _unusable(value)


def _valid(text: str) -> SessionMessage:
    return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))


def _batch(line: bytes) -> list[SessionMessage]:
    try:
        values = json.loads(mended(line).decode(errors="replace"), strict=False)
    except (ValueError, RecursionError):
        return []
    messages = [_one(json.dumps(one).encode()) for one in values[:MAX_BATCH] if _is_object(one)]
    return [message for message in messages if message]


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _tidied(message: dict[str, Any]) -> dict[str, Any]:
    """What is not said as JSON-RPC says it, but clear."""
    repaired = {name: value for name, value in message.items() if value is not None or name == "id"}
    number, error = repaired.get("id"), repaired.get("error")
    if isinstance(number, float) and number.is_integer():
        repaired["id"] = int(number)
    if "result" in repaired or error is not None:
        repaired["jsonrpc"] = "2.0"
    if error is not None:
        repaired["error"] = _tidied_error(error)
    return repaired


def _tidied_error(error: Any) -> dict[str, Any]:
    fields = error if isinstance(error, dict) else {"message": error}
    code, message = fields.get("code"), fields.get("message", "no message")
    text = message if isinstance(message, str) else json.dumps(message)
    is_code = isinstance(code, int) and not isinstance(code, bool)
    return {**fields, "code": code if is_code else INTERNAL_ERROR, "message": text}


def _unusable(value: dict[str, Any]) -> SessionMessage | None:
    """An error answer in the place of an answer that is JSON, but not JSON-RPC."""
    number = value.get("id")
    if "method" in value or not {"jsonrpc", "result", "error"} & value.keys():
        return None
    if isinstance(number, bool) or not isinstance(number, int | str):
        return None
    return _error(number, stored("it is not a JSON-RPC message"), json.dumps(value))


def _unreadable(line: bytes) -> SessionMessage | None:
    """The same in the place of what is not JSON, if an end of it shows whose answer it is."""
    ends = (
        line
        if len(line) <= 2 * MAX_KEPT_ENDS_BYTES
        else line[:MAX_KEPT_ENDS_BYTES] + line[-MAX_KEPT_ENDS_BYTES:]
    )
    id_match = ID_FIRST.match(ends) or ID_LAST.search(ends)
    if id_match is None or METHOD.search(ends):
        return None
    excerpt = ends.decode(errors="replace")
    return _error(
        int(id_match[1]), stored("it is not valid JSON, or it is nested too deep"), excerpt
    )


def _error(number: int | str, why: str, excerpt: str) -> SessionMessage:
    error = ErrorData(code=UNREADABLE, message=why, data=excerpt[:MAX_KEPT_ENDS_BYTES])
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error))


def is_unreadable(item: SessionMessage) -> bool:
    """Whether this stands for an answer that could not be read."""
    return isinstance(item.message, JSONRPCError) and item.message.error.code == UNREADABLE


def _too_large(ends: bytes) -> bytes:
    """An error answer to the request that the dropped message answered, if an end shows its id."""
    id_match = ID_FIRST.match(ends) or ID_LAST.search(ends)
    if id_match is None:
        return b"(a message that was too long was dropped)"
    error = ErrorData(code=TOO_LARGE, message=too_large())
    return JSONRPCError(jsonrpc="2.0", id=int(id_match[1]), error=error).model_dump_json().encode()


def too_large() -> str:
    return stored(
        "the answer was dropped because it is larger than %(most)s MiB",
        most=MAX_FRAME_BYTES // 2**20,
    )
