"""Shared by the load client and the floor: the plan, the measurement and the output.

With `--wait` a client prints `ready` once it is connected, and begins when it reads a line: in
between the caller reads the CPU meters.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import uvloop

from benchmarks.figures import Figures, Outcome, figures

Turn = Callable[[float], Awaitable[Outcome]]
# Seconds for all clients of a run to connect.
CONNECT_S = 30


class Client(Protocol):
    """A connection to a site over which turns are asked for."""

    async def open(self) -> None: ...

    async def turn(self, timeout: float) -> Outcome: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Plan:
    """A run: `streams` concurrent streams, which begin within `start_within` seconds; each has
    `turns` turns in sequence, of `tokens` tokens and at most `timeout` seconds. With `fresh` each
    turn begins a conversation. The first `discarded` turns of a stream are in no figure. `wait`:
    see above.
    """

    streams: int
    tokens: int
    turns: int = 1
    start_within: float = 1.0
    timeout: float = 60.0
    wait: bool = False
    fresh: bool = False
    discarded: int = 0


async def measure(plan: Plan, streams: Sequence[Turn]) -> Figures:
    """The figures of all turns of all streams."""
    if plan.wait:
        await _wait_for_go()
    began, cpu = time.monotonic(), time.process_time()
    starts = _starts(plan)
    outcomes = await asyncio.gather(
        *(_run_stream(plan, turn, start) for turn, start in zip(streams, starts, strict=True))
    )
    seconds, cpu_ms = time.monotonic() - began, (time.process_time() - cpu) * 1000
    return figures(plan.streams, [one for several in outcomes for one in several], seconds, cpu_ms)


async def measure_clients(plan: Plan, clients: Sequence[Client]) -> Figures:
    """The same of clients of a site, a stream each. Raises TimeoutError if they do not connect."""
    async with asyncio.timeout(CONNECT_S):
        await asyncio.gather(*(client.open() for client in clients))
    try:
        return await measure(plan, [client.turn for client in clients])
    finally:
        for client in clients:
            client.close()


def _starts(plan: Plan) -> list[float]:
    """Seconds at which each stream begins, pseudo-random and the same in every run.

    With even distances all streams would be in phase, and their tokens would come in bursts.
    """
    chance = random.Random(plan.streams)
    return sorted(chance.uniform(0, plan.start_within) for _ in range(plan.streams))


async def _run_stream(plan: Plan, turn: Turn, start: float) -> list[Outcome]:
    await asyncio.sleep(start)
    outcomes = [await turn(plan.timeout) for _ in range(plan.turns)]
    return outcomes[plan.discarded :]


async def _wait_for_go() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)


def read_plan(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, Plan]:
    """Adds the plan's options to the parser; returns all options, and the plan."""
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--tokens", type=int, required=True, help="what the model sends a turn")
    parser.add_argument("--turns", type=int, default=1, help="a stream, one after another")
    parser.add_argument("--start-within", type=float, default=1.0, help="seconds")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a turn")
    parser.add_argument("--wait", action="store_true", help="print ready, wait for a line")
    parser.add_argument("--fresh", action="store_true", help="a new conversation for each turn")
    parser.add_argument("--discarded", type=int, default=0, help="first turns without figures")
    options = parser.parse_args()
    names = Plan.__dataclass_fields__
    return options, Plan(**{name: getattr(options, name) for name in names})


def report(measuring: Coroutine[object, object, Figures]) -> None:
    """Run the measurement and print its figures as one line of JSON."""
    sys.stdout.write(json.dumps(asdict(uvloop.run(measuring))) + "\n")
