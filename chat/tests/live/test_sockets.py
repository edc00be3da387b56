"""The sockets of a process: they are closed when their rights end."""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from uvicorn.protocols.utils import ClientDisconnected

from chat.live import sockets
from chat.live.consumer import ChatConsumer
from chat.live.following import Following
from chat.live.rights import Ticket
from chat.live.together import Person
from tests import patience


class ASocket:
    """One that says when its rights are looked at, and when it is closed."""

    followed = None
    watched: Mapping[UUID, Following] = {}
    name = "somebody"
    wrote = 0.0
    told: tuple[Person, ...] | None = None

    def __init__(self, ticket: Ticket) -> None:
        self._ticket = ticket
        self.looked_at, self.closed = asyncio.Event(), asyncio.Event()

    @property
    def ticket(self) -> Ticket:
        self.looked_at.set()
        return self._ticket

    async def notify(self, notice: dict[str, Any]) -> None: ...

    async def tell_people(self, conversation: Any, people: Any) -> None: ...

    async def end_share(self, conversation: Any) -> None: ...

    async def end_watch(self, nested: Any) -> None: ...

    async def close(self, code: int) -> None:
        self.closed.set()


def test_a_check_that_fails_is_not_the_last(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "RIGHTS_INTERVAL_S", 0.01)

    async def closes() -> None:
        here = sockets.Sockets()
        odd, signed_out = ASocket(Ticket("", 10**30)), ASocket(Ticket("gone", 1))
        here.enter(odd)
        await asyncio.wait_for(odd.looked_at.wait(), patience.SECONDS)
        here.leave(odd)
        here.enter(signed_out)
        await asyncio.wait_for(signed_out.closed.wait(), patience.SECONDS)

    asyncio.run(closes())


class Vanished(ChatConsumer):
    """A consumer whose client has left: nothing can be sent any more."""

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        raise ClientDisconnected


def test_a_client_that_left_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def follow() -> None:
        raise ClientDisconnected

    async def fails() -> None:
        follower = asyncio.create_task(follow())
        await asyncio.wait([follower])
        consumer = Vanished()
        consumer._failed(follower)
        assert consumer._closing is not None
        await asyncio.wait_for(consumer._closing, patience.SECONDS)

    asyncio.run(fails())
    assert caplog.records == []
