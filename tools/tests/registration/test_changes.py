"""A server's list of tools: bad ones in it, and changes while a session is open."""

import asyncio
from collections.abc import Iterator

import pytest

from tools import loop, tasks
from tools.catalogue import registry
from tools.health import checks
from tools.mcp import changes, connection, findings, listing, pool
from tools.mcp.connection import Connection
from tools.models import Server
from tools.servers import review
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import wait_until
from tools.tests.servers import web
from tools.values.server_config import ServerConfig

RINGS = odd("--rings")

pytestmark = [pytest.mark.process, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "SETTLE_S", 0.01)
    monkeypatch.setattr(changes, "PAUSE_S", 0.05)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The servers that are to be looked at."""
    rows: list[int] = []
    monkeypatch.setattr("jobs.ring.send", lambda task, queue, arguments: rows.append(arguments[0]))
    return rows


def registered(config: ServerConfig) -> Server:
    """The row of a server whose tools were listed and approved."""
    row = Server.objects.create(
        name=config.name,
        transport=config.transport,
        command=config.command,
        args=list(config.args),
        url=config.url,
        timeout_s=config.timeout_s,
        allow_private=config.allow_private,
    )
    assert not listing.refresh(row).error
    return row


def lists(server: Server, name: str) -> bool:
    return server.tools.filter(name=name).exists()


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


def test_a_tool_that_appears_in_a_session_is_stored_and_waits_for_a_review(caller: Caller) -> None:
    """The server lists it in this session only."""
    server = registered(RINGS)
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: lists(server, "another"))
    assert [tool.name for tool in review.waiting(server)] == ["another"]
    assert registry.waits_for_review("odd-another")


def test_a_tool_that_changes_in_a_session_waits_for_a_review(caller: Caller) -> None:
    server = registered(RINGS)
    caller.call(RINGS, "change", text="echo")
    wait_until(lambda: [tool.name for tool in review.waiting(server)] == ["echo"])


def test_a_check_leaves_what_an_open_session_lists(caller: Caller, rung: list[int]) -> None:
    server = registered(RINGS)
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: lists(server, "another"))
    checks.ask(server)
    tasks.look(server.pk)
    assert lists(server, "another")


def test_the_end_of_such_a_session_asks_for_a_check(
    caller: Caller, rung: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = registered(RINGS)
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: lists(server, "another"))
    caller.call(RINGS, "die")
    wait_until(lambda: rung == [server.pk])
    tasks.look(server.pk)
    assert not lists(server, "another")


def test_what_was_approved_is_remembered_while_no_session_lists_it(
    caller: Caller, rung: list[int]
) -> None:
    server = registered(RINGS)
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: lists(server, "another"))
    for tool in review.waiting(server):
        tool.approve()
    listing.refresh(server)
    assert not lists(server, "another")
    caller.call(RINGS, "die")
    caller.call(RINGS, "change", text="another")
    wait_until(lambda: lists(server, "another"))
    assert review.waiting(server) == []


def test_a_server_that_was_registered_differently_since_is_left_alone(caller: Caller) -> None:
    server = registered(RINGS)
    Server.objects.update(args=["elsewhere"])
    findings.store_changed(RINGS, [], [])
    assert lists(server, "echo")


def test_a_notification_without_a_change_is_not_told(caller: Caller) -> None:
    heard: list[int] = []

    async def relisted(session: Connection) -> None:
        heard.append(len(session.tools))

    async def ring_twice() -> None:
        session = Connection(RINGS, relisted=relisted)
        client = await session.opened()
        known = len(session.tools)
        await client.call_tool("change", {})
        await client.call_tool("change", {"text": "another"})
        async with asyncio.timeout(5):
            while not heard:
                await asyncio.sleep(0.01)
        await session.close()
        assert heard == [known + 1]

    loop.run(ring_twice(), 20)


def test_a_server_of_the_new_era_is_subscribed_to(caller: Caller, growing: ServerConfig) -> None:
    server = registered(growing)
    name = caller.call(growing, "grow").text
    wait_until(lambda: lists(server, name))


def test_a_subscription_keeps_no_session_open(
    caller: Caller, growing: ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MAX_IDLE_S", 0.1)
    caller.call(growing, "grow")
    wait_until(lambda: loop.run(_open_sessions()) == 0)


async def _open_sessions() -> int:
    return sum(not one.is_dead for one in pool.of_loop().connections.values())


def test_a_check_is_asked_for_once(rung: list[int]) -> None:
    server = Server.objects.create(name="odd", command="true")
    pool.ask_for_check("odd")
    pool.ask_for_check("odd")
    pool.ask_for_check("unknown")
    server.refresh_from_db()
    assert server.check_state == Server.Check.ASKED
    assert rung == [server.pk]
