"""Turns: started, followed as events, resumed, stopped."""

import json
import uuid
from collections.abc import Generator
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User

from chat.models import Conversation, LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings

Event = dict[str, Any]


def start(program: httpx2.Client, model: LanguageModel, **more: Any) -> Any:
    return program.post("/api/turns", json={"text": "hello", "model": str(model.public_id), **more})


def events(program: httpx2.Client, turn: str, last: str = "") -> Generator[Event, None, None]:
    headers = {"Last-Event-ID": last} if last else {}
    with program.stream("GET", f"/api/turns/{turn}/events", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        event: Event = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                event[name] = value
            elif "data" in event:
                yield {**event, "data": json.loads(event["data"])}
                event = {}


def ids(many: list[Event]) -> list[str]:
    return [one["id"] for one in many]


def state(event: Event) -> str:
    """The turn's state after an event that ends it: a snapshot, where the stream had to begin anew
    (the server had not noticed yet that the Redis of the test before was gone)."""
    data = event["data"]
    return str(data["turns"][0]["state"] if event["event"] == "snapshot" else data["state"])


def content(followed: list[Event]) -> str:
    """What a client shows in the end. `text` stands in place of all before (it comes where the
    server had not noticed yet that the Redis of the test before was gone)."""
    shown = ""
    for data in (one["data"] for one in followed):
        if data["type"] == "text":
            shown = data["parts"]["content"]
        elif data["type"] == "delta" and data["part"] == "content":
            shown += data["text"]
    return shown


def test_a_turn_is_started_and_read(remote: httpx2.Client, echo: LanguageModel) -> None:
    began = start(remote, echo)
    assert began.status_code == 201, began.text
    turn = Turn.objects.get()
    answer_rings(turn)
    read = remote.get(f"/api/turns/{turn.public_id}").json()
    assert turn.answer is not None
    assert (read["state"], read["answer"]) == ("done", turn.answer.body["content"])
    assert began.json()["state"] == "queued"


def test_the_events_of_a_turn_end_with_it(remote: httpx2.Client, echo: LanguageModel) -> None:
    turn = start(remote, echo).json()["id"]
    stream = events(remote, turn)
    assert next(stream)["event"] == "snapshot"
    answer_rings(Turn.objects.get())
    followed = list(stream)
    assert state(followed[-1]) == "done"
    if followed[-1]["event"] != "snapshot":
        assert content(followed) == remote.get(f"/api/turns/{turn}").json()["answer"]


def test_a_stream_resumed_in_the_middle_loses_and_repeats_nothing(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    turn = start(remote, echo).json()["id"]
    first = next(events(remote, turn))
    answer_rings(Turn.objects.get())
    whole = list(events(remote, turn, first["id"]))
    middle = len(whole) // 2
    rest = list(events(remote, turn, whole[middle]["id"]))
    assert middle > 2
    assert ids(whole[: middle + 1]) + ids(rest) == ids(whole)
    assert [one["data"] for one in rest] == [one["data"] for one in whole[middle + 1 :]]


def test_after_the_last_event_there_is_nothing(remote: httpx2.Client, echo: LanguageModel) -> None:
    turn = start(remote, echo).json()["id"]
    first = next(events(remote, turn))
    answer_rings(Turn.objects.get())
    last = list(events(remote, turn, first["id"]))[-1]["id"]
    answer = remote.get(f"/api/turns/{turn}/events", headers={"Last-Event-ID": last})
    assert answer.status_code == 204


def test_a_cursor_of_another_log_gets_a_snapshot(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    turn = start(remote, echo).json()["id"]
    answer_rings(Turn.objects.get())
    [only] = list(events(remote, turn, "17-4"))
    assert (only["event"], only["data"]["turns"][0]["state"]) == ("snapshot", "done")


def test_a_client_that_leaves_stops_nothing(remote: httpx2.Client, echo: LanguageModel) -> None:
    turn = start(remote, echo).json()["id"]
    stream = events(remote, turn)
    next(stream)
    stream.close()
    assert answer_rings(Turn.objects.get()).status == "done"


def test_a_turn_is_stopped_once(remote: httpx2.Client, echo: LanguageModel) -> None:
    turn = start(remote, echo).json()["id"]
    assert remote.post(f"/api/turns/{turn}/stop").json() == {"changed": True}
    assert answer_rings(Turn.objects.get()).status == "stopped"
    assert remote.post(f"/api/turns/{turn}/stop").json() == {"changed": False}


def test_the_same_key_starts_one_turn(remote: httpx2.Client, echo: LanguageModel) -> None:
    remote.headers["Idempotency-Key"] = "k"
    first, second = start(remote, echo), start(remote, echo)
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert Turn.objects.get().client_key == "k"


def test_the_same_key_with_another_body_is_refused(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    remote.headers["Idempotency-Key"] = "k"
    start(remote, echo)
    answer = start(remote, echo, temporary=True)
    assert (answer.status_code, answer.json()["type"]) == (422, "/api/docs#problem-key-reused")
    assert Turn.objects.count() == 1


def test_a_branch_is_begun_by_an_edit(remote: httpx2.Client, echo: LanguageModel) -> None:
    turn = start(remote, echo).json()
    answer_rings(Turn.objects.get())
    about = {"conversation": turn["conversation"], "text": "other", "edit": turn["question"]}
    edited = start(remote, echo, **about).json()
    tree = remote.get(f"/api/conversations/{turn['conversation']}/turns?branches=true").json()
    assert [(one["id"], one["shown"]) for one in tree["items"]] == [
        (turn["id"], False),
        (edited["id"], True),
    ]


@pytest.mark.parametrize("path", ["", "/events", "/stop"])
def test_another_persons_turn_is_not_there(
    remote: httpx2.Client, echo: LanguageModel, token_of: Any, path: str
) -> None:
    turn = start(remote, echo).json()["id"]
    other = token_of(User.objects.create_user("other"))
    method = "POST" if path == "/stop" else "GET"
    headers = {"Authorization": f"Bearer {other}"}
    assert remote.request(method, f"/api/turns/{turn}{path}", headers=headers).status_code == 404


def test_a_conversation_is_read_again_only_if_it_changed(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    address = f"/api/conversations/{start(remote, echo).json()['conversation']}"
    etag = remote.get(address).headers["ETag"]
    assert remote.get(address, headers={"If-None-Match": etag}).status_code == 304
    changed = remote.patch(address, json={"title": "New"}, headers={"If-Match": etag})
    assert changed.json()["title"] == "New"
    stale = remote.patch(address, json={"title": "Newer"}, headers={"If-Match": etag})
    assert stale.status_code == 412
    assert Conversation.objects.get().title == "New"


def test_unknown_ids_are_not_there(remote: httpx2.Client) -> None:
    assert remote.get(f"/api/turns/{uuid.uuid4()}").status_code == 404
    assert remote.get("/api/turns/5").json()["type"] == "/api/docs#problem-not-found"
