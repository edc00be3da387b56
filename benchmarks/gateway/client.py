"""Concurrent streaming calls of `POST <base>/chat/completions`, directly and through the gateway in
turns: each stream keeps a connection to either, and calls them alternately.

    python -m benchmarks.gateway.client '{"direct": URL, "gateway": URL, "token": …, …}'

Prints JSON: for either side the milliseconds of each call to the first byte of its answer's body,
and to its end; and how many calls failed.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import uvloop

SIDES = ("direct", "gateway")


@dataclass
class Times:
    """Milliseconds."""

    first: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    failed: int = 0


class Connection:
    """One kept connection, over which calls go one after the other."""

    def __init__(self, base_url: str, token: str, body: bytes) -> None:
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname, parts.port
        head = (
            f"POST {parts.path}/chat/completions HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._request = head.encode() + body
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, times: Times | None) -> None:
        """One call; its times are added."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        began = time.perf_counter()
        writer.write(self._request)
        head = await reader.readuntil(b"\r\n\r\n")
        first = None
        while size := int(await reader.readline(), 16):
            first = first or time.perf_counter()
            await reader.readexactly(size + 2)
        await reader.readline()
        if times is None:
            return
        if not head.startswith(b"HTTP/1.1 200") or first is None:
            times.failed += 1
            return
        times.first.append((first - began) * 1000)
        times.total.append((time.perf_counter() - began) * 1000)


async def measure(options: dict[str, Any]) -> dict[str, Any]:
    body = json.dumps(
        {
            "model": options["model"],
            "stream": True,
            "messages": [{"role": "user", "content": "word " * 200}],
        }
    ).encode()
    sides = {side: Times() for side in SIDES}
    streams = [
        {side: Connection(options[side], options["token"], body) for side in SIDES}
        for _ in range(options["streams"])
    ]

    async def stream(number: int, side: str, times: Times | None) -> None:
        await asyncio.sleep(number / len(streams) * options["spread"])
        await streams[number][side].call(times)

    for turn in range(options["turns"] + 1):
        for side in SIDES:
            # The first calls open connections and fill caches.
            times = sides[side] if turn else None
            await asyncio.gather(*(stream(number, side, times) for number in range(len(streams))))
    return {side: vars(times) for side, times in sides.items()}


def main() -> None:
    sys.stdout.write(json.dumps(uvloop.run(measure(json.loads(sys.argv[1])))))


if __name__ == "__main__":
    main()
