"""Server-sent events (WHATWG HTML, 9.2) from the event log that websockets follow.

    id: <incarnation>-<n>      as in the log; a browser sends it back as Last-Event-ID
    event: <type>              that of the event in docs/protocol.md
    data: <the event as JSON>

A stream is a cursor into the log, as a socket is: a slow reader lags, and reads on from Redis. A
hole, or a log that began anew, is a `snapshot` event, which replaces all that came before.
"""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext

from api.problems import LIMIT_REACHED, Problem
from api.rest.resource import ApiRequest
from chat.commands import temporary
from chat.events.log import EventFrame, EventId, encode
from chat.live.feed import Lost
from chat.live.snapshot import snapshot, turn_snapshot
from chat.live.sockets import RIGHTS_INTERVAL_S, Sockets
from chat.models import Conversation, Turn
from db.threads import from_loop
from limits.api import MAX_EVENT_STREAMS
from limits.web import MAX_EVENTS_A_FRAME
from tokens.access import usable_tokens

# Often enough for proxies, which close what is silent for a minute.
HEARTBEAT_S = 15.0
SNAPSHOT_PAUSE_S = 0.5
HEARTBEAT = b": heartbeat\n\n"
_TYPE = re.compile(rb'"type":"(\w+)"')
_BREAKS = {char.encode(): b"\\u%04x" % ord(char) for char in "\x85\u2028\u2029"}
OVER = ("done", "failed", "stopped")

# Open streams by user; a process has one loop.
_open: Counter[int] = Counter()


def respond(request: ApiRequest, conversation: Conversation, turn: Turn | None) -> HttpResponseBase:
    """A stream of the events of a conversation, or of one of its turns until that is over."""
    cursor = _cursor(request.headers.get("Last-Event-ID", ""))
    if turn is not None and not turn.is_open and cursor is not None:
        _frame, last = turn_snapshot(turn)
        if last is None or last <= cursor:
            return HttpResponse(status=204)
    if _open[request.user.pk] >= MAX_EVENT_STREAMS:
        raise Problem(
            LIMIT_REACHED,
            gettext("Too many event streams are open. Close some."),
            {"limit": "event_streams", "left": 0},
            {"Retry-After": "5"},
        )
    stream = EventStream(request.access.token.pk, request.user.pk, conversation, turn, cursor)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(
        stream.events(), content_type="text/event-stream; charset=utf-8", headers=headers
    )


@dataclass
class EventStream:
    """One client's reading of a log. For the event loop's thread."""

    token: int
    user: int
    conversation: Conversation
    turn: Turn | None
    cursor: EventId | None

    async def events(self) -> AsyncIterator[bytes]:
        _open[self.user] += 1
        try:
            async for piece in self._events():
                yield piece
        finally:
            _open[self.user] -= 1

    async def _events(self) -> AsyncIterator[bytes]:
        hub, more = Sockets.of_this_process().hub, asyncio.Event()
        feed = await hub.follow(self.conversation.public_id, more.set)
        try:
            if self.cursor is None:
                yield await self._snapshot()
            elif feed.last is None or feed.last < self.cursor:
                await hub.refresh(feed)
            checked = beat = time.monotonic()
            while not self._is_over:
                if time.monotonic() - checked >= RIGHTS_INTERVAL_S:
                    checked = time.monotonic()
                    if not await from_loop(self._may_go_on):
                        return
                more.clear()
                try:
                    frames = (await hub.after(feed, self.cursor))[:MAX_EVENTS_A_FRAME]
                except Lost:
                    await asyncio.sleep(SNAPSHOT_PAUSE_S)
                    yield await self._snapshot()
                    continue
                if piece := b"".join(map(self._event, frames)):
                    beat = time.monotonic()
                    yield piece
                now = time.monotonic()
                if frames:
                    continue
                if now - beat >= HEARTBEAT_S:
                    beat = now
                    yield HEARTBEAT
                await self._wait(more)
        finally:
            hub.leave(feed, more.set)

    _is_over = False

    async def _wait(self, more: asyncio.Event) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(more.wait(), RIGHTS_INTERVAL_S)

    async def _snapshot(self) -> bytes:
        frame, last = await from_loop(self._read)
        self.cursor = last
        if self.turn is not None:
            self._is_over = any(one["state"] in OVER for one in frame["turns"])
        name = f"id: {last}\n" if last else ""
        text = one_line(encode(frame).encode())
        return b"%bevent: snapshot\ndata: %b\n\n" % (name.encode(), text)

    def _read(self) -> tuple[dict[str, Any], EventId | None]:
        return snapshot(self.conversation) if self.turn is None else turn_snapshot(self.turn)

    def _event(self, frame: EventFrame) -> bytes:
        """An event as it is sent; empty for one of another turn."""
        self.cursor = frame.id
        if self.turn is not None and not self._is_of_turn(frame.text):
            return b""
        kind = _TYPE.search(frame.text)
        name = kind[1] if kind else b"message"
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (
            str(frame.id).encode(),
            name,
            one_line(frame.text),
        )

    def _is_of_turn(self, text: bytes) -> bool:
        assert self.turn is not None
        public_id = str(self.turn.public_id)
        if public_id.encode() not in text:
            return b'"type":"deleted"' in text
        event = json.loads(text)
        if event.get("turn") != public_id:
            return False
        if event.get("type") == "turn" and event.get("state") in OVER:
            self._is_over = True
        return True

    def _may_go_on(self) -> bool:
        """Whether the token still counts, and the conversation may still be read."""
        token = usable_tokens([self.token]).get(self.token)
        if token is None:
            return False
        if self.conversation.is_temporary:
            temporary.watch([self.conversation.pk])
        if self.conversation.parent_call_id is not None:
            nested = Conversation.objects.nested_readable_by(token.user)
            return nested.filter(pk=self.conversation.pk).exists()
        readable = Conversation.objects.readable_by(token.user)
        return readable.filter(pk=self.conversation.pk).exists()


def one_line(text: bytes) -> bytes:
    """JSON without what is a line break to Unicode alone, where clients cut lines too."""
    for character, escaped in _BREAKS.items():
        text = text.replace(character, escaped)
    return text


def _cursor(value: str) -> EventId | None:
    try:
        return EventId.parse(value) if value else None
    except ValueError:
        return None
