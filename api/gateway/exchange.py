"""One call: bytes from the caller to the provider and back, both at once, as they come.

A reader task takes the request's body from the caller and then waits for the caller to leave, which
cancels the call upstream; another task cancels it when the caller's token ends. The response goes
to the caller piece by piece; a caller that reads slowly slows the provider down, and the other way
round.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from api.gateway import held_bodies, upstream
from api.gateway.access import judge, operation_of
from api.gateway.call import Call, CutBy
from api.gateway.callers import Caller, Route
from api.gateway.headers import Framing, Pairs, downstream_headers
from api.gateway.refusals import NoAnswer, NotPermitted, Refusal, TooLarge, TooMany
from api.gateway.secret_filter import Filter, KeyInAnswer, filter_for
from chat.llm.redaction import redact
from limits.gateway import (
    MAX_GATEWAY_HELD_PIECES,
    MAX_GATEWAY_JUDGED_BYTES,
    MAX_GATEWAY_REQUEST_BYTES,
)

if TYPE_CHECKING:
    from aiohttp import ClientResponse

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
# The caller and the provider as they are now; raises NotPermitted once the caller may not go on.
Check = Callable[[], Awaitable[tuple[Caller, Route]]]

# Seconds between two checks. `callers` answers what it knows, and reads anew what is half of
# `MAX_GATEWAY_TOKEN_AGE_S` old: so a call ends within 4.5 s of its token.
CHECK_INTERVAL_S = 1.0
# Seconds that a body may take which is read whole, to be judged.
BODY_S = 120.0
_CHANGED = "The provider has been changed meanwhile. Send the request again."

logger = logging.getLogger(__name__)


class Exchange:
    """`headers` are those that go to the provider."""

    def __init__(
        self,
        call: Call,
        headers: Pairs,
        framing: Framing,
        receive: Receive,
        send: Send,
        check: Check,
    ) -> None:
        self._call, self._headers, self._framing = call, headers, framing
        self._receive, self._send, self._check = receive, send, check
        self._pieces: asyncio.Queue[bytes | Refusal | None] = asyncio.Queue(MAX_GATEWAY_HELD_PIECES)
        self._received = self._held = 0
        self._refusal: Refusal | None = None
        self._has_begun = self._has_ended = False
        self._cut: CutBy | None = None  # by what the task was cancelled from here
        self._task: asyncio.Task[Any] | None = None

    async def run(self) -> None:
        """To the end of the call, however it ends. Raises Refusal if nothing was answered yet."""
        self._task = asyncio.current_task()
        self._check_length()
        first = await self._next_piece()
        if first is None:
            self._call.cut = CutBy.CALLER
            return
        piece, more = first
        if self._call.operation is not None:
            piece, more = await self._whole(piece, more), False
        await self._renew()
        if (operation := self._call.operation) is not None:
            if more:  # until a moment ago it was to be passed on unread
                piece, more = await self._whole(piece, more), False
            await judge(piece, operation, self._call)
        self._call.is_request_whole = not more
        beside = [asyncio.create_task(self._read(more)), asyncio.create_task(self._watch())]
        try:
            await self._pass_on(self._rest(piece) if more else piece or None)
        except asyncio.CancelledError:
            if self._cut is None or self._task is None:
                raise
            self._task.uncancel()
            self._call.cut = self._cut
            if self._cut is CutBy.GATEWAY and self._refusal is not None:
                self._refuse(self._refusal)
        finally:
            for task in beside:
                task.cancel()

    async def _renew(self) -> None:
        """Takes what the caller may do now: the body may have come long after its head."""
        call = self._call
        caller, route = await self._check()
        if route.base_url != call.route.base_url:
            raise Refusal(_CHANGED, 503, "provider_changed")
        call.caller, call.route = caller, route
        call.operation = operation_of(call)

    async def _watch(self) -> None:
        """Ends the call when the caller may not go on; not while the database does not answer."""
        while self._refusal is None:
            await asyncio.sleep(CHECK_INTERVAL_S)
            try:
                await self._check()
            except NotPermitted as refusal:
                self._refusal = refusal
                self._cancel(CutBy.GATEWAY)
            except Exception as error:  # whatever it is, the call has to be looked after
                logger.warning("A call could not be checked: %s", type(error).__name__)

    def _refuse(self, refusal: Refusal) -> None:
        """Ends the call here: raises the refusal before an answer has begun; one that has begun is
        left unfinished."""
        self._call.cut, self._call.error = CutBy.GATEWAY, str(refusal)
        if not self._has_begun:
            raise refusal

    async def _pass_on(self, body: upstream.Body) -> None:
        call = self._call
        length = self._framing.length
        is_streamed = not isinstance(body, bytes) and body is not None
        framed = [("content-length", str(length))] if is_streamed and length is not None else []
        call.sent_at = time.perf_counter()
        try:
            async with upstream.sent(
                call, [*self._headers, *call.route.credentials, *framed], body
            ) as response:
                call.headers_at = time.perf_counter()
                await self._answer(response)
        except upstream.Failed as failure:
            self._fail(failure)
        except KeyInAnswer:
            call.cut, call.error = CutBy.GATEWAY, "The compressed answer held the provider's key."

    async def _answer(self, response: "ClientResponse") -> None:
        call = self._call
        call.status = response.status
        call.response_headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.raw_headers
        ]
        keyless = [(n, redact(v, [call.route.key])) for n, v in response.raw_headers]
        headers = downstream_headers(keyless)
        filtering = filter_for(call.route.key, response.headers.get("Content-Encoding", ""))
        self._has_begun = True
        await self._send(
            {"type": "http.response.start", "status": response.status, "headers": headers}
        )
        await self._stream(response, filtering)

    async def _stream(self, response: "ClientResponse", filtering: Filter | None) -> None:
        call, content = self._call, response.content
        while piece := await content.readany():
            call.add_response(piece)
            if filtering is not None:
                piece = filtering.feed(piece)
            if piece:
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        rest = filtering.finish() if filtering is not None else b""
        call.is_masked = filtering is not None and filtering.found
        self._has_ended = True
        await self._send({"type": "http.response.body", "body": rest})

    def _fail(self, failure: upstream.Failed) -> None:
        """Raises Refusal. A response that has begun is left unfinished, so that the server closes
        the connection: the caller sees that it is cut."""
        call = self._call
        if self._refusal is not None:
            self._refuse(self._refusal)
            return
        call.cut, call.error = CutBy.PROVIDER, str(failure)
        call.is_unreached = failure.is_unreached
        if not self._has_begun:
            status, code = (504, "provider_timeout") if failure.is_late else (502, "")
            raise NoAnswer(str(failure), status, code)

    def _check_length(self) -> None:
        if (self._framing.length or 0) > MAX_GATEWAY_REQUEST_BYTES:
            raise _too_large(MAX_GATEWAY_REQUEST_BYTES)

    async def _next_piece(self) -> tuple[bytes, bool] | None:
        """The next piece of the request's body and whether there are more; None if the caller has
        left. Raises TooLarge."""
        message = await self._receive()
        if message["type"] != "http.request":
            return None
        piece: bytes = message.get("body", b"")
        self._received += len(piece)
        if self._received > MAX_GATEWAY_REQUEST_BYTES:
            raise _too_large(MAX_GATEWAY_REQUEST_BYTES)
        self._call.add_request(piece)
        return piece, bool(message.get("more_body"))

    async def _whole(self, piece: bytes, more: bool) -> bytes:
        pieces = [piece]
        self._hold(piece)
        try:
            async with asyncio.timeout(BODY_S):
                while more:
                    if self._received > MAX_GATEWAY_JUDGED_BYTES:
                        raise _too_large(MAX_GATEWAY_JUDGED_BYTES)
                    following = await self._next_piece()
                    if following is None:
                        self._call.cut = CutBy.CALLER
                        raise Refusal("The request ended before its body.")
                    piece, more = following
                    self._hold(piece)
                    pieces.append(piece)
        except TimeoutError:
            raise Refusal(f"The body took longer than {BODY_S:.0f} seconds.", 408) from None
        return b"".join(pieces)

    def _hold(self, piece: bytes) -> None:
        """Raises TooMany."""
        if not held_bodies.OF_PROCESS.take(self._call.caller.user.pk, len(piece)):
            raise TooMany("Too many large requests are on their way at once.")
        self._held += len(piece)

    def release(self) -> None:
        """The call has ended."""
        held_bodies.OF_PROCESS.give_back(self._call.caller.user.pk, self._held)
        self._held = 0

    async def _read(self, more: bool) -> None:
        """Reads the rest of the request's body, then waits until the caller leaves."""
        try:
            while more:
                following = await self._next_piece()
                if following is None:
                    self._cancel(CutBy.CALLER)
                    return
                piece, more = following
                await self._pieces.put(piece)
            self._call.is_request_whole = True
            await self._pieces.put(None)
        except TooLarge as refusal:
            await self._pieces.put(refusal)
            return
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._cancel(CutBy.CALLER)

    async def _rest(self, first: bytes) -> AsyncIterator[bytes]:
        if first:
            yield first
        while (piece := await self._pieces.get()) is not None:
            if isinstance(piece, Refusal):
                self._refusal = piece
                raise ValueError("refused")
            if piece:
                yield piece

    def _cancel(self, cut: CutBy) -> None:
        if not self._has_ended and self._cut is None and self._task is not None:
            self._cut = cut
            self._task.cancel()


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body of a request may have {limit:,} bytes.")
