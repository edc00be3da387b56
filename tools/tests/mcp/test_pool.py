"""Which calls share a session, and when sessions end."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tests import patience
from tools import loop
from tools.mcp import connection, pool
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import is_gone, wait_until
from tools.tests.servers import web
from tools.values.server_config import ServerConfig

pytestmark = pytest.mark.process


def test_a_placeholder_gives_each_workspace_a_process_of_its_own(
    caller: Caller, tmp_path: Path
) -> None:
    config = odd("{workspace}")
    here = caller.call(config, "process").text
    there = caller.call(
        config, "process", caller.context(workspace=tmp_path / "another workspace")
    ).text
    assert here != there
    assert caller.call(config, "process").text == here


def test_a_placeholder_is_replaced_in_the_environment(caller: Caller) -> None:
    config = odd(env=(("FOLDER", "{workspace}/data"),))
    assert f"{caller.workspace}/data" in caller.call(config, "environment").text


def test_another_secret_is_another_session(caller: Caller) -> None:
    first = caller.call(odd(env=(("TOKEN", "a"),)), "process").text
    assert caller.call(odd(env=(("TOKEN", "b"),)), "process").text != first


def test_what_era_a_server_was_does_not_split_its_session(caller: Caller) -> None:
    first = caller.call(odd(), "process").text
    assert caller.call(replace(odd(), era="legacy"), "process").text == first


def test_a_server_that_was_old_last_time_is_not_probed_again(caller: Caller) -> None:
    context = caller.context()
    caller.call(odd(era="legacy"), "echo", context)
    assert context.frames[0]["message"]["method"] == "initialize"


def test_calls_that_come_while_a_session_opens_wait_for_it(caller: Caller) -> None:
    running = [caller.start(odd(), "process", caller.context()) for _ in range(5)]
    assert len({future.result(patience.SECONDS).text for future in running}) == 1


def test_a_session_that_nobody_uses_is_closed(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MAX_IDLE_S", 0.2)
    pid = int(caller.call(odd(), "process").text)
    wait_until(lambda: is_gone(pid))
    assert int(caller.call(odd(), "process").text) != pid


def test_a_session_in_use_is_not_idle(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_IDLE_S", 0.1)
    caller.call(odd(), "echo")
    assert "did not answer" in caller.call(odd(), "hang", caller.context(deadline_s=0.5)).text


def test_the_session_used_longest_ago_makes_room(caller: Caller, settings: Settings) -> None:
    settings.MCP_CONNECTIONS = 2
    pids = [int(caller.call(odd(str(number)), "process").text) for number in range(3)]
    wait_until(lambda: is_gone(pids[0]))
    assert not is_gone(pids[1])
    assert caller.call(odd("2"), "process").text == str(pids[2])


def test_where_no_session_is_idle_a_call_waits_for_room(caller: Caller, settings: Settings) -> None:
    settings.MCP_CONNECTIONS = 1
    caller.call(odd("0"), "echo")
    busy = caller.start(odd("0"), "hang", caller.context(deadline_s=0.5))
    waiting = caller.start(odd("1"), "echo", caller.context(), text="after it")
    assert busy.result(patience.SECONDS).unknown
    assert waiting.result(patience.SECONDS).text == "after it"


def test_waiting_for_room_ends_at_the_deadline(caller: Caller, settings: Settings) -> None:
    settings.MCP_CONNECTIONS = 1
    caller.call(odd("0"), "echo")
    caller.start(odd("0"), "hang", caller.context())
    result = caller.call(odd("1"), "echo", caller.context(deadline_s=0.3))
    assert "No connection to the server odd within 0.3 s" in result.text


def test_a_server_that_cannot_be_reached_is_not_tried_again_at_once(caller: Caller) -> None:
    caller.call(odd("--broken"), "echo")
    again = caller.call(odd("--broken"), "echo")
    assert "exited with code 3: no license found (tried 1 times; next try in" in again.text


def test_the_pause_before_the_next_try_grows_and_ends(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FIRST_WAIT_S", 0.05)
    caller.call(odd("--broken"), "echo")
    wait_until(lambda: "(tried" not in caller.call(odd("--broken"), "echo").text)
    assert "(tried 2 times" in caller.call(odd("--broken"), "echo").text


def test_a_call_that_never_returns_does_not_keep_the_loop_from_closing(caller: Caller) -> None:
    caller.call(odd(), "echo")
    caller.start(odd(), "hang", caller.context())
    began = time.monotonic()
    loop.close()
    assert time.monotonic() - began < 4


def test_many_callers_of_several_servers_share_a_process_for_each(
    caller: Caller, tmp_path: Path
) -> None:
    """As many users with a conversation each would."""
    servers = [odd(str(number)) for number in range(4)]
    running = [
        caller.start(server, "process", caller.context(workspace=tmp_path / str(user)))
        for user in range(25)
        for server in servers
    ]
    assert len({future.result(patience.SECONDS).text for future in running}) == len(servers)


def test_a_server_that_changed_its_era_is_reached_by_the_next_call(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FIRST_WAIT_S", 0.0)
    with web.serving(web.modern_only()) as url:
        config = ServerConfig("new", "http", url=url, allow_private=True, era="legacy")
        assert caller.call(config, "echo", text="x").is_error
        assert caller.call(config, "echo", text="x").text == "x"
