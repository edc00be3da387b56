"""What the Lua scripts write and read, each in one step of Redis."""

import asyncio
import uuid
from typing import Any

from django.conf import settings

from chat.events.log import EventId, client, log_key
from chat.events.scripts import (
    Append,
    AsyncScripts,
    DeltaAppend,
    EventAppend,
    Run,
    RunAppend,
    append,
    peek,
)

CONVERSATION, TURN = uuid.UUID(int=1), uuid.UUID(int=2)


def a_run(epoch: int) -> Run:
    return Run(TURN, uuid.UUID(int=100 + epoch), epoch, round=1)


def a_delta(text: bytes, bytes_before: int) -> DeltaAppend:
    return DeltaAppend(str(CONVERSATION), "{}", str(TURN), "content", bytes_before, text)


async def written(*appends: Append) -> list[int]:
    scripts = AsyncScripts(settings.REDIS_URL)
    try:
        return await scripts.append(appends)
    finally:
        await scripts.close()


async def replaced(run: Run, content: bytes) -> bool:
    scripts = AsyncScripts(settings.REDIS_URL)
    try:
        return await scripts.replace_run(run, [content, b"", b""])
    finally:
        await scripts.close()


def test_a_log_is_empty_before_its_first_event(redis_server: object) -> None:
    state = peek(CONVERSATION, [TURN])
    assert (state.last, state.running) == (None, {})


def test_ids_of_a_log_have_no_gap(redis_server: object) -> None:
    append([EventAppend(CONVERSATION, "{}")])
    append([EventAppend(CONVERSATION, "{}"), EventAppend(CONVERSATION, "{}")])
    entries: Any = client().xrange(log_key(CONVERSATION))
    ids = [EventId.parse(entry_id.decode()) for entry_id, _ in entries]
    assert [event_id.n for event_id in ids] == [1, 2, 3]
    assert peek(CONVERSATION, []).last == ids[-1]


def test_a_delta_makes_the_running_text_longer(redis_server: object) -> None:
    deltas = (a_delta("三".encode(), 0), a_delta(b" cards", 3))
    assert asyncio.run(written(RunAppend(a_run(1)), *deltas)) == []
    text = peek(CONVERSATION, [TURN]).running[TURN]
    assert text.parts == {"content": "三 cards", "reasoning": "", "calls": ""}
    assert (text.generation, text.epoch, text.round) == (str(uuid.UUID(int=101)), 1, 1)


def test_a_delta_at_another_place_is_lost_without_its_event(redis_server: object) -> None:
    appends = (RunAppend(a_run(1)), a_delta(b"a", 0), a_delta(b"c", 2), a_delta(b"b", 1))
    assert asyncio.run(written(*appends)) == [2]
    state = peek(CONVERSATION, [TURN])
    assert state.running[TURN].parts["content"] == "ab"
    assert state.last is not None
    assert state.last.n == 2


def test_a_delta_without_a_run_is_lost(redis_server: object) -> None:
    assert asyncio.run(written(a_delta(b"a", 0))) == [0]
    assert peek(CONVERSATION, []).last is None


def test_a_run_of_an_older_epoch_replaces_nothing(redis_server: object) -> None:
    assert asyncio.run(replaced(a_run(2), b"two"))
    assert not asyncio.run(replaced(a_run(1), b"one"))
    asyncio.run(written(RunAppend(a_run(1))))
    assert peek(CONVERSATION, [TURN]).running[TURN].parts["content"] == "two"
