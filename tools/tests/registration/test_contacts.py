"""The health history of a server, and how the time of a call was spent."""

import pytest

from tools.errors import Failure
from tools.health import contacts
from tools.mcp.listing import Finding, store
from tools.models import Server
from tools.tests.calling import Caller, odd
from tools.values.timing import CallTiming

pytestmark = pytest.mark.process


@pytest.fixture
def server(db: None) -> Server:
    return Server.objects.create(name="odd", command="true")


def history(server: Server) -> list[tuple[str, bool, str]]:
    return [(one.purpose, one.succeeded, one.error) for one in server.contacts.all()]


def test_each_check_is_a_contact(server: Server) -> None:
    store(server, Finding(protocol="2025-11-25", latency_ms=12))
    store(server, Finding(Failure("exited with code 1")))
    assert history(server) == [("check", False, "exited with code 1"), ("check", True, "")]


def test_a_call_that_opens_a_session_is_a_contact(server: Server, caller: Caller) -> None:
    context = caller.context()
    caller.call(odd(), "echo", context)
    contacts.record_call(context.timing)
    assert history(server) == [("call", True, "")]
    assert server.contacts.get().latency_ms == context.timing.opening_ms


def test_a_call_that_finds_a_session_is_none(server: Server, caller: Caller) -> None:
    caller.call(odd(), "echo")
    context = caller.context()
    caller.call(odd(), "echo", context)
    contacts.record_call(context.timing)
    assert history(server) == []


def test_a_call_that_gets_no_session_is_a_failed_contact(server: Server, caller: Caller) -> None:
    context = caller.context()
    caller.call(odd("--broken"), "echo", context)
    contacts.record_call(context.timing)
    assert history(server) == [("call", False, "exited with code 3: no license found")]


def test_a_call_that_waits_for_the_handshake_until_its_deadline_is_one_too(
    server: Server, caller: Caller
) -> None:
    context = caller.context(deadline_s=0.3)
    caller.call(odd("--silent"), "echo", context)
    contacts.record_call(context.timing)
    assert history(server) == [("call", False, "no session within 0.3 s")]


def test_a_call_that_is_not_even_tried_is_none(server: Server, caller: Caller) -> None:
    caller.call(odd("--broken"), "echo")
    context = caller.context()
    caller.call(odd("--broken"), "echo", context)
    contacts.record_call(context.timing)
    assert history(server) == []


def test_the_last_contacts_are_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contacts, "MAX_CONTACTS", 3)
    for number in range(5):
        contacts.record(server, "check", latency_ms=number)
    assert list(server.contacts.values_list("latency_ms", flat=True)) == [4, 3, 2]


def test_a_contact_of_a_server_that_is_gone_is_none(db: None) -> None:
    contacts.record_call(CallTiming(server="gone", is_first=True))


def test_a_call_tells_how_its_time_was_spent(caller: Caller) -> None:
    first, second = caller.context(), caller.context()
    caller.call(odd(), "echo", first)
    caller.call(odd(), "echo", second)
    assert set(first.timing.as_attributes()["timing"]) == {
        "room_ms",
        "start_ms",
        "connect_ms",
        "answer_ms",
        "protocol",
    }
    assert set(second.timing.as_attributes()["timing"]) == {"room_ms", "answer_ms", "protocol"}
    assert second.timing.protocol == "2025-11-25"


def test_a_call_without_a_session_has_no_answer(caller: Caller) -> None:
    context = caller.context()
    caller.call(odd("--broken"), "echo", context)
    timing = context.timing.as_attributes()["timing"]
    assert set(timing) == {"room_ms", "start_ms", "connect_ms"}
    assert timing["connect_ms"] == 0


def test_until_a_program_answers_a_call_waits_for_its_start(caller: Caller) -> None:
    context = caller.context()
    caller.call(odd("--slow-start"), "echo", context)
    start, connect = context.timing.start_ms, context.timing.connect_ms
    assert start is not None and connect is not None
    assert connect < start >= 500
