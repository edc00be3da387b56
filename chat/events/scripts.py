"""The Lua scripts of `lua/`, each with its arguments and its result by name.

A script runs as one step of Redis: a reader sees an event exactly when its number exists, and a
delta together with the running text that it makes longer.
"""

import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import redis.asyncio

from chat.events.log import CHANNEL, LOG_PREFIX, STORE, EventId, client, log_key, run_key
from chat.events.script_connection import Script, ScriptConnection
from jobs.ring import TURN_RINGS
from limits.web import MAX_ANNOUNCED_BYTES, MAX_LOG_EVENTS, MAX_LOG_S

PARTS = ("content", "reasoning", "calls")

Argument: TypeAlias = str | bytes | int


class EventAppend(NamedTuple):
    """An encoded event to append to the log of a conversation."""

    conversation: uuid.UUID | str
    event: str

    def arguments(self) -> tuple[Argument, ...]:
        return ("event", str(self.conversation), self.event)


class StateAppend(NamedTuple):
    """A `turn` or `generation` event. Refused if the turn was taken over by a later epoch or is
    over, but for its end (`is_end`)."""

    conversation: uuid.UUID | str
    event: str
    turn: str
    epoch: int
    is_end: bool

    def arguments(self) -> tuple[Argument, ...]:
        run = run_key(self.turn)
        return ("state", str(self.conversation), self.event, run, self.epoch, int(self.is_end))


@dataclass(frozen=True)
class Run:
    """The generation whose text is the running text of a turn, and the owner that streams it."""

    conversation: uuid.UUID
    turn: uuid.UUID
    generation: uuid.UUID
    epoch: int
    round: int


@dataclass(frozen=True)
class BeginAppend:
    """Begins an empty running text with these encoded events, unless it has begun."""

    run: Run
    events: Sequence[str] = ()

    def arguments(self) -> tuple[Argument, ...]:
        run, events = self.run, self.events
        return (
            *("begin", str(run.conversation), run_key(run.turn), str(run.generation), run.epoch),
            *(run.round, len(events)),
            *events,
        )


@dataclass(frozen=True)
class TextAppend:
    """The running text as a whole, `texts` in the order of `PARTS`, and its `text` event; with
    `is_anew` also if Redis knows no such running text: `events`, of its beginning, go before."""

    run: Run
    texts: Sequence[bytes]
    event: str
    events: Sequence[str] = ()
    is_anew: bool = False

    def arguments(self) -> tuple[Argument, ...]:
        run, events = self.run, self.events
        return (
            *("text", str(run.conversation), run_key(run.turn), str(run.generation), run.epoch),
            *(run.round, int(self.is_anew)),
            *self.texts,
            *(self.event, len(events)),
            *events,
        )


class DeltaAppend(NamedTuple):
    """A `delta` event, and the text that it adds to a part of the running text, which the writer
    believes to be `bytes_before` long."""

    conversation: str
    event: str
    turn: str
    generation: str
    epoch: int
    part: str
    bytes_before: int
    text: bytes

    def arguments(self) -> tuple[Argument, ...]:
        return (
            *("delta", self.conversation, self.event, run_key(self.turn)),
            *(self.generation, self.epoch, self.part, self.bytes_before, self.text),
        )


class BlockAppend(NamedTuple):
    """A `block` event, which covers text that was written before it."""

    conversation: str
    event: str
    turn: str
    generation: str
    epoch: int

    def arguments(self) -> tuple[Argument, ...]:
        run = run_key(self.turn)
        return ("block", self.conversation, self.event, run, self.generation, self.epoch)


class RingAppend(NamedTuple):
    """A ring of a turn, which a worker takes after it can read the events before it."""

    entry: str

    def arguments(self) -> tuple[Argument, ...]:
        return ("ring", TURN_RINGS, self.entry)


Append = (
    EventAppend | StateAppend | BeginAppend | TextAppend | DeltaAppend | BlockAppend | RingAppend
)


class Unwritten(NamedTuple):
    """Positions of appends that were not written.

    `lost`: the running text is not what the writer believed. `refused`: the turn was taken over by
    a later epoch, or is over."""

    lost: list[int]
    refused: list[int]


@dataclass(frozen=True)
class RunningTextState:
    """A running text as a reader finds it: the generation, and the text of each part."""

    generation: str
    epoch: int
    round: int
    parts: dict[str, str]


