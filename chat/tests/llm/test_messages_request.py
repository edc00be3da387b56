"""Requests of the Messages API, as Anthropic's own SDK sends them."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

from benchmarks.stub import Stub, running_stub
from benchmarks.stub.journal import LoggedRequest
from chat.llm.endpoint import Endpoint
from chat.llm.errors import ConnectFailed, Stalled
from chat.llm.recording import Recording, recording
from chat.llm.sdk import sdk_for
from chat.llm.sdk.anthropic_messages import headers_of, messages_client
from chat.llm.sdk.contract import SDKFailed
from chat.llm.sdk.failures import RAISED, failure_of

SCHEMA = {"type": "object", "default": None, "examples": [1e30, -0.0, 10**20]}
BODY: dict[str, Any] = {
    "model": "stub-n2",
    "temperature": 0.5,
    "system": [{"type": "text", "text": "Grüße / 你 😀\u2028"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": 'a "b"\n\t\\'}]}],
    "max_tokens": 5,
    "tools": [{"name": "t", "description": "", "input_schema": SCHEMA}],
    "metadata": {"user_id": "u"},
    "stream": True,
}
# The SDK describes itself in them.
OF_THE_SDK = "x-stainless-"


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


def endpoint(stub: Stub, **more: Any) -> Endpoint:
    return Endpoint(stub.base_url, "sk-canary-123", kind="anthropic", **more)


async def _send(to: Endpoint, body: dict[str, Any]) -> None:
    async with messages_client(to), sdk_for(to).sending(to, body) as response:
        await response.aread()


def _sent_by_us(stub: Stub) -> LoggedRequest:
    asyncio.run(_send(endpoint(stub), BODY))
    return stub.completions[-1]


def _sent_by_the_sdk(stub: Stub) -> LoggedRequest:
    to = endpoint(stub)
    rest = {name: value for name, value in BODY.items() if name not in ("model", "max_tokens")}
    with anthropic.Anthropic(
        base_url=to.base_url.removesuffix("/v1"),
        api_key=to.api_key,
        max_retries=0,
        default_headers={"X-Api-Key": to.api_key, "anthropic-version": "2023-06-01"},
    ) as client:
        client.messages.create(
            model=BODY["model"],
            max_tokens=BODY["max_tokens"],
            messages=rest.pop("messages"),
            stream=True,
            extra_body=rest,
        ).close()
    return stub.completions[-1]


def test_the_bytes_of_a_body_are_those_of_the_sdk(stub: Stub) -> None:
    assert _sent_by_us(stub).body == _sent_by_the_sdk(stub).body


def test_address_and_headers_are_those_of_the_sdk(stub: Stub) -> None:
    ours, theirs = _sent_by_us(stub), _sent_by_the_sdk(stub)
    assert (ours.method, ours.path) == (theirs.method, theirs.path)
    sdk = {
        name.lower(): value
        for name, value in theirs.headers
        if not name.lower().startswith(OF_THE_SDK)
    }
    sdk |= {"user-agent": "Roundtrip", "accept-encoding": "identity"}
    assert {name.lower(): value for name, value in ours.headers} == sdk


def test_anthropic_itself_gets_the_key_once_and_the_newest_version() -> None:
    there = Endpoint("https://api.anthropic.com", "sk-1", kind="anthropic")
    headers = headers_of(there, {"model": "m"})
    assert "X-Api-Key" not in headers
    assert headers["Authorization"] == "Bearer sk-1"
    assert headers["anthropic-version"] == "2026-10-21"
    assert headers_of(there, {"temperature": 1})["anthropic-version"] == "2023-06-01"


def test_a_refused_request_is_a_failure_with_its_body_recorded(stub: Stub) -> None:
    record = Recording()

    async def ask() -> None:
        recording.set(record)
        await _send(endpoint(stub), BODY | {"model": "stub-f429"})

    with pytest.raises(SDKFailed):
        asyncio.run(ask())
    assert record.status == 429
    assert record.response_body


def _failure(to: Endpoint) -> Exception:
    record = Recording()

    async def ask() -> None:
        recording.set(record)
        await _send(to, BODY)

    with pytest.raises(RAISED) as caught:
        asyncio.run(ask())
    return failure_of(caught.value, record, to)


def test_a_server_that_nobody_runs_could_not_be_reached() -> None:
    failure = _failure(Endpoint("http://127.0.0.1:9", "", kind="anthropic"))
    assert isinstance(failure, ConnectFailed)


def test_a_server_that_is_silent_has_stalled() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        to = Endpoint(f"http://127.0.0.1:{port}", "", idle_s=0.1, kind="anthropic")
        assert isinstance(_failure(to), Stalled)


def test_a_number_that_json_lacks_is_not_sent(stub: Stub) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        asyncio.run(_send(endpoint(stub), BODY | {"temperature": float("nan")}))


def test_a_redirect_is_refused_and_not_followed() -> None:
    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
        )
        await writer.drain()

    async def ask() -> None:
        async with await asyncio.start_server(redirect, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            await _send(Endpoint(f"http://127.0.0.1:{port}", "", kind="anthropic"), BODY)

    with pytest.raises(SDKFailed, match="307"):
        asyncio.run(ask())
