"""The websocket of a browser tab: authenticates, forwards, resumes. See `docs/protocol.md`."""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, TypeVar

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext

from chat.commands import temporary
from chat.commands.answer import ANSWERS, answer_question
from chat.commands.decide import decide_call
from chat.commands.send import send_message
from chat.commands.stop import stop_turn
from chat.errors import Invalid, Rejected, RightsEnded
from chat.events.log import EventId, encode
from chat.live import rights
from chat.live.following import Following
from chat.live.frames import new_message
from chat.live.rights import Ticket
from chat.live.sockets import TOO_MANY, Sockets
from chat.live.together import Person
from chat.live.writing import Message, SocketWriter, message, nested_message
from chat.models import Conversation, PersonalSettings, Question, Turn, of_owner_or_author
from chat.models.conversations import PARENT_CONVERSATION
from db.public_ids import parse_public_id
from db.threads import from_loop
from languages.choice import language_of_socket
from languages.later import later
from languages.stored import shown
from limits.web import MAX_WATCHED_SUBAGENTS
from tracing.formatting.text import visible
from tracing.models import Span
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
    _closing: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        user = self.scope["user"]
        if not user.is_authenticated:
            await self.close(FORBIDDEN)
            return
        self.user = user
        self.language = language_of_socket(self.scope)
        if self.language != settings.LANGUAGE_CODE:
            translation.activate(self.language)
        self.watched = {}
        self._answered = asyncio.Event()
        self._answered.set()
        permissions = await _permissions(user)
        self.ticket = Ticket(self.scope["session"].session_key or "", user.pk, permissions)
        sockets = Sockets.of_this_process()
        if not sockets.has_room(user.pk):
            await self.accept()  # a refused handshake carries no close code
            await self.close(TOO_MANY)
            return
        self.sockets = sockets
        self.sockets.enter(self)
        await self.accept()
        await self.reply(type="hello", protocol=PROTOCOL)
        if not self.sockets.hub.up:
            await self.notify(self.sockets.notice())

    @property
    def name(self) -> str:
        return str(self.user.get_username())

    async def disconnect(self, code: int) -> None:
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
            _readable_conversation, self.user, frame.get("conversation")
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
        nested = await self._if_allowed(_readable_nested, self.user, public_id)
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
            turn, began = await self._if_allowed(_send, self.user, frame, cookies)
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
        await self._if_allowed(_stop, self.user, frame.get("turn"))

    async def decide(self, frame: Frame) -> None:
        try:
            await self._if_allowed(_decide, self.user, frame)
        except Rejected as error:
            await self.reply(
                type="error", code="invalid", error=str(error), call=str(frame.get("call"))
            )

    async def answer(self, frame: Frame) -> None:
        try:
            await self._if_allowed(_answer, self.user, frame)
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

    async def _close_broken(self) -> None:
        with suppress(OSError):
            await self.close(INTERNAL)

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


def _readable_conversation(user: User, public_id: object) -> Conversation | None:
    parsed_id = parse_public_id(public_id)
    conversations = Conversation.objects.readable_by(user)
    return conversations.filter(public_id=parsed_id).first() if parsed_id else None


def _readable_nested(user: User, public_id: object) -> Conversation | None:
    """With the conversation whose call began it."""
    parsed_id = parse_public_id(public_id)
    nested = Conversation.objects.nested_readable_by(user).select_related(PARENT_CONVERSATION)
    return nested.filter(public_id=parsed_id).first() if parsed_id else None


def _send(user: User, frame: Frame, cookies: Mapping[str, str]) -> tuple[Turn, bool]:
    """The turn, and whether its conversation began with it."""
    message = new_message(frame, PersonalSettings.zone_of(user, cookies))
    return send_message(user, message), message.conversation_id is None


def _stop(user: User, public_id: object) -> None:
    parsed_id = parse_public_id(public_id)
    if parsed_id is not None:
        stop_turn(user, parsed_id)


def _answer(user: User, frame: Frame) -> None:
    question_id = parse_public_id(frame.get("question"))
    questions = Question.objects.answerable_by(user)
    question = questions.filter(public_id=question_id).first() if question_id else None
    action = frame.get("action")
    if question is not None and isinstance(action, str) and action in ANSWERS:
        answer_question(question, action, frame.get("content"), user)


def _decide(user: User, frame: Frame) -> None:
    decidable = Span.objects.filter(of_owner_or_author(user, "trace__turn"), kind=Span.Kind.TOOL)
    call_id = parse_public_id(frame.get("call"))
    call = decidable.filter(public_id=call_id).first() if call_id else None
    decision, arguments = frame.get("decision"), frame.get("arguments")
    if call is None or decision not in ("approve", "deny"):
        return
    if arguments is not None and not isinstance(arguments, str):
        raise Rejected(gettext("The arguments of a decision are JSON text."))
    decide_call(
        call,
        approve=decision == "approve",
        reason=str(frame.get("reason") or ""),
        for_conversation=frame.get("scope") == "conversation",
        arguments=arguments,
        user=user,
    )
