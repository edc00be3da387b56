"""Newline-delimited JSON-RPC from a byte stream that may contain anything."""

import re

from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, jsonrpc_message_adapter

from tools.mcp.carriers import FRAME_BYTES

TOO_LARGE = -32099  # from JSON-RPC's range for implementations; never seen on the wire
KEPT = 1024  # of each end of a line that is too long
# The id stands before or after the result, as the implementations write it.
ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)')
ID_LAST = re.compile(rb'"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class Lines:
    """Cuts a byte stream at newlines. Of a line beyond `FRAME_BYTES` only the ends are kept."""

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

    def _add(self, part: bytes) -> None:
        self.length += len(part)
        self._parts.append(part)
        if self.length > FRAME_BYTES:
            whole = b"".join(self._parts)
            self._parts = [whole[:KEPT], whole[-KEPT:]]

    def _take(self) -> bytes:
        line = b"".join(self._parts)
        too_long = self.length > FRAME_BYTES
        self._parts, self.length = [], 0
        return _too_large(line) if too_long else line


def parse(line: bytes) -> SessionMessage | None:
    """The message in `line`, bad UTF-8 replaced; `None` if there is none."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        text = line.decode(errors="replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError:
        return None


def _too_large(ends: bytes) -> bytes:
    """An error answer to the request that the dropped message answered, if an end shows its id."""
    found = ID_FIRST.match(ends) or ID_LAST.search(ends)
    if found is None:
        return b"(a message that was too long was dropped)"
    error = ErrorData(code=TOO_LARGE, message=too_large())
    return JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error).model_dump_json().encode()


def too_large() -> str:
    return f"the answer was dropped because it is larger than {FRAME_BYTES // 2**20} MiB"
