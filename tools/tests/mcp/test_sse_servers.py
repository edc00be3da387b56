"""The transport of 2024 over real HTTP: a good server, and every kind of bad one."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests import patience
from tools.mcp.listing import look
from tools.mcp.transports import http
from tools.tests.calling import Caller
from tools.tests.servers import old_web, web
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def good() -> Iterator[ServerConfig]:
    with web.serving(old_web.good()) as url:
        yield at(url.removesuffix("/mcp") + "/sse")


@pytest.fixture(scope="module")
def bad() -> Iterator[str]:
    with web.serving(old_web.bad()) as url:
        yield url.removesuffix("/mcp")


def at(url: str) -> ServerConfig:
    return ServerConfig("old", "sse", url=url, timeout_s=10, allow_private=True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_is_answered(caller: Caller, good: ServerConfig, mode: str) -> None:
    config = replace(good, mode=mode)
    assert caller.call(config, "echo", text="你好").text == "你好"


def test_parallel_calls_share_a_session(caller: Caller, good: ServerConfig) -> None:
    running = [caller.start(good, "echo", caller.context(), text=str(n)) for n in range(10)]
    assert [future.result(patience.SECONDS).text for future in running] == [
        str(n) for n in range(10)
    ]


def test_a_look_tells_what_the_server_said(caller: Caller, good: ServerConfig) -> None:
    finding = look(good)
    assert (finding.error, finding.name, [tool.name for tool in finding.tools]) == (
        "",
        "old",
        ["echo"],
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("html", "answered with text/html, which is not an event stream"),
        ("401", "answered HTTP 401 Unauthorized"),
        ("redirect", "answered HTTP 307 Temporary Redirect"),
        ("elsewhere", "names an endpoint at another address"),
        ("404", "answered HTTP 404 Not Found"),
        ("429", "answered HTTP 429 Too Many Requests"),
        ("500", "answered HTTP 500 Internal Server Error"),
        ("ends", "closed the stream"),
        ("garbage", "sends events that are not MCP"),
        ("large", "ended during the call"),
    ],
)
def test_what_goes_wrong_is_an_error_result_before_the_deadline(
    caller: Caller, bad: str, kind: str, expected: str
) -> None:
    began = time.monotonic()
    result = caller.call(at(f"{bad}/{kind}/sse"), "go")
    assert result.is_error
    assert expected in result.text
    assert time.monotonic() - began < 8


def test_events_that_are_no_messages_go_to_the_log(caller: Caller, bad: str) -> None:
    context = caller.context()
    assert caller.call(at(f"{bad}/some-garbage/sse"), "go", context).text == "after it"
    assert context.stderr == ["x", "{nope"]


def test_an_answer_of_two_megabytes_is_taken(caller: Caller, bad: str) -> None:
    assert len(caller.call(at(f"{bad}/two-mb/sse"), "go").text) == 2 * 2**20


def test_an_answer_that_never_comes_ends_at_the_deadline(caller: Caller, bad: str) -> None:
    result = caller.call(at(f"{bad}/silent/sse"), "go", caller.context(deadline_s=0.5))
    assert result.unknown


def test_a_server_that_never_names_its_endpoint_ends_at_the_deadline(
    caller: Caller, bad: str
) -> None:
    config = at(f"{bad}/no-endpoint/sse")
    result = caller.call(config, "go", caller.context(deadline_s=0.5))
    assert "No connection to the server old within 0.5 s" in result.text
    assert look(replace(config, timeout_s=0.5), connect_s=0.5).error == "did not answer in time"


def test_a_session_that_ended_is_opened_anew_by_the_next_call(caller: Caller, bad: str) -> None:
    caller.call(at(f"{bad}/ends/sse"), "go")
    context = caller.context()
    caller.call(at(f"{bad}/ends/sse"), "go", context)
    assert "initialize" in [frame["message"].get("method") for frame in context.frames]


def test_a_flood_of_comments_is_slowed_down_and_delays_nobody(
    caller: Caller, good: ServerConfig, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MAX_STREAM_BURST", 2**20)
    caller.call(good, "echo", text="before")
    flooded = caller.start(at(f"{bad}/comments/sse"), "go", caller.context(deadline_s=3.0))
    assert caller.call(good, "echo", text="meanwhile").text == "meanwhile"
    assert flooded.result(patience.SECONDS).is_error
