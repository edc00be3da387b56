"""A server's list of tools: bad ones in it, and changes while a session is open."""

from collections.abc import Iterator

import pytest

from tools import loop
from tools.mcp import changes, connection, listing, pool
from tools.mcp.config import ServerConfig
from tools.models import Server
from tools.tests.calling import Caller, odd
from tools.tests.servers import web
from tools.tests.test_stdio_servers import wait_until

RINGS = odd("--rings")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The servers whose list is to be refreshed."""
    names: list[str] = []
    monkeypatch.setattr(changes.Changes.__init__, "__defaults__", (names.append,))
    monkeypatch.setattr(changes, "SETTLE_S", 0.01)
    monkeypatch.setattr(changes, "PAUSE_S", 0.05)
    return names


@pytest.fixture(scope="module")
def growing() -> Iterator[ServerConfig]:
    """A server of the new era, whose `grow` adds a tool."""
    with web.serving(web.growing()) as url:
        yield ServerConfig("growing", "http", url=url, timeout_s=10, allow_private=True)


def test_a_broken_tool_is_left_out_and_the_others_stay(caller: Caller) -> None:
    finding = listing.look(odd("--bad-schema"))
    names = [tool.name for tool in finding.tools]
    assert finding.error == ""
    assert "environment" in names
    assert "echo" not in names
    assert "the tool 'echo' was left out: inputSchema" in finding.stderr
    assert finding.stderr.count("was left out") == 3


def test_the_other_tools_of_such_a_list_can_be_called(caller: Caller) -> None:
    assert not caller.call(odd("--bad-schema"), "process").is_error


def test_a_changed_list_is_told_while_a_session_is_open(caller: Caller, told: list[str]) -> None:
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: told == ["odd"])


def test_a_notification_without_a_change_is_not_told(caller: Caller, told: list[str]) -> None:
    caller.call(RINGS, "change")
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: bool(told))
    assert told == ["odd"]


def test_a_server_of_the_new_era_is_subscribed_to(
    caller: Caller, told: list[str], growing: ServerConfig
) -> None:
    caller.call(growing, "grow")
    wait_until(lambda: told == ["growing"])


def test_a_subscription_keeps_no_session_open(
    caller: Caller, told: list[str], growing: ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection.Connection.__init__, "__kwdefaults__", {"idle_s": 0.1})
    caller.call(growing, "grow")
    wait_until(lambda: loop.run(_open_sessions()) == 0)


async def _open_sessions() -> int:
    return sum(not one.is_dead for one in pool.of_loop().connections.values())


@pytest.mark.django_db(transaction=True)
def test_what_is_told_asks_for_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    monkeypatch.setattr("tools.checks._ring", lambda server_pk, *_: rung.append(server_pk))
    server = Server.objects.create(name="odd", command="true")
    changes.ask_for_refresh("odd")
    changes.ask_for_refresh("odd")
    changes.ask_for_refresh("unknown")
    server.refresh_from_db()
    assert server.check_state == Server.Check.ASKED
    assert rung == [server.pk]
