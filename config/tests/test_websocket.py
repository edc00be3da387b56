"""Messages that the application writes to uvicorn's websocket without a wait."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import uvicorn
from websockets.asyncio.client import connect

from chat.live.writing import WRITE_TEXT
from config.websocket import WebSocketProtocol
from tests import patience
from tests.ports import free_port

# More bytes than the buffers of a loopback connection hold.
MANY_MESSAGES, MESSAGE = 400, b"x" * 65_536


async def serve(write: Callable[[Callable[[bytes], bool]], None], **options: Any) -> Any:
    """A server whose application accepts a socket, writes to it and waits for its end."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        write(scope["extensions"].get(WRITE_TEXT))
        while (await receive())["type"] != "websocket.disconnect":
            pass

    settings: dict[str, Any] = {"ws_per_message_deflate": False, "lifespan": "off"} | options
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(application, port=port, log_config=None, ws=WebSocketProtocol, **settings)
    )
    running = asyncio.create_task(server.serve())
    while not server.started:
        assert not running.done()
        await asyncio.sleep(0.01)
    return port, server, running


async def served(write: Any, client: Any, **options: Any) -> None:
    port, server, running = await serve(write, **options)
    try:
        async with connect(f"ws://127.0.0.1:{port}", max_size=None, proxy=None) as socket:
            await asyncio.wait_for(client(socket), patience.SECONDS)
    finally:
        server.should_exit = True
        await asyncio.wait_for(running, patience.SECONDS)


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
def test_a_message_of_any_length_arrives(length: int) -> None:
    def write(write_text: Callable[[bytes], bool]) -> None:
        assert write_text(b"a" * length)

    async def client(socket: Any) -> None:
        assert await socket.recv() == "a" * length

    asyncio.run(served(write, client))


def test_a_client_that_does_not_read_is_written_no_more_to() -> None:
    written: list[bool] = []

    def write(write_text: Callable[[bytes], bool]) -> None:
        written.extend(write_text(MESSAGE) for _ in range(MANY_MESSAGES))

    async def client(socket: Any) -> None:
        assert await socket.recv() == MESSAGE.decode()
        socket.transport.abort()

    asyncio.run(served(write, client))
    assert written[0] and not written[-1]


def test_a_socket_with_compression_is_not_offered() -> None:
    offered: list[object] = []

    async def client(socket: Any) -> None:
        await socket.ping()

    asyncio.run(served(offered.append, client, ws_per_message_deflate=True))
    assert offered == [None]
