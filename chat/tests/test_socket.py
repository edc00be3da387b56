"""The websocket, through the real ASGI application and a real server: docs/protocol.md, frame by
frame."""

import gc
import json
import socket
import struct
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http import HTTPStatus
from typing import Any

import httpx2
import pytest
import uvicorn
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.urls import reverse
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from benchmarks.stub import Stub, running_stub
from chat.live import sockets
from chat.models import Attachment, Conversation, LanguageModel, Preset, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from config.asgi import application
from tests.ports import free_port
from tests.redis_server import RedisServer
from tracing.models import Span

SECONDS = 5.0
Frame = dict[str, Any]


class Tab:
    """An open socket, read frame by frame; notices of Redis coming and going are left out."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._waiting: list[Frame] = []

    def write(self, text: str | bytes) -> None:
        self.socket.send(text)

    def tell(self, **frame: Any) -> None:
        self.write(json.dumps(frame))

    def ask(self, **frame: Any) -> Frame:
        """Sends a frame; the next one without a number answers it."""
        self.tell(**frame)
        return self.next(lambda answer: "id" not in answer)

    def next(self, wanted: Callable[[Frame], bool] = lambda frame: True) -> Frame:
        """The next frame that is wanted; the others are dropped. Raises TimeoutError."""
        deadline = time.monotonic() + SECONDS
        while True:
            while self._waiting:
                frame = self._waiting.pop(0)
                if wanted(frame) and frame["type"] != "notice":
                    return frame
            message = json.loads(self.socket.recv(max(0.0, deadline - time.monotonic())))
            self._waiting = message if isinstance(message, list) else [message]

    def events(self, last: Callable[[Frame], bool]) -> list[Frame]:
        """The numbered frames up to the one for which `last` holds."""
        found = [self.next(lambda frame: "id" in frame)]
        while not last(found[-1]):
            found.append(self.next(lambda frame: "id" in frame))
        return found

    def close_code(self) -> int:
        """How the server closes the socket."""
        with suppress(ConnectionClosed):
            while True:
                self.socket.recv(SECONDS)
        return int(self.socket.close_code or 0)


Open = Callable[..., Tab]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of the application, served by a thread as `config.web` serves it."""
    port = free_port()
    config = uvicorn.Config(
        application,
        port=port,
        lifespan="off",
        log_config=None,
        ws="websockets-sansio",
        ws_max_size=2**20,
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    pause = threading.Event()
    while not running.started:
        assert thread.is_alive() and not pause.wait(0.01)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(SECONDS)


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@pytest.fixture
def owner(transactional_db: None, redis_server: RedisServer) -> User:
    return User.objects.create_user("owner")


@pytest.fixture
def model(owner: User, stub: Stub) -> Callable[[str], str]:
    """Makes a model of the stub's; answers its UUID."""
    provider = Provider.objects.create(name="Stub", base_url=stub.base_url, api_key="none")

    def make(name: str) -> str:
        return str(LanguageModel.objects.create(provider=provider, name=name).public_id)

    return make


Model = Callable[[str], str]


@pytest.fixture
def opened(server: str) -> Iterator[Open]:
    """Opens a socket as a page of the site would; what is given replaces a header."""
    with ExitStack() as stack:

        def open_tab(user: User, **headers: str) -> Tab:
            tab = Tab(stack.enter_context(connect_to(server, session_cookie(user), headers)))
            assert tab.next() == {"type": "hello", "protocol": 1}
            return tab

        yield open_tab


def connect_to(server: str, cookie: str, headers: dict[str, str]) -> ClientConnection:
    given = {"Origin": server, "Cookie": cookie} | headers
    url = server.replace("http", "ws") + "/ws/chat/"
    return connect(
        url,
        additional_headers={name: value for name, value in given.items() if value},
        compression=None,
        proxy=None,
        max_size=None,
        max_queue=None,
    )


def session_cookie(user: User) -> str:
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def is_over(frame: Frame) -> bool:
    return frame["type"] == "turn" and frame["state"] in ("done", "failed", "stopped")


def sent(tab: Tab, model: str, text: str = "hello", conversation: str | None = None) -> Turn:
    """The turn of a message that was sent and accepted."""
    answer = tab.ask(
        type="send", key=str(uuid.uuid4()), conversation=conversation, model=model, text=text
    )
    return Turn.objects.get(public_id=answer["turn"])


# Who may connect.


def test_a_visitor_who_is_not_signed_in_is_refused(server: str, owner: User) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect_to(server, "", {})


def test_a_user_has_so_many_sockets_and_no_more(
    server: str, opened: Open, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "MAX_SOCKETS", 2)
    first, _ = opened(owner), opened(owner)
    with connect_to(server, session_cookie(owner), {}) as refused:
        assert Tab(refused).close_code() == 4429
    assert opened(User.objects.create_user("other")).ask(type="ping") == {"type": "pong"}
    first.socket.close()
    assert opened(owner).ask(type="ping") == {"type": "pong"}


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "http://127.0.0.1:9", "null", ""])
def test_a_page_of_another_site_is_refused(server: str, owner: User, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect_to(server, session_cookie(owner), {"Origin": origin})


def test_a_logout_closes_the_socket_within_five_seconds(opened: Open, owner: User) -> None:
    tab = opened(owner)
    Session.objects.all().delete()
    assert tab.close_code() == 4403


@pytest.mark.parametrize("lost", ["permission", "staff", "superuser"])
def test_a_permission_that_is_taken_back_closes_the_socket(
    opened: Open, owner: User, lost: str
) -> None:
    permission = Permission.objects.get(codename="view_trace")
    owner.user_permissions.add(permission)
    User.objects.update(is_staff=True, is_superuser=lost == "superuser")
    tab = opened(owner)
    assert tab.ask(type="ping")["type"] == "pong"
    if lost == "permission":
        owner.user_permissions.clear()
    else:
        User.objects.update(**{f"is_{lost}": False})
    assert tab.close_code() == 4403


def test_a_permission_that_is_given_leaves_the_socket_open(opened: Open, owner: User) -> None:
    User.objects.update(is_staff=True)
    tab = opened(owner)
    owner.user_permissions.add(Permission.objects.get(codename="view_trace"))
    answer = tab.ask(type="open", conversation=None)
    assert (answer["type"], answer["code"]) == ("error", "unknown")


def test_a_frame_after_the_rights_have_ended_is_not_obeyed(
    opened: Open, owner: User, model: Model
) -> None:
    name = model("stub-n5")
    tab = opened(owner)
    User.objects.update(is_active=False)
    tab.tell(type="send", key="late", conversation=None, model=name, text="hello")
    assert tab.close_code() == 4403
    assert not Turn.objects.exists()


# Messages.


def test_an_accepted_message_is_stored(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    answer = tab.ask(type="send", key="k", conversation=None, model=model("stub-n5"), text="你好")
    turn = Turn.objects.get(client_key="k")
    assert turn.question is not None
    assert turn.question.body == {"role": "user", "content": "你好"}
    assert answer == {
        "type": "accepted",
        "key": "k",
        "conversation": str(turn.conversation.public_id),
        "turn": str(turn.public_id),
        "message": str(turn.question.public_id),
    }


def test_a_new_conversation_has_the_preset_that_is_named(
    opened: Open, owner: User, model: Model
) -> None:
    made = Preset.objects.create(owner=owner, name="Mine", system_prompt="Be kind.")
    frame = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    opened(owner).ask(type="send", **frame, preset=str(made.public_id))
    turn = Turn.objects.select_related("question__parent").get()
    assert turn.conversation.preset == made
    assert turn.question is not None
    assert turn.question.parent is not None
    assert turn.question.parent.body["content"] == "Be kind."


def test_a_new_conversation_is_followed_from_its_first_event(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-s7-n40"))
    answer_rings(turn)
    events = tab.events(is_over)
    numbers = [int(event["id"].split("-")[1]) for event in events]
    assert numbers == list(range(1, len(events) + 1))
    turn.refresh_from_db()
    assert turn.answer is not None
    assert text_of(events) == turn.answer.body["content"]


def text_of(events: list[Frame], text: str = "") -> str:
    """The content that the deltas make up, each at the offset that it says."""
    for event in events:
        if event["type"] == "text":
            text = event["parts"]["content"]
        if event["type"] == "delta" and event["part"] == "content":
            assert event["offset"] == len(text.encode("utf-16-le")) // 2
            text += event["text"]
    return text


REJECTED: dict[str, Frame] = {
    "an empty text": {"text": "  \n"},
    "a text that is too long": {"text": "x" * 1_000_001},
    "a text that is none": {"text": 5},
    "an empty key": {"key": ""},
    "a key that is too long": {"key": "k" * 65},
    "a key that is none": {"key": None},
    "a model that is not offered": {"model": str(uuid.uuid4())},
    "a conversation that does not exist": {"conversation": str(uuid.uuid4())},
    "a conversation that is no UUID": {"conversation": "../etc/passwd"},
    "a preset that does not exist": {"preset": str(uuid.uuid4())},
    "a preset that is no UUID": {"preset": ["x"]},
}


@pytest.mark.parametrize("fault", REJECTED.values(), ids=REJECTED)
def test_a_message_that_cannot_be_is_rejected_with_a_sentence(
    opened: Open, owner: User, model: Model, fault: Frame
) -> None:
    good = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    answer = opened(owner).ask(type="send", **(good | fault))
    assert answer["type"] == "rejected"
    assert answer["key"] == fault.get("key", "k")
    assert answer["error"].endswith(".")
    assert not Turn.objects.exists()


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u202eevil", "a" * 300_000, "\U0001f600" * 99])
def test_odd_texts_are_stored_as_they_are(
    opened: Open, owner: User, model: Model, text: str
) -> None:
    turn = sent(opened(owner), model("stub-n5"), text)
    assert turn.question is not None
    assert turn.question.body["content"] == text


@pytest.mark.parametrize(
    ("key", "answer"),
    [("\ud800", "rejected"), ("\x00", "rejected"), ("\u202e", "rejected"), ("ключ", "accepted")],
)
def test_odd_keys_are_answered(
    opened: Open, owner: User, model: Model, key: str, answer: str
) -> None:
    frame = {"key": key, "conversation": None, "model": model("stub-n5"), "text": "hello"}
    answered = opened(owner).ask(type="send", **frame)
    assert (answered["type"], answered["key"]) == (answer, key)


def test_the_same_key_ten_times_at_once_is_one_turn(
    opened: Open, owner: User, model: Model
) -> None:
    frame = {"key": "same", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    tabs = [opened(owner) for _ in range(10)]
    with ThreadPoolExecutor(10) as people:
        answers = list(people.map(lambda tab: tab.ask(type="send", **frame), tabs))
    assert {answer["type"] for answer in answers} == {"accepted"}
    assert len({answer["turn"] for answer in answers}) == 1
    assert (Turn.objects.count(), Conversation.objects.count()) == (1, 1)


def test_a_key_that_is_known_is_accepted_though_its_model_is_gone(
    opened: Open, owner: User, model: Model
) -> None:
    name = model("stub-n5")
    frame = {"key": "k", "conversation": None, "model": name, "text": "hello"}
    first = opened(owner).ask(type="send", **frame)
    LanguageModel.objects.all().delete()
    again = opened(owner).ask(type="send", **frame)
    assert again == first


def test_the_key_of_another_user_is_another_message(
    opened: Open, owner: User, model: Model
) -> None:
    outsider = User.objects.create_user("outsider")
    frame = {"key": "k", "conversation": None, "model": model("stub-n5"), "text": "hello"}
    turns = {opened(user).ask(type="send", **frame)["turn"] for user in (owner, outsider)}
    assert len(turns) == 2


# Attachments.


def _upload(server: str, user: User, content: bytes) -> str:
    """The id of a file that was uploaded over HTTP as the page does it."""
    token = "t" * 32
    response = httpx2.post(
        f"{server}/attachments/",
        headers={"Cookie": f"{session_cookie(user)}; {settings.CSRF_COOKIE_NAME}={token}"},
        data={"csrfmiddlewaretoken": token, "name": "a.py"},
        files={"file": ("file", content)},
        trust_env=False,
        timeout=SECONDS,
    )
    assert response.status_code == HTTPStatus.CREATED, response.text
    return str(response.json()["id"])


def _attached(tab: Tab, model: str, attachments: Any, key: str = "k") -> Frame:
    return tab.ask(
        type="send", key=key, conversation=None, model=model, text="", attachments=attachments
    )


def test_what_was_uploaded_is_sent_with_a_message(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept = _upload(server, owner, b"x" * 1_000_000)
    answer = _attached(opened(owner), model("stub"), [kept])
    assert answer["type"] == "accepted"
    attachment = Attachment.objects.get(public_id=kept)
    assert (attachment.size, str(attachment.message.public_id)) == (1_000_000, answer["message"])  # type: ignore[union-attr]


def test_the_same_key_ten_times_at_once_takes_an_attachment_once(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    tabs = [opened(owner) for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda tab: _attached(tab, name, [kept]), tabs))
    assert len({answer["turn"] for answer in answers}) == 1
    assert Attachment.objects.count() == 1


def test_two_messages_at_once_have_an_attachment_each(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    tabs = {key: opened(owner) for key in ("a", "b", "c", "d")}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda key: _attached(tabs[key], name, [kept], key), tabs))
    sent = Attachment.objects.exclude(message=None)
    assert [answer["type"] for answer in answers].count("accepted") == sent.count() >= 1
    assert not Attachment.objects.unsent().exists()


@pytest.mark.parametrize("attachments", ["x", {}, 7, [None], ["x"], [[]], [str(uuid.uuid4())]])
def test_attachments_that_are_none_are_rejected_with_a_sentence(
    opened: Open, owner: User, model: Model, attachments: Any
) -> None:
    answer = _attached(opened(owner), model("stub"), attachments)
    assert answer["type"] == "rejected"
    assert "no longer exists" in answer["error"]


def test_the_attachment_of_another_user_cannot_be_sent(
    server: str, opened: Open, owner: User, model: Model
) -> None:
    kept, name = _upload(server, owner, b"x"), model("stub")
    outsider = User.objects.create_user("outsider", is_staff=True)
    assert _attached(opened(outsider), name, [kept])["type"] == "rejected"
    assert Attachment.objects.unsent().exists()


# Following.


def test_open_with_a_cursor_goes_on_after_it(opened: Open, owner: User, model: Model) -> None:
    first = opened(owner)
    turn = sent(first, model("stub-s7-n40"))
    answer_rings(turn)
    events = first.events(is_over)
    for seen in (1, len(events) // 2, len(events) - 1):
        tab = opened(owner)
        tab.tell(
            type="open",
            conversation=str(turn.conversation.public_id),
            cursor=events[seen - 1]["id"],
        )
        assert tab.events(is_over) == events[seen:]


def test_open_without_a_cursor_begins_with_a_snapshot(
    opened: Open, owner: User, model: Model
) -> None:
    first = opened(owner)
    turn = sent(first, model("stub-n5"))
    answer_rings(turn)
    last = first.events(is_over)[-1]
    conversation = str(turn.conversation.public_id)
    answer = opened(owner).ask(type="open", conversation=conversation, cursor=None)
    assert (answer["type"], answer["cursor"]) == ("snapshot", last["id"])
    (shown,) = answer["turns"]
    assert (shown["turn"], shown["state"]) == (str(turn.public_id), "done")
    assert shown["running"] is None


def test_a_snapshot_has_the_running_text_and_the_events_go_on_from_it(
    opened: Open, owner: User, model: Model
) -> None:
    first, late = opened(owner), opened(owner)
    turn = sent(first, model("stub-s7-r100-n80"))
    with ThreadPoolExecutor(1) as worker:
        advanced = worker.submit(_answer, turn)
        shown = first.events(lambda event: event.get("offset", 0) > 100)
        conversation = str(turn.conversation.public_id)
        (running,) = late.ask(type="open", conversation=conversation, cursor=None)["turns"]
        rest = late.events(is_over)
        advanced.result(SECONDS)
    said = running["running"]["parts"]["content"]
    assert said.startswith(text_of(shown)[:100])
    turn.refresh_from_db()
    assert turn.answer is not None
    assert text_of(rest, said) == turn.answer.body["content"]


def test_a_browser_that_leaves_in_mid_answer_is_no_error(
    opened: Open, owner: User, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-s7-r200-n200"))
    with ThreadPoolExecutor(1) as worker:
        advanced = worker.submit(_answer, turn)
        tab.events(lambda event: event.get("offset", 0) > 100)
        tab.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        tab.socket.socket.close()  # a reset, without a goodbye
        advanced.result(SECONDS)
    gc.collect()  # a task whose failure nobody looked at says so when it is collected
    errors = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert [one for one in errors if "socket cannot" in one or "never retrieved" in one] == []


def _answer(turn: Turn) -> None:
    try:
        answer_rings(turn)
    finally:
        connection.close()


@pytest.mark.parametrize("cursor", ["1-1", "99999999999999-1", "0-0"])
def test_a_log_that_is_lost_gives_a_snapshot(
    opened: Open, owner: User, model: Model, redis_server: RedisServer, cursor: str
) -> None:
    turn = sent(opened(owner), model("stub-n5"))
    answer_rings(turn)
    redis_server.flush()
    tab = opened(owner)
    conversation = str(turn.conversation.public_id)
    answer = tab.ask(type="open", conversation=conversation, cursor=cursor)
    assert (answer["type"], answer["cursor"]) == ("snapshot", None)
    assert answer["turns"][0]["state"] == "done"


@pytest.mark.parametrize("cursor", ["", "x", "1", "-", "1-2-3", "١-٢", 5, [], "9" * 5000 + "-1"])
def test_a_cursor_that_is_none_gives_a_snapshot(
    opened: Open, owner: User, model: Model, cursor: object
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    conversation = str(turn.conversation.public_id)
    answer = tab.ask(type="open", conversation=conversation, cursor=cursor)
    assert answer["type"] == "snapshot"


def test_a_log_that_is_lost_while_it_is_followed_gives_a_snapshot(
    opened: Open, owner: User, model: Model, redis_server: RedisServer
) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    answer_rings(turn)
    tab.events(is_over)
    redis_server.flush()
    tab.next(lambda frame: frame["type"] == "snapshot")
    following = sent(tab, model("stub-n6"), "more", str(turn.conversation.public_id))
    answer_rings(following)
    assert tab.events(is_over)[0]["id"].endswith("-1")


def test_a_deletion_is_told_to_who_follows_and_to_who_comes_back(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner)
    conversation = sent(tab, model("stub-n5")).conversation
    client = Client()
    client.force_login(owner)
    client.post(reverse("chat:delete", args=[conversation.public_id]))
    assert tab.next(lambda frame: frame["type"] == "deleted")
    wanted = {"conversation": str(conversation.public_id)}
    answer = opened(owner).ask(type="open", **wanted, cursor=None)
    assert {"type": "error", "code": "unknown", **wanted}.items() <= answer.items()


# What belongs to others.


def test_the_conversation_of_another_user_does_not_exist(
    opened: Open, owner: User, model: Model
) -> None:
    turn = sent(opened(owner), name := model("stub-n5"))
    stranger = opened(User.objects.create_superuser("admin"))
    conversation = str(turn.conversation.public_id)
    assert stranger.ask(type="open", conversation=conversation, cursor=None)["code"] == "unknown"
    answer = stranger.ask(type="send", key="k", conversation=conversation, model=name, text="hi")
    assert answer["type"] == "rejected"
    assert Turn.objects.count() == 1


def test_only_the_owner_can_stop_a_turn(opened: Open, owner: User, model: Model) -> None:
    tab = opened(owner)
    turn = sent(tab, model("stub-n5"))
    for user, stopped in ((User.objects.create_user("outsider"), False), (owner, True)):
        other = opened(user)
        other.tell(type="stop", turn=str(turn.public_id))
        other.ask(type="ping")
        turn.refresh_from_db()
        assert (turn.stop_requested is not None) is stopped


def test_only_the_owner_can_decide_and_only_once(opened: Open, owner: User, model: Model) -> None:
    turn = sent(opened(owner), model("stub-n5"))
    assert turn.trace is not None
    call = Span.objects.create(
        trace=turn.trace,
        kind=Span.Kind.TOOL,
        name="calculate",
        status=Span.Status.AWAITING_APPROVAL,
    )
    outsider = User.objects.create_user("outsider")
    for user, decision, status in (
        (outsider, "approve", "awaiting_approval"),
        (owner, "perhaps", "awaiting_approval"),
        (owner, "deny", "denied"),
        (owner, "approve", "denied"),
    ):
        tab = opened(user)
        tab.tell(type="decide", call=str(call.public_id), decision=decision)
        tab.ask(type="ping")
        call.refresh_from_db()
        assert call.status == status


# Frames that are none.

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


def test_a_message_is_sent_with_the_zone_of_the_person_s_browser(
    opened: Open, owner: User, model: Model
) -> None:
    tab = opened(owner, Cookie=f"{session_cookie(owner)}; timezone=Asia/Shanghai")
    answer = tab.ask(type="send", key="k", conversation=None, model=model("stub-n5"), text="Hi")
    turn = Turn.objects.select_related("trace").get(public_id=answer["turn"])
    assert turn.trace is not None
    assert turn.trace.attributes["timezone"] == "Asia/Shanghai"
