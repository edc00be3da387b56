"""The running text of a generation, through losses, as a reader of the log sees it."""

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

from chat.events import log
from chat.events.running_text import Flusher, RunningText
from chat.events.scripts import peek
from tests.redis_server import RedisServer


def running_text() -> RunningText:
    return RunningText(uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), 1, 1)


def read(running: RunningText) -> str:
    """The content that the events make up, each delta at the offset that it says."""
    text = ""
    entries: Any = log.client().xrange(log.log_key(running.conversation))
    for event in (json.loads(fields[b"e"]) for _, fields in entries):
        if event["type"] == "text":
            text = event["parts"]["content"]
        elif event["type"] == "delta":
            assert event["offset"] == len(text.encode("utf-16-le")) // 2
            text += event["text"]
    return text


def kinds(running: RunningText) -> list[str]:
    entries: Any = log.client().xrange(log.log_key(running.conversation))
    return [json.loads(fields[b"e"])["type"] for _, fields in entries]


async def always(running: RunningText) -> bool:
    """Nobody else has the turn."""
    return True


async def say(flusher: Flusher, running: RunningText, words: int) -> None:
    for number in range(words):
        flusher.push(running, "content", f"{number} 𝄞 ")
        await asyncio.sleep(0)


async def written(running: RunningText, *, lose: bool) -> None:
    flusher = Flusher(always)
    flusher.begin(running, [])
    flusher.push(running, "calls", "\x1e0\x1fwrite_file\x1f{")
    await flusher.drain(running)
    if lose:
        log.client().flushall()
    flusher.push(running, "calls", '"path": "a"}')
    await flusher.drain(running)
    await flusher.close()


async def spoken(running: RunningText, lose: bool) -> None:
    flusher = Flusher(always)
    flusher.begin(running, [])
    await say(flusher, running, 50)
    await flusher.drain(running)
    if lose:
        log.client().flushall()
    await say(flusher, running, 400)
    await flusher.drain(running)
    await say(flusher, running, 50)
    await flusher.drain(running)
    await flusher.close()


def test_the_events_make_up_the_text(redis_server: object) -> None:
    running = running_text()
    asyncio.run(spoken(running, lose=False))
    assert read(running) == running.texts()["content"]


def test_after_a_loss_the_events_make_up_the_whole_text(redis_server: object) -> None:
    running = running_text()
    asyncio.run(spoken(running, lose=True))
    assert read(running) == running.texts()["content"]


@pytest.mark.parametrize("lose", [False, True])
def test_what_is_written_of_calls_is_kept_like_the_text(redis_server: object, lose: bool) -> None:
    running = running_text()
    asyncio.run(written(running, lose=lose))
    turn = uuid.UUID(running.turn)
    text = peek(running.conversation, [turn]).running[turn]
    assert (text.generation, text.parts) == (running.generation, running.texts())
    assert running.texts()["calls"] == '\x1e0\x1fwrite_file\x1f{"path": "a"}'


async def begun_while_away(running: RunningText, server: RedisServer) -> None:
    flusher = Flusher(always)
    await asyncio.to_thread(server.kill)
    flusher.begin(running, [{"type": "generation"}])
    await say(flusher, running, 5)
    await flusher.drain(running)
    await asyncio.to_thread(server.start)
    await say(flusher, running, 5)
    await flusher.drain(running)
    await flusher.close()


def test_a_generation_begins_before_its_text_also_after_a_loss(redis_server: RedisServer) -> None:
    """`docs/protocol.md`: text of a generation comes after its `generation` event."""
    running = running_text()

    asyncio.run(begun_while_away(running, redis_server))

    assert kinds(running)[:2] == ["generation", "text"]


def test_the_running_text_in_redis_is_what_was_said(redis_server: object) -> None:
    running = running_text()
    asyncio.run(spoken(running, lose=True))
    stored: Any = log.client().get(f"{log.run_key(running.turn)}:content")
    assert stored.decode() == running.texts()["content"]


async def _speak_in_turns(streams: int) -> None:
    flusher = Flusher(always)
    for _ in range(streams):
        running = running_text()
        flusher.begin(running, [{"type": "turn"}])
        await flusher.drain(running)
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.3)
    await flusher.close()


def test_while_redis_is_away_one_retry_serves_all_streams(
    monkeypatch: pytest.MonkeyPatch, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr("chat.events.running_text.REDIS_RETRY_S", 0.05)
    streams = 20
    asyncio.run(_speak_in_turns(streams))
    # Of each the attempts when it begins and ends, and one retry in each twentieth of a second.
    assert len(caplog.records) <= 4 * streams


async def after_an_outage(redis_server: RedisServer) -> RunningText:
    """A text that begins when Redis is back from an outage that another text has met."""
    flusher = Flusher(always)
    before, running = running_text(), running_text()
    flusher.begin(before, [])
    await say(flusher, before, 5)
    await flusher.drain(before)
    await asyncio.to_thread(redis_server.kill)
    await say(flusher, before, 5)
    await flusher.drain(before)
    await asyncio.to_thread(redis_server.start)
    flusher.begin(running, [])
    await say(flusher, running, 5)
    await flusher.drain(running)
    await flusher.close()
    return running


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_the_end_of_a_text_waits_for_redis_that_is_back(
    redis_server: RedisServer, run: Callable[[Any], RunningText]
) -> None:
    running = run(after_an_outage(redis_server))
    assert read(running) == running.texts()["content"] != ""
