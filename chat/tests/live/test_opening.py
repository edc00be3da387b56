"""Following a conversation by the websocket: cursors, snapshots, losses."""

import gc
import socket
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from chat.models import Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.live.tabs import (
    Model,
    Open,
    is_over,
    sent,
    text_of,
)
from tests import patience
from tests.redis_server import RedisServer, cutting
from tests.signing_in import signed_in


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


def test_a_page_gets_its_snapshot_after_connections_to_redis_were_cut_as_they_began(
    opened: Open, owner: User, model: Model, redis_server: RedisServer
) -> None:
    first = opened(owner)
    turn = sent(first, model("stub-n5"))
    answer_rings(turn)
    first.events(is_over)
    redis_server.kill()
    with cutting(redis_server.port) as cut:
        tab = opened(owner)
        tab.tell(type="open", conversation=str(turn.conversation.public_id), cursor=None)
        assert cut.wait(patience.SECONDS)
    redis_server.start()
    tab.next(lambda frame: frame["type"] == "snapshot")
    later = opened(owner)
    later.tell(type="open", conversation=str(turn.conversation.public_id), cursor=None)
    later.next(lambda frame: frame["type"] == "snapshot")


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
        advanced.result(patience.SECONDS)
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
        advanced.result(patience.SECONDS)
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
    client = signed_in(owner)
    client.post(reverse("chat:delete", args=[conversation.public_id]))
    assert tab.next(lambda frame: frame["type"] == "deleted")
    wanted = {"conversation": str(conversation.public_id)}
    answer = opened(owner).ask(type="open", **wanted, cursor=None)
    assert {"type": "error", "code": "unknown", **wanted}.items() <= answer.items()
