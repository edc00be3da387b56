"""Redis loses data without a restart: what a writer finds, and how logs start over."""

import asyncio
import json
import uuid
from typing import Any

import pytest
import redis.asyncio
from django.conf import settings

from chat.events.log import STORE, EventId, client, log_key, run_key
from chat.events.running_text import Flusher, RunningText
from chat.events.scripts import EventAppend, append, peek, whole_since
from chat.tests.events.test_running_text import always
from tests.ports import free_port
from tests.redis_server import RedisServer

CONVERSATION = uuid.UUID(int=1)


def since(url: str = "") -> int:
    async def ask() -> int:
        async with redis.asyncio.Redis.from_url(url or settings.REDIS_URL) as asked:
            return await whole_since(asked)

    return asyncio.run(ask())


def appended() -> EventId:
    append([EventAppend(CONVERSATION, "{}")])
    last = peek(CONVERSATION, []).last
    assert last is not None
    return last


def test_data_that_stay_are_whole_since_the_same_moment(redis_server: RedisServer) -> None:
    assert since() == since()


def test_logs_go_on_while_nothing_is_lost(redis_server: RedisServer) -> None:
    first = appended()
    since()
    assert appended() == EventId(first.incarnation, 2)


def test_a_redis_that_was_emptied_is_whole_since_later(redis_server: RedisServer) -> None:
    before = since()
    redis_server.flush()
    assert since() > before


def test_a_log_of_before_a_loss_starts_over(redis_server: RedisServer) -> None:
    first = appended()
    client().delete(STORE)
    later = appended()
    assert (later.incarnation > first.incarnation, later.n) == (True, 1)


def test_a_log_that_was_evicted_alone_starts_over(redis_server: RedisServer) -> None:
    appended()
    assert appended().n == 2
    client().delete(log_key(CONVERSATION))
    assert appended().n == 1


def test_a_replica_that_takes_over_is_whole_since_later(redis_server: RedisServer) -> None:
    with RedisServer(f"redis://127.0.0.1:{free_port()}/0") as replica:
        before = since()
        replica.follow(redis_server)
        replica.promote()
        assert since(replica.url) > before
        assert since(replica.url) == since(replica.url)


async def lost_in_silence(running: RunningText, pattern: str) -> None:
    """Redis loses what was written, and the model says nothing more."""
    flusher = Flusher(always)
    flusher.begin(running, [])
    flusher.push(running, "reasoning", "Hm. 三")
    flusher.push(running, "content", "There are ")
    await flusher.drain(running)
    client().delete(*client().scan_iter(pattern))
    async with asyncio.timeout(10):
        while not client().exists(run_key(running.turn)):
            await asyncio.sleep(0.02)
    await flusher.close()


@pytest.mark.parametrize("pattern", ["rt:*", "rt:run:*"])
def test_a_text_that_is_lost_while_its_model_is_silent_is_written_again(
    redis_server: RedisServer, pattern: str
) -> None:
    running = RunningText(CONVERSATION, uuid.uuid4(), uuid.uuid4(), 1, 1)
    asyncio.run(lost_in_silence(running, pattern))
    turn = uuid.UUID(running.turn)
    assert peek(CONVERSATION, [turn]).running[turn].parts == running.texts()
    entries: Any = client().xrange(log_key(CONVERSATION))
    assert json.loads(entries[-1][1][b"e"])["parts"] == running.texts()


async def ended_while_away(running: RunningText, server: RedisServer) -> None:
    flusher = Flusher(always)
    flusher.begin(running, [{"type": "turn", "state": "streaming"}])
    await flusher.drain(running)
    await asyncio.to_thread(server.kill)
    flusher.push(running, "content", "the end")
    await flusher.drain(running)
    flusher.end(running)
    await asyncio.to_thread(server.start)
    next_text = RunningText(running.conversation, uuid.uuid4(), uuid.uuid4(), 1, 1)
    flusher.begin(next_text, [{"type": "next"}])
    await flusher.drain(next_text)
    # The retry of what failed before would have come by now, in the same write.
    flusher.push(next_text, "content", "a")
    await flusher.drain(next_text)
    await flusher.close()


def test_nothing_of_a_text_is_written_after_its_end(redis_server: RedisServer) -> None:
    """Its turn may be over by then: nobody is to be told that it streams."""
    running = RunningText(uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), 1, 1)
    asyncio.run(ended_while_away(running, redis_server))
    entries: Any = client().xrange(log_key(running.conversation))
    assert {json.loads(fields[b"e"])["type"] for _, fields in entries} <= {"next", "delta", "text"}
    assert not client().exists(run_key(running.turn))
