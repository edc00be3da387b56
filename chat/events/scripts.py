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

from chat.events.log import CHANNEL, LOG_PREFIX, EventId, client, log_key, run_key
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


class DeltaAppend(NamedTuple):
    """A `delta` event, and the text that it adds to a part of the turn's running text, which the
    writer believes to be `bytes_before` long."""

    conversation: str
    event: str
    turn: str
    part: str
    bytes_before: int
    text: bytes

    def arguments(self) -> tuple[Argument, ...]:
        run = run_key(self.turn)
        return (
            *("delta", self.conversation, self.event),
            *(run, self.part, self.bytes_before, self.text),
        )


@dataclass(frozen=True)
class Run:
    """The generation whose text is the running text of a turn."""

    turn: uuid.UUID
    generation: uuid.UUID
    epoch: int
    round: int


@dataclass(frozen=True)
class RunAppend:
    """Begins an empty running text, unless there is one of a newer epoch."""

    run: Run

    def arguments(self) -> tuple[Argument, ...]:
        run = self.run
        return ("run", run_key(run.turn), str(run.generation), run.epoch, run.round)


class RingAppend(NamedTuple):
    """A ring of a turn, which a worker takes after it can read the events before it."""

    entry: str

    def arguments(self) -> tuple[Argument, ...]:
        return ("ring", TURN_RINGS, self.entry)


Append = EventAppend | DeltaAppend | RunAppend | RingAppend


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


def run_keys(turn: uuid.UUID) -> list[str]:
    """The keys of a turn's running text."""
    run = run_key(turn)
    return [run, *(f"{run}:{part}" for part in PARTS)]


def lua(name: str) -> str:
    """The source of a script. Its head describes its arguments and its result."""
    return (Path(__file__).parent / "lua" / f"{name}.lua").read_text(encoding="utf-8")


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


class AsyncScripts:
    """The scripts that an event loop needs, on a connection of its own. Its methods raise
    what `db.redis_pool.ASYNC_ERRORS` has."""

    def __init__(self, url: str) -> None:
        self._connection = ScriptConnection(url)
        self._append = Script(lua("append"))
        self._replace_run = Script(lua("replace_run"))

    async def append(self, appends: Iterable[Append]) -> list[int]:
        """Writes all of them, in order. Returns the positions of deltas that were lost: the running
        text was not as long as their writer believed."""
        lost: list[int] = await self._connection.run(self._append, (), _append_arguments(appends))
        return lost

    async def replace_run(self, run: Run, texts: Sequence[bytes]) -> bool:
        """Sets the running text, `texts` in the order of `PARTS`. False: a run of a newer epoch is
        there, which stays."""
        arguments: list[Argument] = [str(run.generation), run.epoch, run.round, MAX_LOG_S, *texts]
        return bool(await self._connection.run(self._replace_run, [run_key(run.turn)], arguments))

    async def close(self) -> None:
        await self._connection.close()


@cache
def _append_script() -> Any:
    return client().register_script(lua("append"))


@cache
def _peek_script() -> Any:
    return client().register_script(lua("peek"))


def _append_arguments(appends: Iterable[Append]) -> list[Argument]:
    # Greater than any incarnation before it, also if Redis came back empty.
    new_incarnation = time.time_ns() // 1_000_000
    arguments: list[Argument] = [
        *(new_incarnation, MAX_LOG_S, MAX_LOG_EVENTS, MAX_ANNOUNCED_BYTES),
        *(CHANNEL, LOG_PREFIX),
    ]
    for one in appends:
        arguments.extend(one.arguments())
    return arguments


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
