"""The websocket of a browser tab: authenticates, forwards, resumes. See `docs/protocol.md`."""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, TypeVar

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext

from chat.commands import temporary
from chat.errors import Invalid, Rejected, RightsEnded
from chat.events.log import EventId, encode
from chat.live import frame_commands, programs, rights
from chat.live.following import Following
from chat.live.rights import Ticket
from chat.live.sockets import TOO_MANY, Sockets
from chat.live.together import Person
from chat.live.writing import Message, SocketWriter, message, nested_message
from chat.models import Conversation
from db.public_ids import parse_public_id
from db.threads import from_loop
from languages.choice import language_of_socket
from languages.later import later
from languages.stored import shown
from limits.api import MAX_AUTHENTICATION_S, MAX_WAITING_SOCKETS
from limits.web import MAX_WATCHED_SUBAGENTS
from tokens.access import ScopeMissing
from tracing.formatting.text import visible
from tracing.permissions import held

logger = logging.getLogger(__name__)

PROTOCOL = 1
FORBIDDEN = 4403
INTERNAL = 1011
NO_SUBAGENT = later("This subagent does not exist.")
ALL_WATCHED = later(
    "%(most)s subagents can be watched at once. Close some first.", most=MAX_WATCHED_SUBAGENTS
)

Frame = dict[str, Any]
T = TypeVar("T")


