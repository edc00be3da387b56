"""The JSON-RPC frames of a session, and which call each belongs to.

`Recording` stands between a carrier and the SDK and sees every message in both directions, and the
end of the stream at once.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, Self

import anyio
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from limits.mcp import MAX_KEPT_FRAMES, MAX_KEPT_HANDSHAKE, MAX_KEPT_NOTIFICATIONS
from tools.errors import ConnectionFailed
from tools.mcp.inbound import Inbound
from tools.mcp.masking import MASK, Masking
from tools.mcp.sdk import (
    ReadStream,
    SessionMessage,
    TransportStreams,
    WriteStream,
    as_request_id,
    coerce_request_id,
)
from tools.mcp.transports.carriers import Carrier
from tools.questions.form_secrets import hide
from tools.values.call import Frame

Direction = Literal["sent", "received", "note"]
OPAQUE = ("requestState", "nextCursor")  # MCP 2026, "Input Required"; "Pagination"
CALL_KEY = "roundtrip/call"  # in `_meta` of a request: the id of the call


class _FrameBudget:
    """How many frames, and how many characters of them, may still be kept."""

    def __init__(self, max_frames: int) -> None:
        self.refused = 0
        self._left = max_frames
        self._characters = MAX_KEPT_FRAMES

    @property
    def is_full(self) -> bool:
        return self._left <= 0 or self._characters <= 0

    def takes(self, frame: Frame) -> bool:
        self._left -= 1
        if self._left >= 0 and self._characters > 0:
            self._characters -= len(json.dumps(frame["message"]))
        if self._left >= 0 and self._characters > 0:
            return True
        self.refused += 1
        return False


class Journal:
    """Appends each frame to the list of its call; those before the first call are the handshake."""

    def __init__(self, masking: Masking) -> None:
        self.masking = masking
        self.opening: list[Frame] = []
        self.inbound = Inbound()
        self.ended = asyncio.Event()
        self.heard: float | None = None  # monotonic time of the first message
        self.secrets: set[str] = set()  # entered by people in forms
        self._open: dict[str, list[Frame]] = {}
        self._keys: dict[Any, str] = {}  # request id: call key
        self._answered: set[Any] = set()  # of these ids
        self._beside: dict[str, _FrameBudget] = {}
        self._at_first = _FrameBudget(MAX_KEPT_HANDSHAKE)

    @contextmanager
    def record_call(self, key: str, frames: list[Frame]) -> Iterator[None]:
        """Frames of the call `key` go to `frames` until the block ends."""
        self._open[key], self._beside[key] = frames, _FrameBudget(MAX_KEPT_NOTIFICATIONS)
        try:
            yield
        finally:
            del self._open[key]
            if dropped := self._beside.pop(key).refused:
                frames.append(_frame("note", {"notifications_not_kept": dropped}))
            self._keys = {number: of for number, of in self._keys.items() if of != key}
            self._answered &= self._keys.keys()

    @property
    def is_asked(self) -> bool:
        """Whether a call waits for an answer."""
        return bool(self._open)

    def sent(self, message: JSONRPCMessage) -> None:
        self.inbound.asked(message)
        if isinstance(message, JSONRPCRequest):
            key = _key(message.params)
            if key in self._open:
                self._keys[message.id] = key
        self._keep("sent", message)

    def received(self, message: JSONRPCMessage) -> None:
        self.heard = self.heard or time.monotonic()
        if isinstance(message, JSONRPCNotification) and self._counted(message):
            return
        self._keep("received", message)

    def _counted(self, message: JSONRPCNotification) -> bool:
        """Whether the budget for it is used up; then it is only counted."""
        key = self._keys.get(_request_of("received", message))
        rooms = [self._beside[key]] if key is not None else list(self._beside.values())
        if not rooms or not all(room.is_full for room in rooms):
            return False
        for room in rooms:
            room.refused += 1
        return True

    def _keep(self, direction: Direction, message: JSONRPCMessage) -> None:
        body = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        if direction == "sent" and self.secrets:
            body = hide(body, tuple(self.secrets), MASK)
        body = self.masking(body)  # of what came in, method and id are not masked yet
        frame = _frame(direction, body)
        number = _request_of(direction, message)
        key = self._keys.get(number)
        if key is not None:
            self._append(key, frame, is_main=self._is_main(direction, message, number))
        elif not self._open:
            self.opening = [*self.opening, frame] if self._at_first.takes(frame) else self.opening
        elif direction == "sent" or not _is_answer(message):
            # It names no request of ours, so it may concern any open call.
            for key in self._open:
                self._append(key, frame)

    def _is_main(self, direction: Direction, message: JSONRPCMessage, number: Any) -> bool:
        """Whether it is a call, its cancellation, or the first answer: kept beyond the budget."""
        if direction == "sent":
            return True
        if number in self._answered or not isinstance(message, JSONRPCResponse | JSONRPCError):
            return False
        self._answered.add(number)
        return True

    def _append(self, key: str, frame: Frame, *, is_main: bool = False) -> None:
        if is_main or self._beside[key].takes(frame):
            self._open[key].append(frame)


class Recording:
    """A transport for the SDK's `Client`: a carrier whose traffic goes through a journal."""

    def __init__(self, carrier: Carrier, journal: Journal) -> None:
        self._carrier = carrier
        self._journal = journal

    async def __aenter__(self) -> TransportStreams:
        read_stream, write_stream = await self._carrier.__aenter__()
        reader = _Reader(read_stream, self._journal, self._carrier)
        return reader, _Writer(write_stream, self._journal)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._carrier.__aexit__(kind, error, trace)


