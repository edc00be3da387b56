"""One streamed model call: an SDK builds and sends it, `wire` reads the response.

An SDK's own event parsing costs more than all other work on a token, and treats a web page, an
empty stream and an interrupted one as success. Here each of them is a `ProviderFailure`.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from chat.llm.call_timings import CallTimings
from chat.llm.dialects.contract import Answer, StreamParser, TextDelta
from chat.llm.endpoint import Endpoint
from chat.llm.errors import Endless, Overdue, ProviderFailure
from chat.llm.recording import Recording, received, recording
from chat.llm.sdk import sdk_for
from chat.llm.sdk.failures import RAISED, failure_of
from chat.llm.stream_failures import stream_failure
from limits.models import MAX_EPILOGUE_S
from limits.turns import MAX_TURN_S
from wire.chunks import Chunk, Item, joined
from wire.response import ResponseReader


@dataclass(frozen=True)
class Limits:
    """Bounds of one response: `response_bytes` as received and uncompressed, `seconds` in all."""

    response_bytes: int
    seconds: float = MAX_TURN_S


@dataclass(frozen=True)
class WireCall:
    """A request for the wire: where it goes, its body, and the parser of the answer."""

    endpoint: Endpoint
    body: dict[str, Any]
    parser: StreamParser
    limits: Limits


class ModelCall:
    """One attempt. `run` returns when the answer is complete, or raises a `ProviderFailure`;
    `answer` has the text up to then in both cases."""

    def __init__(
        self, call: WireCall, record: Recording, say: Callable[[Sequence[TextDelta]], None]
    ) -> None:
        self._call = call
        self._parser = call.parser
        self._record = record
        self._say = say
        self._timings = CallTimings()
        self._began = time.perf_counter()
        self._unpacked = 0
        self.ended_at = self._began
        self.answer: Answer | None = None
        self.usage: dict[str, Any] | None = None
        self.finish_reason: str | None = None
        self._refusal: str | None = None
        self.answering_model: str | None = None
        self.response_id: str | None = None

    async def run(self) -> None:
        recording.set(self._record)
        self._record.limit = self._call.limits.response_bytes
        try:
            await self._stream()
        except (ProviderFailure, *RAISED) as error:
            self._finish_parser()
            failure = failure_of(error, self._record, self._call.endpoint)
            raise failure from (None if failure is error else error)
        finally:
            self.ended_at = time.perf_counter()
        self._finish_parser()

    def cut(self) -> None:
        """To be called after an interruption: closes the answer with the text up to then."""
        self._finish_parser()
        self.ended_at = time.perf_counter()

    def timings(self) -> dict[str, float]:
        """Durations in seconds, by name (see `CallTimings`)."""
        return self._timings.timings(self._record, self._began, self.ended_at)

    async def _stream(self) -> None:
        sdk = sdk_for(self._call.endpoint)
        reader = ResponseReader(sdk.events())
        async with sdk.sending(self._call.endpoint, self._call.body) as response:
            await self._read(response, reader)

    async def _read(self, response: httpx2.Response, reader: ResponseReader) -> None:
        pieces = received(response)
        async for piece in pieces:
            self._check(piece)
            self._take(reader.feed(piece))
            if reader.done:
                break
        await self._epilogue(pieces)
        self._take(reader.finish())

    async def _epilogue(self, pieces: Any) -> None:
        """Records what follows the declared end, for `MAX_EPILOGUE_S` at most; errors there are
        ignored."""
        with suppress(ProviderFailure, *RAISED):
            async with asyncio.timeout(MAX_EPILOGUE_S):
                async for _ in pieces:
                    pass

    def _check(self, piece: bytes) -> None:
        limits = self._call.limits
        self._unpacked += len(piece)
        if self._unpacked > limits.response_bytes:
            raise Endless(limits.response_bytes, evidence=piece)
        if time.perf_counter() - self._began > limits.seconds:
            raise Overdue(limits.seconds, evidence=piece)

    def _take(self, items: Sequence[Item]) -> None:
        for item in items if len(items) == 1 else joined(items):
            if not isinstance(item, Chunk):
                raise stream_failure(item)
            self._take_chunk(item)

    def _take_chunk(self, chunk: Chunk) -> None:
        delta, finish_reason, usage, model, response_id, refusal = chunk
        self.answering_model = model or self.answering_model
        self.response_id = response_id or self.response_id
        self.usage = usage or self.usage
        if delta:
            self._timings.delta_arrived(delta)
            deltas = self._parser.feed(delta)
            if deltas:
                self._timings.text_parsed(deltas)
                self._say(deltas)
        self.finish_reason = finish_reason or self.finish_reason
        self._refusal = refusal or self._refusal

    def _finish_parser(self) -> None:
        if self.answer is None:
            deltas, answer = self._parser.finish(self.finish_reason)
            if self._refusal:
                answer = replace(answer, message={**answer.message, "refusal": self._refusal})
            self.answer = answer
            self._say(deltas)
