"""The websocket client against another implementation of RFC 6455."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.server import ServerConnection, serve

from benchmarks.websocket import Refused, WebSocket, connect

Handler = Callable[[ServerConnection], Awaitable[None]]


async def conversation(
    handler: Handler, send: list[str], count: int
) -> tuple[list[bytes], int | None]:
    """The first messages received, and the close code if the server closes the connection."""
    received: list[bytes] = []
    enough = asyncio.Event()

    def on_message(message: bytes) -> None:
        received.append(message)
        if len(received) == count:
            enough.set()

    async with serve(handler, "127.0.0.1", 0, max_size=None) as server, asyncio.timeout(5):
        port = server.sockets[0].getsockname()[1]
        socket = await connect(f"http://127.0.0.1:{port}", "/ws", "a=b", on_message)
        for text in send:
            socket.send(text)
        await enough.wait()
        code = await socket.closed if handler is closing else None
        socket.close()
    return received, code


async def echo(connection: ServerConnection) -> None:
    async for message in connection:
        await connection.send(message)


async def closing(connection: ServerConnection) -> None:
    await connection.send("bye")
    await connection.close(4403)


@pytest.mark.parametrize("length", [0, 1, 125, 126, 65_535, 65_536, 3_000_000])
def test_messages_of_every_length_come_back_whole(length: int) -> None:
    text = "é" * (length // 2) + "x" * (length % 2)
    received, _ = asyncio.run(conversation(echo, [text, "end"], 2))
    assert received == [text.encode(), b"end"]


def test_a_message_in_fragments_is_one() -> None:
    async def fragments(connection: ServerConnection) -> None:
        await connection.send(["one ", "two ", "three"])

    assert asyncio.run(conversation(fragments, [], 1)) == ([b"one two three"], None)


def test_a_ping_is_answered() -> None:
    async def pinging(connection: ServerConnection) -> None:
        await (await connection.ping())
        await connection.send("alive")

    assert asyncio.run(conversation(pinging, [], 1))[0] == [b"alive"]


def test_the_cookie_and_the_sites_own_origin_are_sent() -> None:
    async def headers(connection: ServerConnection) -> None:
        assert connection.request
        sent = connection.request.headers
        await connection.send(f"{sent['Cookie']} {sent['Origin'] == 'http://' + sent['Host']}")

    assert asyncio.run(conversation(headers, [], 1))[0] == [b"a=b True"]


def test_the_servers_close_code_is_known() -> None:
    assert asyncio.run(conversation(closing, [], 1)) == ([b"bye"], 4403)


def test_a_refusal_is_an_error_with_the_status() -> None:
    async def refused() -> WebSocket:
        def process(connection: ServerConnection, request: object) -> object:
            return connection.respond(403, "no")

        async with serve(echo, "127.0.0.1", 0, process_request=process) as server:  # type: ignore[arg-type]  # sync is fine too
            port = server.sockets[0].getsockname()[1]
            return await connect(f"http://127.0.0.1:{port}", "/ws", "", lambda _: None)

    with pytest.raises(Refused, match="403"):
        asyncio.run(refused())
