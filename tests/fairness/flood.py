"""Frames without end on many sockets, from a process of its own that the machine prefers others
to: in life it is another machine's.

`python -m tests.fairness.flood` reads `{"url", "cookie", "frames", "sockets"}`, writes a line once
all sockets are open, and goes on until it is killed.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.websocket import WebSocket, connect
from host.processes import parent_death_signal

ROOT = Path(__file__).parents[2]
BURST = 50
# Bytes that the server has not taken yet; beyond them nothing is sent.
MAX_BUFFER = 200_000


@contextmanager
def flooding(
    url: str, cookie: str, frames: Sequence[dict[str, Any]], sockets: int
) -> Iterator[None]:
    wanted = {"url": url, "cookie": cookie, "frames": frames, "sockets": sockets}
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.fairness.flood"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=parent_death_signal(),
    )
    assert child.stdin and child.stdout
    try:
        child.stdin.write(json.dumps(wanted) + "\n")
        child.stdin.flush()
        assert child.stdout.readline() == "flooding\n"
        yield
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()


async def _flood(url: str, cookie: str, frames: list[str], sockets: int) -> None:
    opened = [await connect(url, "/ws/chat/", cookie, lambda message: None) for _ in range(sockets)]
    sys.stdout.write("flooding\n")
    sys.stdout.flush()
    await asyncio.gather(*(_send(socket, frames) for socket in opened))


async def _send(socket: WebSocket, frames: list[str]) -> None:
    endless = cycle(frames)
    while not socket.closed.done():
        if socket.transport.get_write_buffer_size() < MAX_BUFFER:
            for _ in range(BURST):
                socket.send(next(endless))
        await asyncio.sleep(0.001)


def main() -> None:
    os.nice(19)
    wanted = json.loads(sys.stdin.readline())
    frames = [json.dumps(frame) for frame in wanted["frames"]]
    asyncio.run(_flood(wanted["url"], wanted["cookie"], frames, wanted["sockets"]))


if __name__ == "__main__":
    main()
