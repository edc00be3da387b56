"""Programs on the websocket, by their tokens."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from audit.models import Event
from chat.live import consumer
from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.live.tabs import Model, Tab, is_over, text_of
from chat.tests.live.test_questions import call
from tests.signing_in import session_cookie
from tokens.models import Token
from tracing.models import Span

__all__ = ["call"]

HELLO = {"type": "hello", "protocol": 1}


def token(owner: User, *scopes: str) -> str:
    return Token.objects.make(owner, "program", list(scopes or ("read", "chat")))[1]


class Programs:
    """Opens sockets without Origin and cookie, unless they are given."""

    def __init__(self, server: str, stack: ExitStack) -> None:
        self.url = server.replace("http", "ws") + "/ws/chat/"
        self.stack = stack

    def open(self, secret: str = "", *more: str, **headers: str) -> Tab:
        subprotocols = [*more, f"roundtrip.bearer.{secret}"] if secret else None
        options: dict[str, Any] = {"subprotocols": subprotocols, "additional_headers": headers}
        return Tab(self.stack.enter_context(connect(self.url, proxy=None, **options)))


@pytest.fixture
def programs(server: str) -> Iterator[Programs]:
    with ExitStack() as stack:
        yield Programs(server, stack)


def test_a_token_as_a_subprotocol_opens_a_socket(programs: Programs, owner: User) -> None:
    tab = programs.open(token(owner))
    assert tab.next() == HELLO
    assert tab.ask(type="ping") == {"type": "pong"}


def test_the_secret_is_not_sent_back_where_a_name_is_offered(
    programs: Programs, owner: User
) -> None:
    assert programs.open(token(owner), "roundtrip").socket.subprotocol == "roundtrip"


def test_a_token_in_the_first_frame_opens_it_too(programs: Programs, owner: User) -> None:
    tab = programs.open()
    tab.tell(type="authenticate", token=token(owner))
    assert tab.next() == HELLO


def test_a_program_sends_and_follows_as_a_page_does(
    programs: Programs, owner: User, model: Model
) -> None:
    tab = programs.open(token(owner))
    frame = {"key": "k", "conversation": None, "model": model("stub-s7-n40"), "text": "hello"}
    tab.tell(type="send", **frame)
    assert tab.next(lambda one: one["type"] == "accepted")["key"] == "k"
    turn = answer_rings(Turn.objects.get())
    assert turn.answer is not None
    assert text_of(tab.events(is_over)) == turn.answer.body["content"]


@pytest.mark.parametrize("in_first_frame", [False, True])
def test_what_a_program_decides_is_audited_as_the_apis(
    programs: Programs, owner: User, call: Span, settings: Any, in_first_frame: bool
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    forwarded = {"X-Forwarded-For": "203.0.113.9, 192.0.2.7"}
    tab = programs.open("" if in_first_frame else token(owner), **forwarded)
    if in_first_frame:
        tab.tell(type="authenticate", token=token(owner))
    tab.next()
    tab.tell(type="decide", call=str(call.public_id), decision="deny")
    tab.ask(type="ping")
    event = Event.objects.get(action="call_denied")
    assert (event.door, event.address, event.actor) == ("api", "192.0.2.7", owner)


@pytest.mark.parametrize("secret", ["rt_unknown", "x" * 300])
def test_an_unknown_token_is_refused(programs: Programs, owner: User, secret: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        programs.open(secret)


@pytest.mark.parametrize(
    "first",
    [
        {"type": "authenticate", "token": "rt_unknown"},
        {"type": "authenticate", "token": 5},
        {"type": "authenticate"},
        {"type": "ping"},
    ],
)
def test_any_other_first_frame_closes_it(
    programs: Programs, owner: User, first: dict[str, Any]
) -> None:
    tab = programs.open()
    tab.tell(**first)
    assert tab.close_code() == 4403


def test_a_program_that_says_nothing_is_closed(
    programs: Programs, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "MAX_AUTHENTICATION_S", 0.1)
    assert programs.open().close_code() == 4403


@pytest.mark.parametrize("kind", ["send", "stop", "decide", "answer", "writing"])
def test_a_token_that_reads_changes_nothing(programs: Programs, owner: User, kind: str) -> None:
    tab = programs.open(token(owner, "read"))
    assert tab.next() == HELLO
    refused = tab.ask(type=kind, key="k", text="hello", turn=str(uuid.uuid4()))
    assert (refused["code"], refused["scope"]) == ("scope", "chat")
    assert not Turn.objects.exists()


def test_a_revoked_token_closes_the_socket(programs: Programs, owner: User) -> None:
    tab = programs.open(token(owner))
    Token.objects.get().revoke()
    assert tab.close_code() == 4403


def test_a_second_factor_that_is_required_now_closes_it(
    programs: Programs, owner: User, settings: Any
) -> None:
    tab = programs.open(token(owner))
    assert tab.next() == HELLO
    settings.MFA_REQUIRED = "everybody"
    assert tab.close_code() == 4403


def test_deactivation_closes_it_beside_other_sockets(programs: Programs, owner: User) -> None:
    other = User.objects.create_user("other")
    stays, tab = programs.open(token(other)), programs.open(token(owner))
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert tab.close_code() == 4403
    stays.next()
    assert stays.ask(type="ping") == {"type": "pong"}


def test_a_cookie_counts_for_no_program(programs: Programs, owner: User) -> None:
    other = User.objects.create_user("other")
    tab = programs.open(token(other), Cookie=session_cookie(owner), Origin="http://evil.example")
    tab.next()
    began = tab.ask(type="send", key="k", text="hello", model=str(uuid.uuid4()), conversation=None)
    assert began["type"] == "rejected"
    Token.objects.get().revoke()
    assert tab.close_code() == 4403


def test_a_foreign_page_without_a_token_is_refused(programs: Programs, owner: User) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        programs.open(Origin="http://evil.example")
