"""Sessions over real HTTP, with a good server of each era and with every kind of bad answer."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import patience
from tools import loop
from tools.mcp import pool
from tools.mcp.listing import look
from tools.mcp.resources import read_resource
from tools.tests.calling import Caller, ignoring
from tools.tests.servers import web
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    with web.serving(web.good()) as url:
        yield url


@pytest.fixture(scope="module")
def bad() -> Iterator[str]:
    with web.serving(web.bad()) as url:
        yield url.removesuffix("/mcp")


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


async def _open(config: ServerConfig) -> None:
    async with pool.of_loop().connection(config, Path()):
        pass


def at(url: str, mode: str = "auto", **headers: str) -> ServerConfig:
    return ServerConfig(
        "web",
        "http",
        url=url,
        mode=mode,
        headers=tuple(headers.items()),
        timeout_s=10,
        allow_private=True,
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_is_answered_in_both_eras(caller: Caller, good: str, mode: str) -> None:
    assert caller.call(at(good, mode), "echo", text="你好").text == "你好"


@pytest.mark.parametrize(("mode", "era"), [("auto", "modern"), ("legacy", "legacy")])
def test_a_look_tells_what_the_server_said(caller: Caller, good: str, mode: str, era: str) -> None:
    finding = look(at(good, mode))
    assert (finding.error, finding.name, finding.version) == ("", "good", "2.1")
    assert (finding.era, finding.instructions) == (era, "Be kind.")
    assert [tool.name for tool in finding.tools] == ["echo", "secret", "late"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_configured_headers_are_sent(caller: Caller, good: str, mode: str) -> None:
    """Backwards, since a secret that a server echoes is masked."""
    assert caller.call(at(good, mode, Authorization="Bearer t"), "secret").text == "t reraeB"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_late_answer_ends_at_the_deadline_and_the_session_goes_on(
    caller: Caller, good: str, mode: str
) -> None:
    result = caller.call(at(good, mode), "late", caller.context(deadline_s=0.5))
    assert result.unknown
    assert caller.call(at(good, mode), "echo", text="on").text == "on"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("401", "answered HTTP 401 Unauthorized"),
        ("401-gzip", "answered HTTP 401 Unauthorized"),
        ("403", "answered HTTP 403 Forbidden"),
        ("429", "answered HTTP 429 Too Many Requests"),
        ("500", "answered HTTP 500 Internal Server Error"),
        ("html", "answered with text/html, which is not MCP"),
        ("redirect", "answered HTTP 307"),
        ("not-json", "its answer cannot be used: it is not valid JSON"),
        ("not-rpc", "its answer cannot be used: it is not a JSON-RPC message"),
        ("not-rpc-event", "its answer cannot be used: it is not a JSON-RPC message"),
        ("accepted", "202 Accepted"),
        ("cut", "ended during the call"),
        ("reset", "answered HTTP 500"),
        ("large", "it is larger than 8 MiB"),
        ("gzip", "the answer is compressed although that was declined"),
        ("large-event", "SSE stream failed"),
    ],
)
def test_a_bad_answer_is_an_error_result_before_the_deadline(
    caller: Caller, bad: str, kind: str, expected: str
) -> None:
    began = time.monotonic()
    result = caller.call(at(f"{bad}/{kind}/mcp"), "go")
    assert result.is_error
    assert expected in result.text
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("kind", ["not-finite", "not-finite-event"])
def test_a_number_that_json_does_not_have_is_told(caller: Caller, bad: str, kind: str) -> None:
    context = caller.context()
    result = caller.call(at(f"{bad}/{kind}/mcp"), "go", context)
    assert (result.text, result.structured) == ("NaN is in here", {"mean": "NaN"})
    assert "NaN or Infinity came" in context.stderr[-1]


def test_an_answer_that_never_comes_ends_at_the_deadline(caller: Caller, bad: str) -> None:
    result = caller.call(at(f"{bad}/silent/mcp"), "go", caller.context(deadline_s=0.5))
    assert result.unknown


def test_a_challenge_is_in_the_log_of_the_call(caller: Caller, bad: str) -> None:
    context = caller.context()
    caller.call(at(f"{bad}/401/mcp"), "go", context)
    assert "answered HTTP 401 Unauthorized Bearer realm=x" in context.stderr


FORGETFUL = sorted(web.FORGETFUL)


@pytest.mark.parametrize("kind", FORGETFUL)
def test_a_call_in_a_session_that_the_server_forgot_is_made_in_a_new_one(
    caller: Caller, bad: str, kind: str
) -> None:
    sent: list[str] = []
    context = caller.context(before_send=ignoring(lambda: sent.append("sent")))
    assert caller.call(at(f"{bad}/{kind}/mcp"), "go", context).text == "session 2"
    assert sent == ["sent"]
    methods = [frame["message"].get("method") for frame in context.frames]
    assert methods.count("tools/call") == 2


@pytest.mark.parametrize("kind", FORGETFUL)
def test_a_resource_of_a_server_that_forgot_the_session_is_read_in_a_new_one(
    caller: Caller, bad: str, kind: str
) -> None:
    config = at(f"{bad}/{kind}/mcp")
    loop.run(_open(config))
    found = loop.run(read_resource(config, "memo://1", caller.workspace), 20)
    number = int(found["contents"][0]["text"].split()[1])
    assert number % 2 == 0


def test_a_400_that_answers_the_request_is_told_and_the_request_is_not_repeated(
    caller: Caller, bad: str
) -> None:
    context = caller.context()
    result = caller.call(at(f"{bad}/own-400/mcp"), "go", context)
    assert result.text == "The server web answered HTTP 400 Bad Request: no such colour."
    methods = [frame["message"].get("method") for frame in context.frames]
    assert methods.count("tools/call") == 1


def test_a_server_that_was_restarted_is_called_in_a_new_session(caller: Caller) -> None:
    with web.serving(web.good()) as url:
        assert caller.call(at(url, "legacy"), "echo", text="before").text == "before"
    with web.serving(web.good(), port_of(url)):
        assert caller.call(at(url, "legacy"), "echo", text="after").text == "after"


def test_a_session_that_is_given_up_answers_the_calls_that_are_under_way(
    caller: Caller, bad: str
) -> None:
    """`wait` answers after half a second."""
    config = at(f"{bad}/404/mcp")
    waiting = caller.start(config, "wait", caller.context())
    assert caller.call(config, "go").is_error
    assert waiting.result(patience.SECONDS).text == "waited"


def test_a_session_that_is_forgotten_again_and_again_is_an_error(caller: Caller, bad: str) -> None:
    context = caller.context()
    result = caller.call(at(f"{bad}/404/mcp"), "go", context)
    assert "answered HTTP 404 Not Found" in result.text
    assert not result.unknown
    methods = [frame["message"].get("method") for frame in context.frames]
    assert methods.count("tools/call") == 2


def test_a_server_that_is_down_says_with_what_status(caller: Caller, bad: str) -> None:
    result = caller.call(at(f"{bad}/never-open/mcp"), "go")
    assert "answered HTTP 503 Service Unavailable" in result.text
    assert not result.unknown


def test_a_port_where_nobody_listens_is_no_connection(caller: Caller) -> None:
    result = caller.call(at("http://127.0.0.1:9/mcp"), "go")
    assert "No connection to the server web" in result.text
    assert not result.unknown


@pytest.mark.parametrize("kind", ["large", "large-event", "gzip", "429", "html", "not-json"])
def test_such_an_answer_ends_neither_the_session_nor_other_calls(
    caller: Caller, bad: str, kind: str
) -> None:
    """`wait` answers after half a second."""
    caller.call(at(f"{bad}/{kind}/mcp"), "wait")
    other = caller.start(at(f"{bad}/{kind}/mcp"), "wait", caller.context())
    assert caller.call(at(f"{bad}/{kind}/mcp"), "go").is_error
    assert other.result(patience.SECONDS).text == "waited"
