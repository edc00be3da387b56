"""Frames that the websocket cannot obey."""

import uuid

import pytest
from django.contrib.auth.models import User

from chat.tests.live.tabs import Frame, Open

MALFORMED = {
    "no JSON": "hello",
    "nothing": "",
    "a list": "[1]",
    "null": "null",
    "deep nesting": "[" * 100_000,
    "bytes": b'{"type": "ping"}',
    "half a character": b"\xff\xfe",
}
UNKNOWN = {
    "no type": {},
    "another type": {"type": "shutdown"},
    "a type that is no text": {"type": ["ping"]},
    "a method's name": {"type": "disconnect"},
    "open without a conversation": {"type": "open"},
    "open with a number": {"type": "open", "conversation": 5},
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_frame_is_answered_and_the_socket_stays_open(
    opened: Open, owner: User, text: str | bytes
) -> None:
    tab = opened(owner)
    tab.write(text)
    assert tab.next()["code"] == "malformed"
    assert tab.ask(type="ping") == {"type": "pong"}


@pytest.mark.parametrize("frame", UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_frame_is_answered_and_the_socket_stays_open(
    opened: Open, owner: User, frame: Frame
) -> None:
    tab = opened(owner)
    assert tab.ask(**frame)["code"] == "unknown"
    assert tab.ask(type="ping") == {"type": "pong"}


@pytest.mark.parametrize("turn", [None, 5, "x", str(uuid.UUID(int=7)), {"a": 1}])
def test_stop_of_no_turn_changes_nothing(opened: Open, owner: User, turn: object) -> None:
    tab = opened(owner)
    tab.tell(type="stop", turn=turn)
    tab.tell(type="decide", call=turn, decision="approve")
    assert tab.ask(type="ping") == {"type": "pong"}


def test_a_frame_that_is_too_large_closes_the_socket(opened: Open, owner: User) -> None:
    tab = opened(owner)
    tab.write("x" * (2**20 + 1))
    assert tab.close_code() == 1009
