"""Servers that flood, talk unasked, or ask us: nobody else suffers, and it ends."""

import json
import time

import pytest

from tools import loop
from tools.mcp import inbound, pool
from tools.mcp.listing import look, store
from tools.mcp.transports import stdio
from tools.models import Server
from tools.results.blocks import shown
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import is_gone, wait_until

pytestmark = pytest.mark.process


def test_who_talks_on_when_nobody_asks_is_ended(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbound, "MAX_MESSAGE_RATE", 20_000)
    pid = int(caller.call(odd(), "process").text)
    assert caller.call(odd(), "chatter").text == "hear me out"
    wait_until(lambda: is_gone(pid))


def test_who_was_ended_for_it_can_be_called_again(caller: Caller) -> None:
    caller.call(odd(), "chatter")
    assert caller.call(odd("other"), "echo", text="meanwhile").text == "meanwhile"
    wait_until(lambda: loop.run(_open("odd", ())) == 0)
    assert caller.call(odd(), "echo", text="again").text == "again"


def test_a_message_without_end_ends_the_session_after_the_deadline(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 16 * 2**20)
    pid = int(caller.call(odd(), "process").text)
    assert caller.call(odd(), "endless_line").is_error
    wait_until(lambda: is_gone(pid))


def test_requests_of_a_server_are_answered_and_give_nothing_away(caller: Caller) -> None:
    answers = json.loads(caller.call(odd(), "ask_us").text)
    assert answers == {
        "sampling/createMessage": -32600,
        "roots/list": -32600,
        "ping": {},
        "no/such": -32601,
    }


def test_all_of_500_tools_are_stored(caller: Caller, db: None) -> None:
    server = Server.objects.create(name="odd", command="true")
    store(server, look(odd("--500")))
    assert server.tools.count() == 500


def test_odd_names_are_stored_as_they_are(caller: Caller, db: None) -> None:
    server = Server.objects.create(name="odd", command="true")
    store(server, look(odd("--odd-names")))
    names = set(server.tools.values_list("name", flat=True))
    assert {"with space", "<b>bold</b>", "\N{CJK UNIFIED IDEOGRAPH-5DE5}\u5177", "twin"} <= names
    assert not [name for name in names if len(name) > 200]


def test_an_answer_that_comes_too_late_confuses_nobody(caller: Caller) -> None:
    caller.call(odd(), "echo")
    assert caller.call(odd(), "late", caller.context(deadline_s=0.2)).unknown
    assert caller.call(odd(), "echo", text="mine").text == "mine"


def test_content_that_is_not_what_it_says_is_kept_as_it_came(caller: Caller) -> None:
    result = caller.call(odd(), "wrong_types")
    assert [block["type"] for block in result.content] == ["image", "audio", "resource"]
    assert result.content[0]["data"] == "not base64!"
    assert "[image, text/html, broken base64, nothing can be shown]" in result.text
    assert "broken base64" in shown({"content": result.content})[0].text


def test_a_flood_delays_the_calls_of_other_servers_little(caller: Caller) -> None:
    caller.call(odd("calm"), "echo")
    caller.start(odd("flood"), "endless_line", caller.context(deadline_s=2.0))
    caller.start(odd("flood 2"), "garbage_flood", caller.context(deadline_s=2.0))
    for number in range(5):
        assert caller.call(odd("calm"), "echo", text=str(number)).text == str(number)


def test_nothing_runs_when_all_is_over(caller: Caller) -> None:
    """CPU time of this process over half a second, after floods of every kind."""
    for tool in ("endless_line", "garbage_flood", "stderr_flood", "chatter", "hang", "stuck"):
        caller.call(odd(tool), tool, caller.context(deadline_s=0.5))
    wait_until(lambda: _cpu_used() < 0.1)


def _cpu_used(seconds: float = 0.5) -> float:
    began = time.process_time()
    time.sleep(seconds)
    return time.process_time() - began


async def _open(name: str, args: tuple[str, ...]) -> int:
    return sum(
        not one.is_dead and one.config.args[1:] == args
        for one in pool.of_loop().connections.values()
    )
