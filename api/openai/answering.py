"""Running a call: a turn is begun, and its answer is sent as a document or as a stream."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from api.openai import chat_answer, following, response_answer, sending
from api.openai.call import Call
from api.openai.chat_answer import ChatStream
from api.openai.errors import OpenAIError, error_of, refused
from api.openai.following import Ended, Following, Part
from api.openai.outcome import Outcome
from api.openai.response_answer import NOTHING, ResponseStream
from api.openai.sending import Prepared, Sent
from chat.errors import Overtaken
from db.threads import from_loop
from limits.api import MAX_API_CALLS
from tokens.access import Access

# Calls that are open in this process, by user.
_open: Counter[int] = Counter()


@dataclass(frozen=True)
class Wishes:
    """What the headers ask for. `goes_on`: the turn does when its client leaves; `waits`: for a
    person who has to approve a call."""

    goes_on: bool = False
    waits: bool = True

    @classmethod
    def read(cls, request: HttpRequest) -> "Wishes":
        left = _header(request, "X-Roundtrip-On-Disconnect", ("stop", "continue"))
        approval = _header(request, "X-Roundtrip-Approval", ("wait", "refuse"))
        return cls(goes_on=left == "continue", waits=approval == "wait")


def _header(request: HttpRequest, name: str, values: tuple[str, ...]) -> str:
    """One of these values, the first without the header."""
    value = request.headers.get(name, values[0]).strip().casefold()
    if value not in values:
        raise refused(name, f"The header {name} has to be one of {', '.join(values)}.")
    return value


class Stream(Protocol):
    def begin(self) -> bytes: ...

    def part(self, part: Part) -> bytes: ...

    def error(self, error: OpenAIError) -> bytes: ...


async def answer(
    access: Access, call: Call, wishes: Wishes, given_input: Any = None
) -> HttpResponseBase:
    """Raises `OpenAIError` and what the commands raise."""
    user = access.user.pk
    _enter(user)
    try:
        running = await _begin(access, call, wishes, given_input)
    except BaseException:
        _leave(user)
        raise
    if call.is_stream:
        content = running.stream(partial(_leave, user))
        return StreamingHttpResponse(
            content, content_type="text/event-stream; charset=utf-8", headers=running.headers
        )
    try:
        outcome = NOTHING if call.is_background else await running.outcome()
    except OpenAIError as error:
        raise replace(error, headers={**error.headers, **running.headers}) from error
    finally:
        running.close()
        _leave(user)
    return JsonResponse(running.document(outcome), headers=running.headers)


def _enter(user: int) -> None:
    if _open[user] >= MAX_API_CALLS:
        message = f"{MAX_API_CALLS} of your calls are open. Wait until some are done."
        kind, headers = "rate_limit_error", {"Retry-After": "1"}
        raise OpenAIError(429, message, kind, code="too_many_calls", headers=headers)
    _open[user] += 1


def _leave(user: int) -> None:
    _open[user] -= 1
    if not _open[user]:
        del _open[user]


async def _begin(access: Access, call: Call, wishes: Wishes, given_input: Any) -> "Running":
    """Follows the log before the turn is sent."""
    prepared = await from_loop(sending.prepare, access.user, call, given_input)
    try:
        return await _send(access, prepared, wishes)
    except Overtaken:
        return await _send(access, sending.anew(prepared), wishes)


async def _send(access: Access, prepared: Prepared, wishes: Wishes) -> "Running":
    log = Following(prepared.conversation)
    await log.begin()
    try:
        sent = await from_loop(sending.send, access.user, prepared)
    except BaseException:
        log.close()
        raise
    return Running(access, prepared.call, sent, log, wishes)


class Running:
    """A turn that has begun, and the log that is followed for it."""

    def __init__(
        self, access: Access, call: Call, sent: Sent, log: Following, wishes: Wishes
    ) -> None:
        self._access, self._call, self._sent, self._log = access, call, sent, log
        self._wishes = wishes

    @property
    def headers(self) -> dict[str, str]:
        return {**self._sent.headers, "X-Accel-Buffering": "no"}

    def document(self, outcome: Outcome) -> dict[str, Any]:
        if self._call.is_response:
            return response_answer.document(self._sent.turn, self._sent.row, outcome)
        return chat_answer.document(self._sent, outcome)

    async def outcome(self) -> Outcome:
        """The whole answer. Raises `OpenAIError`; a response that failed is an answer too."""
        try:
            async for part in self._parts():
                if isinstance(part, Ended):
                    if part.outcome.failure is not None:
                        raise part.outcome.failure
                    return part.outcome
        except asyncio.CancelledError:
            self._leave()
            raise
        raise AssertionError("a turn has an end")

    async def stream(self, finished: Callable[[], None]) -> AsyncIterator[bytes]:
        """What is written as the client reads it: events that come meanwhile wait in the log."""
        events = self._events()
        is_over = False
        try:
            yield events.begin()
            async for part in self._parts():
                written = events.part(part)
                is_over = is_over or isinstance(part, Ended)
                yield written
        except Exception as error:
            is_over = True
            yield events.error(error_of(error))
        finally:
            if not is_over:
                self._leave()
            self.close()
            finished()

    def _events(self) -> Stream:
        if self._call.is_response:
            return ResponseStream(self._sent.turn, self._sent.row)
        return ChatStream(self._sent, with_usage=self._call.with_usage)

    def _parts(self) -> AsyncIterator[Part]:
        token, wishes = self._access.token, self._wishes
        return following.parts(
            self._log,
            self._sent.turn,
            token,
            waits=wishes.waits,
            with_tools=self._call.with_tools,
        )

    def _leave(self) -> None:
        """The client has left."""
        if not self._wishes.goes_on:
            following.stop_later(self._access.user, self._sent.turn.public_id)

    def close(self) -> None:
        self._log.close()