@dataclass(frozen=True)
class LogState:
    """Where a log ends, None while it is empty, and the running texts by turn."""

    last: EventId | None
    running: dict[uuid.UUID, RunningTextState]


@dataclass(frozen=True)
class WrittenText:
    """A running text, and the bytes that were written of each part, in the order of `PARTS`."""

    run: Run
    lengths: tuple[int, ...]


def lua(*names: str) -> str:
    """The source of a script, and before it those that it begins with. Its head describes its
    arguments and its result."""
    folder = Path(__file__).parent / "lua"
    return "\n".join((folder / f"{name}.lua").read_text(encoding="utf-8") for name in names)


CHECK = lua("store", "check")


def append(appends: Iterable[Append]) -> None:
    """Writes all of them, in order, from a thread. Raises RedisError."""
    _append_script()(args=_append_arguments(appends))


def peek(conversation: uuid.UUID, turns: Sequence[uuid.UUID]) -> LogState:
    """Where the log ends, and the running texts of these turns, at one moment. Raises
    RedisError."""
    keys = [log_key(conversation), *(run_key(turn) for turn in turns)]
    last, *states = _peek_script()(keys=keys)
    running = {turn: _running_text(state) for turn, state in zip(turns, states, strict=True)}
    return LogState(
        last=EventId.parse(last.decode()) if last else None,
        running={turn: state for turn, state in running.items() if state},
    )


def take_over(turn: uuid.UUID, epoch: int) -> RunningTextState | None:
    """The turn's running text, to which owners of an older epoch add nothing more. Raises
    RedisError."""
    return _running_text(_take_over_script()(keys=[run_key(turn)], args=[epoch, MAX_LOG_S]))


class AsyncScripts:
    """The scripts that an event loop needs, on a connection of its own. Its methods raise what
    `db.redis_pool.ASYNC_ERRORS` has."""

    def __init__(self, url: str) -> None:
        self._connection = ScriptConnection(url)
        self._append = Script(lua("store", "append"))
        self._check = Script(CHECK)

    async def append(self, appends: Iterable[Append]) -> Unwritten:
        """Writes all of them, in order, but for what it answers."""
        return Unwritten(*await self._connection.run(self._append, (), _append_arguments(appends)))

    async def lost(self, texts: Sequence[WrittenText]) -> list[int]:
        """The positions of the running texts that Redis does not have, or not all of."""
        keys = [STORE, *(run_key(text.run.turn) for text in texts)]
        arguments: list[Argument] = [_now_ms()]
        for text in texts:
            arguments += [str(text.run.generation), text.run.epoch, *text.lengths]
        _, lost = await self._connection.run(self._check, keys, arguments)
        return list(lost)

    async def close(self) -> None:
        await self._connection.close()


async def whole_since(redis: "redis.asyncio.Redis") -> int:
    """Since when Redis has lost nothing, in ms since 1970: it was not emptied, started or promoted
    later. It counts up; a log of an earlier incarnation starts over with its next event. Raises
    what `db.redis_pool.ASYNC_ERRORS` has."""
    answer: Any = await redis.eval(CHECK, 1, STORE, _now_ms())
    return int(answer[0])


@cache
def _append_script() -> Any:
    return client().register_script(lua("store", "append"))


@cache
def _take_over_script() -> Any:
    return client().register_script(lua("take_over"))


@cache
def _peek_script() -> Any:
    return client().register_script(lua("peek"))


def _append_arguments(appends: Iterable[Append]) -> list[Argument]:
    # The time is greater than any incarnation before it, also if Redis came back empty.
    arguments: list[Argument] = [
        *(_now_ms(), MAX_LOG_S, MAX_LOG_EVENTS, MAX_ANNOUNCED_BYTES),
        *(CHANNEL, LOG_PREFIX, STORE),
    ]
    for one in appends:
        arguments.extend(one.arguments())
    return arguments


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _running_text(state: Any) -> RunningTextState | None:
    (generation, epoch, round_number), *texts = state
    if generation is None:
        return None
    decoded = [text.decode(errors="surrogatepass") for text in texts]
    return RunningTextState(
        generation=generation.decode(),
        epoch=int(epoch),
        round=int(round_number),
        parts=dict(zip(PARTS, decoded, strict=True)),
    )
