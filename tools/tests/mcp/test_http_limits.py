"""What a session over HTTP takes from a server, and for how long it waits to say goodbye."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx2
import pytest
from pytest_django.fixtures import Settings

from limits.mcp import MAX_STREAM_REOPENS
from tools.mcp.connection import Connection
from tools.mcp.transports import http
from tools.tests.calling import odd

HALF = rb'{"text":"half \ud83d"}'


class Server(httpx2.AsyncBaseTransport):
    """Answers every request with these chunks, and DELETE never."""

    def __init__(self, chunks: Sequence[bytes] = (), kind: str = "text/event-stream") -> None:
        self.chunks = chunks
        self.kind = kind
        self.asked = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        if request.method == "DELETE":
            await asyncio.Event().wait()
        return httpx2.Response(200, headers={"content-type": self.kind}, content=self._body())

    async def _body(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            yield chunk


async def body(chunks: Sequence[bytes], kind: str) -> bytes:
    async with httpx2.AsyncClient(transport=http.LimitedTransport(Server(chunks, kind))) as client:
        return (await client.post("http://server/", json={"id": 1})).content


@pytest.mark.asyncio
async def test_a_server_that_hangs_at_the_end_of_a_session_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "MAX_SESSION_END_S", 0.1)
    async with httpx2.AsyncClient(transport=http.LimitedTransport(Server())) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.delete("http://server/", timeout=30)


@pytest.mark.asyncio
async def test_a_stream_that_ends_at_once_is_not_opened_again_and_again() -> None:
    server = Server()
    async with httpx2.AsyncClient(transport=http.LimitedTransport(server)) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                while True:
                    await client.get("http://server/")
    assert server.asked == MAX_STREAM_REOPENS


@pytest.mark.asyncio
@pytest.mark.parametrize("cut", range(1, len(HALF), 3))
async def test_half_a_character_is_replaced_wherever_the_stream_is_cut(cut: int) -> None:
    line = b"data: " + HALF + b"\n\n"
    expected = line.replace(rb"\ud83d", rb"\ufffd")
    assert await body([line[:cut], line[cut:]], "text/event-stream") == expected
    assert await body([HALF[:cut], HALF[cut:]], "application/json") == expected[6:-2]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
async def test_a_byte_order_mark_is_left_out_once(kind: str) -> None:
    mark = b"\xef\xbb\xbf"
    assert await body([mark + b"a\n", mark + b"b\n"], kind) == b"a\n" + mark + b"b\n"


@pytest.mark.asyncio
async def test_what_is_sent_without_a_newline_arrives() -> None:
    assert await body([b"data", b": 1\n", b"\nda"], "text/event-stream") == b"data: 1\n\nda"


@pytest.mark.asyncio
async def test_a_session_that_is_being_opened_can_be_closed(
    tmp_path: Path, settings: Settings
) -> None:
    settings.HOME = tmp_path
    connection = Connection(odd("--silent"))
    await asyncio.sleep(0)
    async with asyncio.timeout(15):
        await connection.close()
    assert connection.is_dead
