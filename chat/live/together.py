"""Conversations that several people have open: who is there and who writes, and whose access ended.

Every few seconds each process looks at the conversations that its sockets follow. A socket that
follows one which is not shared with its user any more is told so and follows it no further, nor a
subagent that it watches in one. Of shared ones the process says in Redis which people it serves,
and tells its sockets who the others are. Nothing of this is in the database or in an event log.
"""

import asyncio
import json
import logging
import time
from collections import defaultdict
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID, uuid4

from chat.live.feed import Hub
from chat.live.following import Following
from chat.live.rights import Ticket
from chat.models import Conversation, ConversationShare
from db.threads import from_loop

logger = logging.getLogger(__name__)

INTERVAL_S = 2.0
# How long somebody counts as there, and as writing, after the last sign of it.
THERE_S = 7.0
WRITING_S = 5.0
KEY = "presence:{}"


class SharedSocket(Protocol):
    """What this module needs of a consumer. `wrote`: when its person last typed, in seconds since
    1970; `told`: the people that it was last told."""

    wrote: float
    told: "tuple[Person, ...] | None"

    @property
    def ticket(self) -> Ticket: ...

    @property
    def name(self) -> str: ...

    @property
    def followed(self) -> Following | None: ...

    @property
    def watched(self) -> Mapping[UUID, Following]: ...

    async def tell_people(self, conversation: UUID, people: "Sequence[Person] | None") -> None: ...

    async def end_share(self, conversation: Conversation) -> None: ...

    async def end_watch(self, nested: Conversation) -> None: ...


@dataclass(frozen=True, order=True)
class Person:
    """Somebody who has a conversation open."""

    name: str
    writes: bool


@dataclass(frozen=True)
class Access:
    """Which of some conversations (primary keys) are shared, and which people (keys of users) may
    read and write in them because of that."""

    shared: frozenset[int]
    readers: frozenset[tuple[int, int]] = frozenset()
    writers: frozenset[tuple[int, int]] = frozenset()

    def may_read(self, conversation: Conversation, user: int) -> bool:
        return conversation.owner_id == user or (conversation.pk, user) in self.readers

    def may_write(self, conversation: Conversation, user: int) -> bool:
        return conversation.owner_id == user or (conversation.pk, user) in self.writers


class Together:
    """For the event loop's thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._process = str(uuid4())
        self._sending: set[asyncio.Task[None]] = set()

    async def look(self, sockets: Iterable[SharedSocket]) -> None:
        """Ends what is not shared any more, and tells who is there. One query; two if somebody
        follows a conversation of somebody else. Raises RedisError."""
        sockets = list(sockets)
        following = [(one, one.followed.conversation) for one in sockets if one.followed]
        watching = [(one, nested) for one in sockets for nested in _watched_of_others(one)]
        if not following and not watching:
            return
        within = [(one, _parent(nested)) for one, nested in watching]
        pairs = [(c, one.ticket.user_id) for one, c in (*following, *within)]
        access = await from_loop(access_to, pairs)
        for socket, nested in watching:
            if not access.may_read(_parent(nested), socket.ticket.user_id):
                self._send(socket.end_watch(nested))
        shared: dict[UUID, list[SharedSocket]] = defaultdict(list)
        for socket, conversation in following:
            if not access.may_read(conversation, socket.ticket.user_id):
                self._send(socket.end_share(conversation))
            elif conversation.pk in access.shared:
                shared[conversation.public_id].append(socket)
            else:
                self._tell(socket, conversation.public_id, None)
        if shared and self._hub.up:
            await self._tell_all(shared, access)

    async def _tell_all(
        self, shared: Mapping[UUID, Sequence[SharedSocket]], access: Access
    ) -> None:
        now = time.time()
        async with self._hub.redis.pipeline(transaction=False) as pipeline:
            for conversation, sockets in shared.items():
                key = KEY.format(conversation)
                pipeline.hset(key, self._process, json.dumps(_signs(sockets, access, now)))
                pipeline.expire(key, round(THERE_S) + 1)
                pipeline.hgetall(key)
            answers = await pipeline.execute()
        for (conversation, sockets), stored in zip(shared.items(), answers[2::3], strict=True):
            people = _people(stored.values(), now)
            for socket in sockets:
                others = {user: one for user, one in people.items() if user != _user(socket)}
                self._tell(socket, conversation, tuple(sorted(others.values())))

    def _tell(
        self, socket: SharedSocket, conversation: UUID, people: "tuple[Person, ...] | None"
    ) -> None:
        """Once for each change."""
        if socket.told != people:
            socket.told = people
            self._send(socket.tell_people(conversation, people))

    def _send(self, message: Coroutine[Any, Any, None]) -> None:
        """A slow socket keeps nobody waiting; one that has left is no error."""
        task = asyncio.create_task(message)
        self._sending.add(task)
        task.add_done_callback(self._sent)

    def _sent(self, task: "asyncio.Task[None]") -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.debug("A socket was not told: %r", error)


def access_to(followed: Collection[tuple[Conversation, int]]) -> Access:
    """What people (keys of users) may do in conversations that they follow, as it is now."""
    shares = ConversationShare.objects.filter(
        conversation__in={conversation.pk for conversation, _ in followed}
    )
    shared = frozenset(shares.values_list("conversation", flat=True))
    guests = {user for conversation, user in followed if conversation.owner_id != user}
    if not shared or not guests:
        return Access(shared)
    rows = shares.filter(group__user__in=guests)
    known = list(rows.values_list("conversation", "group__user", "may_write"))
    readers = frozenset((conversation, user) for conversation, user, _ in known)
    writers = frozenset((conversation, user) for conversation, user, writes in known if writes)
    return Access(shared, readers, writers)


def _watched_of_others(socket: SharedSocket) -> list[Conversation]:
    """The conversations of subagents that it watches in conversations of other people."""
    watched = [following.conversation for following in socket.watched.values()]
    return [nested for nested in watched if nested.owner_id != socket.ticket.user_id]


def _parent(nested: Conversation) -> Conversation:
    """The conversation whose call began a subagent's. Read with it: the loop makes no query."""
    assert nested.parent_call is not None, "only subagents are watched"
    return nested.parent_call.trace.turn.conversation


def _signs(sockets: Sequence[SharedSocket], access: Access, now: float) -> dict[str, Any]:
    """What this process says of its sockets: until when which people are there, and write."""
    signs: dict[str, Any] = {}
    for socket in sockets:
        user, followed = _user(socket), socket.followed
        may_write = followed is not None and access.may_write(followed.conversation, int(user))
        writes_until = socket.wrote + WRITING_S if may_write else 0.0
        before = signs.get(user, (0, 0, 0.0))[2]
        signs[user] = (socket.name, now + THERE_S, max(before, writes_until))
    return signs


def _people(stored: Iterable[bytes], now: float) -> dict[str, Person]:
    """The people that all processes say are there, by key of the user."""
    people: dict[str, Person] = {}
    for text in stored:
        for user, (name, there_until, writes_until) in json.loads(text).items():
            if there_until > now:
                writes = writes_until > now or (user in people and people[user].writes)
                people[user] = Person(name, writes)
    return people


def _user(socket: SharedSocket) -> str:
    return str(socket.ticket.user_id)
