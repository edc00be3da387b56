"""The load client for Chainlit against a scripted server that speaks its socket.io protocol."""

import asyncio
import json
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from benchmarks.measuring import Plan
from benchmarks.peers.chainlit_client import load
from benchmarks.stub.text import timed_tokens


def event(name: str, value: Any) -> str:
    return f"42{json.dumps([name, value])}"


async def answer(connection: ServerConnection) -> None:
    """A handshake; then three tokens for each message."""
    await connection.send('0{"sid":"a","pingInterval":25000}')
    async for packet in connection:
        assert isinstance(packet, str)
        if packet.startswith("40"):
            await connection.send('40{"sid":"b"}')
            await connection.send(event("task_end", {}))
        elif packet.startswith('42["client_message"'):
            await connection.send("2")
            first, *others = timed_tokens(3)
            await connection.send(event("stream_start", {"output": first}))
            for token in others:
                await connection.send(event("stream_token", {"id": "m", "token": token}))
            await connection.send(event("task_end", {}))


def test_turns_are_counted_and_a_ping_is_no_event() -> None:
    async def run() -> None:
        async with serve(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for fresh in (False, True):
                plan = Plan(2, tokens=3, turns=2, start_within=0.0, timeout=5.0, fresh=fresh)
                figures = await load(url, ["a=b", "a=c"], "stub-n3", plan)
                assert (figures.turns, figures.failed, figures.received) == (4, 0, 12)
                assert figures.first_token

    asyncio.run(run())
