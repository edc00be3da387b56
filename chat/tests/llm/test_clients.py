import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import openai
import pytest

from benchmarks.stub import running_stub
from chat.llm.clients import openai_client
from chat.llm.endpoint import Endpoint
from chat.llm.sdk.anthropic_messages import messages_client

HERE = Endpoint("http://127.0.0.1:9/v1", "")


def test_a_loop_keeps_its_clients() -> None:
    async def twice() -> bool:
        same = openai_client(HERE) is openai_client(HERE)
        return same and messages_client(HERE) is messages_client(HERE)

    assert asyncio.run(twice())


def test_another_loop_has_clients_of_its_own() -> None:
    async def clients() -> tuple[object, object]:
        return openai_client(HERE), messages_client(HERE)

    first, second = asyncio.run(clients()), asyncio.run(clients())
    assert first[0] is not second[0]
    assert first[1] is not second[1]


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The request lines that a proxy of the environment was sent; it refuses all."""
    lines: list[str] = []

    class Refusing(StreamRequestHandler):
        def handle(self) -> None:
            lines.append(self.rfile.readline().decode().strip())
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        yield lines
        server.shutdown()


async def _ask(endpoint: Endpoint) -> None:
    with suppress(openai.OpenAIError):
        await openai_client(endpoint).models.list()


def test_a_request_goes_through_the_proxy_that_the_environment_names(proxy: list[str]) -> None:
    asyncio.run(_ask(Endpoint("http://models.invalid/v1", "")))
    assert proxy == ["GET http://models.invalid/v1/models HTTP/1.1"]


def test_a_host_of_no_proxy_is_asked_directly(
    proxy: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    asyncio.run(_ask(HERE))
    assert proxy == []


def test_a_request_needs_no_thread() -> None:
    """The first one does: the SDK looks the platform up."""
    submitted: list[object] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *args: Any, **kwargs: Any) -> Any:
            submitted.append(args[0])
            return super().submit(*args, **kwargs)

    async def twice(url: str) -> None:
        endpoint = Endpoint(url, "")
        await _ask(endpoint)
        asyncio.get_running_loop().set_default_executor(Counting())
        await _ask(endpoint)

    with running_stub() as stub:
        asyncio.run(twice(stub.base_url))
    assert submitted == []