class _Reader:
    def __init__(
        self,
        inner: ReadStream[SessionMessage | Exception],
        journal: Journal,
        carrier: Carrier,
    ) -> None:
        self._inner = inner
        self._journal = journal
        self._carrier = carrier

    @property
    def last_context(self) -> Any:
        """The sender's context variables, which the SDK reads by this name."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._inner.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                self._journal.ended.set()
                raise
            if not isinstance(item, SessionMessage):
                return item
            masked = masked_message(item.message, self._journal.masking)
            self._journal.received(masked)
            usable = with_opaque(masked, item.message)
            message = await self._taken(SessionMessage(usable, item.metadata))
            if message is not None:
                return message

    async def _taken(self, item: SessionMessage) -> SessionMessage | None:
        inbound = self._journal.inbound
        notes_before = len(inbound.left_out)
        try:
            message = await inbound.taken(item, is_asked=self._journal.is_asked)
        except ConnectionFailed as failure:
            self._carrier.stderr.write(f"ended, because it {failure.reason}\n".encode())
            self._journal.ended.set()
            raise anyio.EndOfStream from failure
        for note in inbound.left_out[notes_before:]:
            self._carrier.stderr.write(f"{note}\n".encode(errors="replace"))
        return message

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Writer:
    def __init__(self, inner: WriteStream[SessionMessage], journal: Journal) -> None:
        self._inner = inner
        self._journal = journal

    async def send(self, item: SessionMessage, /) -> None:
        self._journal.sent(item.message)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def masked_message(message: JSONRPCMessage, masking: Masking) -> JSONRPCMessage:
    """A message of the server without what it was given as a secret."""
    if isinstance(message, JSONRPCResponse):
        return message.model_copy(update={"result": masking(message.result)})
    if isinstance(message, JSONRPCError):
        error = message.error
        changes = {name: masking(getattr(error, name)) for name in error.model_fields_set}
        return message.model_copy(update={"error": error.model_copy(update=changes)})
    if message.params is None:
        return message
    return message.model_copy(update={"params": masking(message.params)})


def with_opaque(masked: JSONRPCMessage, message: JSONRPCMessage) -> JSONRPCMessage:
    """With what goes back to the server as it came, and is shown to nobody."""
    if not isinstance(masked, JSONRPCResponse) or not isinstance(message, JSONRPCResponse):
        return masked
    opaque = {name: message.result[name] for name in OPAQUE if name in message.result}
    return masked.model_copy(update={"result": masked.result | opaque}) if opaque else masked


def _frame(direction: Direction, message: dict[str, Any]) -> Frame:
    return {"direction": direction, "at": time.time(), "message": message}


def request_id(frames: Sequence[Frame]) -> str:
    """The id of the last request of the call whose frames these are; empty if there is none."""
    requests = (one["message"] for one in reversed(frames) if one["direction"] == "sent")
    return str(next((message["id"] for message in requests if _key(message.get("params"))), ""))


def _key(params: Any) -> str | None:
    """The key of the call that a request of ours belongs to."""
    return ((params or {}).get("_meta") or {}).get(CALL_KEY)


def about_call(frames: list[Frame]) -> dict[str, str | int]:
    """The id of the last request that called a tool, and the code of the error that answered it."""
    messages = [frame["message"] for frame in frames]
    calls = [message for message in messages if message.get("method") == "tools/call"]
    if not calls:
        return {}
    number = calls[-1].get("id")
    answers = (message for message in messages if "method" not in message)
    answer: dict[str, Any] = next((one for one in answers if str(one.get("id")) == str(number)), {})
    code = (answer.get("error") or {}).get("code")
    attributes: dict[str, str | int] = {"request": str(number)}
    return attributes if code is None else {**attributes, "error_code": str(code)}


def _is_answer(message: JSONRPCMessage) -> bool:
    """Whether it is an answer that names its request; an error may lack the id."""
    return isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None


def _request_of(direction: Direction, message: JSONRPCMessage) -> Any:
    """The id of our request that this message is, answers, cancels or reports progress of.

    Requests of the server have ids of their own, which give None. As in the SDK, "7" is 7.
    """
    if isinstance(message, JSONRPCNotification):
        params = message.params or {}
        number = params.get("progressToken", params.get("requestId"))
    else:
        is_ours = isinstance(message, JSONRPCRequest) == (direction == "sent")
        number = message.id if is_ours else None
    known = as_request_id(number)
    return None if known is None else coerce_request_id(known)