class ChatConsumer(AsyncWebsocketConsumer):
    """One socket. A task of its own forwards the events of the conversation that it follows."""

    ticket: Ticket
    followed: Following | None = None
    # The subagents that are watched beside it, by the public id of their conversation.
    watched: dict[uuid.UUID, Following]
    # Of a conversation that several people have open: see `chat.live.together`.
    wrote = 0.0
    told: tuple[Person, ...] | None = None
    # Of a program: what its token allows; None for a page, which may do everything.
    scopes: frozenset[str] | None = None
    _closing: asyncio.Task[None] | None = None
    _waiting: asyncio.TimerHandle | None = None

    async def connect(self) -> None:
        secret = programs.secret_of(self.scope)
        if secret:
            await self._admit(secret)
        elif programs.is_program(self.scope):
            await self._wait_for_token()
        elif (user := self.scope["user"]).is_authenticated:
            key, permissions = self.scope["session"].session_key or "", await _permissions(user)
            await self._begin(user, Ticket(key, user.pk, permissions))
        else:
            await self.close(FORBIDDEN)

    async def _wait_for_token(self) -> None:
        """Accepts a program whose first frame is to have its token."""
        if len(_waiting) >= MAX_WAITING_SOCKETS:
            await self.close(TOO_MANY)
            return
        _waiting.add(self)
        loop = asyncio.get_running_loop()
        self._waiting = loop.call_later(MAX_AUTHENTICATION_S, self._give_up)
        await self.accept(programs.chosen_subprotocol(self.scope))
        self._is_accepted = True

    def _give_up(self) -> None:
        self._closing = asyncio.create_task(self._close_broken(FORBIDDEN))

    def _stop_waiting(self) -> None:
        _waiting.discard(self)
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _admit(self, secret: object) -> None:
        admitted = await programs.admitted(secret)
        if admitted is None:
            await self.close(FORBIDDEN)
            return
        user, ticket, self.scopes = admitted
        await self._begin(user, ticket)

    _is_accepted = False

    async def _accept(self) -> None:
        if not self._is_accepted:
            self._is_accepted = True
            await self.accept(programs.chosen_subprotocol(self.scope))

    async def _begin(self, user: User, ticket: Ticket) -> None:
        self.user, self.ticket = user, ticket
        self.language = language_of_socket(self.scope)
        if self.language != settings.LANGUAGE_CODE:
            translation.activate(self.language)
        self.watched = {}
        self._answered = asyncio.Event()
        self._answered.set()
        if not await from_loop(rights.valid, {ticket}):
            await self.close(FORBIDDEN)
            return
        sockets = Sockets.of_this_process()
        if not sockets.has_room(user.pk):
            await self._accept()  # a refused handshake carries no close code
            await self.close(TOO_MANY)
            return
        self.sockets = sockets
        self.sockets.enter(self)
        await self._accept()
        await self.reply(type="hello", protocol=PROTOCOL)
        if not self.sockets.hub.up:
            await self.notify(self.sockets.notice())

    @property
    def name(self) -> str:
        return str(self.user.get_username())

    async def disconnect(self, code: int) -> None:
        self._stop_waiting()
        if not hasattr(self, "sockets"):
            return
        self.sockets.leave(self)
        await self._leave_conversation()

    async def _leave_conversation(self) -> None:
        await self._unfollow()
        while self.watched:
            await self.watched.popitem()[1].end()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        frame = _parse(text_data)
        if self._waiting is not None:
            self._stop_waiting()
            is_token = frame is not None and frame.get("type") == "authenticate"
            await self._admit(frame.get("token") if frame and is_token else None)
            return
        handler = self.handlers.get(str(frame.get("type"))) if frame is not None else None
        if frame is None or handler is None:
            await self.reply(
                type="error",
                code="malformed" if frame is None else "unknown",
                error=gettext(
                    "This frame is not understood. docs/protocol.md describes all of them."
                ),
            )
        else:
            await self._handle(handler, frame)

    async def _handle(
        self, handler: Callable[["ChatConsumer", Frame], Awaitable[None]], frame: Frame
    ) -> None:
        needed = programs.SCOPES.get(str(frame["type"]))
        if self.scopes is not None and needed is not None and needed not in self.scopes:
            error = str(ScopeMissing(needed))
            await self.reply(type="error", code="scope", error=error, scope=needed.value)
            return
        try:
            await handler(self, frame)
        except RightsEnded:
            await self.close(FORBIDDEN)

    async def _if_allowed(self, function: Callable[..., T], *args: Any) -> T:
        """Calls a function that uses the ORM, unless this socket's rights have ended."""
        return await from_loop(_checked, self.ticket, self.language, function, *args)

    async def ping(self, frame: Frame) -> None:
        await self.reply(type="pong")

    async def open(self, frame: Frame) -> None:
        conversation = await self._if_allowed(
            frame_commands.readable_conversation, self.user, frame.get("conversation")
        )
        if conversation is None:
            await self.reply(
                type="error",
                code="unknown",
                error=gettext("This conversation does not exist. It may have been deleted."),
                conversation=str(frame.get("conversation")),
            )
            return
        cursor = _cursor(frame.get("cursor"))
        await self._follow(conversation, cursor, snapshot_first=cursor is None)

    async def watch(self, frame: Frame) -> None:
        """Follows a subagent too, whose card is open on the page."""
        public_id = frame.get("conversation")
        nested = await self._if_allowed(frame_commands.readable_nested, self.user, public_id)
        if nested is None or len(self.watched) >= MAX_WATCHED_SUBAGENTS:
            code, error = ("unknown", NO_SUBAGENT) if nested is None else ("too_many", ALL_WATCHED)
            await self.reply(type="error", code=code, error=str(error), conversation=str(public_id))
            return
        await self.unwatch(frame)
        cursor = _cursor(frame.get("cursor"))
        writer = self._writer(partial(nested_message, nested.public_id))
        following = Following(self.sockets.hub, nested, writer, self._failed)
        self.watched[nested.public_id] = following
        following.begin(cursor, snapshot_first=cursor is None)

    async def unwatch(self, frame: Frame) -> None:
        parsed_id = parse_public_id(frame.get("conversation"))
        following = self.watched.pop(parsed_id, None) if parsed_id else None
        if following is not None:
            await following.end()

    async def send_message(self, frame: Frame) -> None:
        self._answered.clear()
        try:
            began = await self._accept_message(frame)
        finally:
            self._answered.set()
        if began is not None:
            await self._follow(began, None, snapshot_first=False)

    async def _accept_message(self, frame: Frame) -> Conversation | None:
        """Stores a message and says so. Returns the conversation if it began with it."""
        key = frame.get("key")
        try:
            cookies = self.scope["cookies"]
            turn, began = await self._if_allowed(frame_commands.send, self.user, frame, cookies)
        except Rejected as error:
            await self.reply(type="rejected", key=key, error=str(error))
            return None
        await self.reply(
            type="accepted",
            key=key,
            conversation=str(turn.conversation.public_id),
            turn=str(turn.public_id),
            message=str(turn.question.public_id) if turn.question else None,
            waits=turn.is_in_line,
        )
        return turn.conversation if began else None

    async def stop(self, frame: Frame) -> None:
        await self._if_allowed(frame_commands.stop, self.user, frame.get("turn"))

    async def decide(self, frame: Frame) -> None:
        try:
            await self._if_allowed(frame_commands.decide, self.user, frame)
        except Rejected as error:
            await self.reply(
                type="error", code="invalid", error=str(error), call=str(frame.get("call"))
            )

    async def answer(self, frame: Frame) -> None:
        try:
            await self._if_allowed(frame_commands.answer, self.user, frame)
        except Invalid as error:
            about = {"question": str(frame.get("question")), "fields": error.fields}
            await self.reply(type="error", code="invalid", error=str(error), **about)

    async def writing(self, frame: Frame) -> None:
        """The person types a message."""
        self.wrote = time.time()

    async def tell_people(self, conversation: uuid.UUID, people: Sequence[Person] | None) -> None:
        named = [{"name": visible(one.name), "writing": one.writes} for one in people or ()]
        about = {"conversation": str(conversation), "shared": people is not None}
        await self.reply(type="presence", **about, people=named)

    async def end_share(self, conversation: Conversation) -> None:
        """This conversation is not shared with its user any more."""
        if self.followed is None or self.followed.conversation.pk != conversation.pk:
            return
        await self._leave_conversation()
        await self.reply(type="unshared", conversation=str(conversation.public_id))

    async def end_watch(self, nested: Conversation) -> None:
        """The conversation of this subagent is not shared with its user any more."""
        name = str(nested.public_id)
        await self.unwatch({"conversation": name})
        with translation.override(self.language):
            error = str(NO_SUBAGENT)
        await self.reply(type="error", code="unknown", error=error, conversation=name)

    async def notify(self, notice: Frame) -> None:
        """A notice to all sockets, in the language of this one."""
        await self.reply(**{**notice, "text": shown(notice["text"], self.language)})

    async def reply(self, **frame: Any) -> None:
        await self.send(text_data=encode(frame))

    async def _follow(
        self, conversation: Conversation, cursor: EventId | None, *, snapshot_first: bool
    ) -> None:
        await self._unfollow()
        if conversation.is_temporary:
            await from_loop(temporary.watch, [conversation.pk])
        writer = self._writer(message)
        self.followed = Following(self.sockets.hub, conversation, writer, self._failed)
        self.followed.begin(cursor, snapshot_first=snapshot_first)

    async def _unfollow(self) -> None:
        followed, self.followed, self.told, self.wrote = self.followed, None, None, 0.0
        if followed is not None:
            await followed.end()

    def _failed(self, follower: "asyncio.Task[None]") -> None:
        """Closes a socket whose follower ended, so that its client connects again. A client
        that has left is no error: the server's `ClientDisconnected` is an OSError."""
        error = follower.exception()
        if not isinstance(error, OSError):
            logger.error("A socket cannot be served", exc_info=error)
        self._closing = asyncio.create_task(self._close_broken())

    async def _close_broken(self, code: int = INTERNAL) -> None:
        with suppress(OSError):
            await self.close(code)

    def _writer(self, message: Message) -> SocketWriter:
        return SocketWriter(self.scope, self.send, self._answered, message)

    # By the frame's type. `tests/access/frames.py` and `docs/protocol.md` have each of them.
    handlers: ClassVar[dict[str, Callable[["ChatConsumer", Frame], Awaitable[None]]]] = {
        "open": open,
        "send": send_message,
        "watch": watch,
        "unwatch": unwatch,
        "stop": stop,
        "decide": decide,
        "answer": answer,
        "writing": writing,
        "ping": ping,
    }


# Sockets of programs whose token has not come yet.
_waiting: set[ChatConsumer] = set()


async def _permissions(user: User) -> frozenset[str]:
    """The permissions of staff; empty for everybody else, without a query."""
    return await from_loop(held, user) if user.is_staff or user.is_superuser else frozenset()


def _checked(ticket: Ticket, language: str, function: Callable[..., T], *args: Any) -> T:
    if not rights.valid({ticket}):
        raise RightsEnded
    if language == settings.LANGUAGE_CODE:
        return function(*args)
    with translation.override(language):
        return function(*args)


def _parse(text: str | None) -> Frame | None:
    try:
        frame = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return frame if isinstance(frame, dict) else None


def _cursor(value: object) -> EventId | None:
    try:
        return EventId.parse(value) if isinstance(value, str) else None
    except ValueError:
        return None
