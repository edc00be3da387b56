"""The other resources: files, projects, assistants, prompts, traces, cassettes, usage."""

import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import LanguageModel, Turn
from chat.tests.builders import AConversation
from chat.tests.engine.conftest import answer_rings

JSON = "application/json"


def send(program: Client, method: str, address: str, body: Any = None, **headers: str) -> Any:
    return program.generic(method, address, json.dumps(body), content_type=JSON, headers=headers)


@pytest.fixture
def conversation(owner: User) -> str:
    return f"/api/conversations/{AConversation(owner).row.public_id}"


def test_a_file_is_stored_listed_read_and_deleted(program: Client, conversation: str) -> None:
    address = f"{conversation}/files/notes/a%20b.txt"
    assert program.put(f"{conversation}/files/a%20b.txt", b"hello").status_code == 201
    [listed] = program.get(f"{conversation}/files").json()["items"]
    assert (listed["name"], listed["size"], listed["path"]) == ("a b.txt", 5, "a%20b.txt")
    answer: Any = program.get(f"{conversation}/files/{listed['path']}")
    assert answer.status_code == 200
    assert program.delete(f"{conversation}/files/{listed['path']}").status_code == 204
    assert program.get(address).status_code == 404


@pytest.mark.parametrize("path", ["..%2F..%2Fetc/passwd", "%00", "a/../../b", "no/such"])
def test_a_path_leads_nowhere_else(program: Client, conversation: str, path: str) -> None:
    assert program.get(f"{conversation}/files/{path}").status_code == 404


def test_a_name_that_is_taken_is_a_conflict(program: Client, conversation: str) -> None:
    program.put(f"{conversation}/files/a.txt", b"1")
    refused = program.put(f"{conversation}/files/a.txt?taken=", b"2")
    assert (refused.status_code, refused.json()["free"]) == (409, "a (2).txt")


def test_a_project_is_made_changed_and_deleted(program: Client) -> None:
    made = send(program, "POST", "/api/projects", {"name": "Work"}).json()
    address = f"/api/projects/{made['id']}"
    etag = program.get(address)["ETag"]
    change = {"instructions": "Be brief.", "archived": True}
    changed = send(program, "PATCH", address, change, **{"If-Match": etag})
    assert (changed.json()["instructions"], changed.json()["archived"]) == ("Be brief.", True)
    assert send(program, "PATCH", address, change, **{"If-Match": etag}).status_code == 412
    assert program.delete(address).status_code == 204
    assert program.get("/api/projects").json()["items"] == []


def test_an_assistant_is_made_replaced_and_deleted(program: Client) -> None:
    new = {"name": "A", "system_prompt": "One"}
    made = send(program, "POST", "/api/assistants", new).json()
    address = f"/api/assistants/{made['id']}"
    replaced = send(program, "PUT", address, {"name": "B", "system_prompt": "Two"})
    assert replaced.status_code == 200, replaced.content
    read = program.get(address).json()
    assert (read["name"], read["system_prompt"], read["mine"]) == ("B", "Two", True)
    assert program.delete(address).status_code == 204


def test_a_prompt_is_made_filled_in_and_refused(program: Client) -> None:
    made = send(program, "POST", "/api/prompts", {"name": "p", "text": "Hi {{who}}"}).json()
    filled = send(program, "POST", f"/api/prompts/{made['id']}/fill", {"values": {"who": "you"}})
    assert filled.json() == {"text": "Hi you"}
    again = send(program, "POST", "/api/prompts", {"name": "p", "text": "x"})
    assert again.status_code == 422
    assert again.json()["errors"][0]["where"] == "body.name"


def test_what_can_be_chosen_is_listed(program: Client, echo: LanguageModel) -> None:
    [model] = program.get("/api/models").json()["items"]
    assert model["id"] == str(echo.public_id)
    assert "calculate" in {one["name"] for one in program.get("/api/tools").json()["items"]}
    for kind in ("servers", "skills", "assistants"):
        assert program.get(f"/api/{kind}").status_code == 200


def test_usage_and_account_are_read(program: Client) -> None:
    assert program.get("/api/me").json()["username"] == "owner"
    assert program.get("/api/usage").json()["today"]["answers"] == 0


class TestTraces:
    @pytest.fixture
    def trace(self, program: Client, echo: LanguageModel) -> str:
        body = {"text": "hello", "model": str(echo.public_id)}
        send(program, "POST", "/api/turns", body)
        turn = answer_rings(Turn.objects.get())
        assert turn.trace is not None
        return f"/api/traces/{turn.trace.public_id}"

    @pytest.fixture
    def payload(self, program: Client, trace: str) -> tuple[str, dict[str, Any]]:
        [one] = program.get(f"{trace}/rounds").json()["items"]
        [generation] = one["generations"]
        request = next(part for part in generation["payloads"] if part["stage"] == "request")
        return f"{trace}/spans/{generation['id']}/payloads/request", request

    def test_they_are_found_as_on_the_page(self, program: Client, trace: str) -> None:
        [found] = program.get("/api/traces?kind=turn").json()["items"]
        assert trace.endswith(found["id"])
        assert program.get("/api/traces?kind=probe").json()["items"] == []

    def test_a_payload_has_its_exact_bytes(
        self, program: Client, payload: tuple[str, dict[str, Any]]
    ) -> None:
        address, stored = payload
        answer = program.get(address)
        assert hashlib.sha256(answer.content).hexdigest() == stored["sha256"]
        assert answer["ETag"] == f'"{stored["sha256"]}"'
        known = program.get(address, headers={"If-None-Match": answer["ETag"]})
        assert known.status_code == 304

    @pytest.mark.parametrize(
        ("asked", "part"),
        [("bytes=0-9", slice(10)), ("bytes=5-", slice(5, None)), ("bytes=-7", slice(-7, None))],
    )
    def test_a_range_is_a_part_of_them(
        self, program: Client, payload: tuple[str, dict[str, Any]], asked: str, part: slice
    ) -> None:
        whole = program.get(payload[0]).content
        answer = program.get(payload[0], headers={"Range": asked})
        assert (answer.status_code, answer.content) == (206, whole[part])
        assert answer["Content-Range"].endswith(f"/{len(whole)}")

    @pytest.mark.parametrize("asked", ["bytes=999999-", "bytes=-0", "bytes=5-4"])
    def test_a_range_beyond_them_is_refused(
        self, program: Client, payload: tuple[str, dict[str, Any]], asked: str
    ) -> None:
        answer = program.get(payload[0], headers={"Range": asked})
        assert answer.status_code == 416
        assert answer["Content-Range"] == f"bytes */{payload[1]['size']}"

    def test_a_changed_content_is_sent_whole(
        self, program: Client, payload: tuple[str, dict[str, Any]]
    ) -> None:
        headers = {"Range": "bytes=0-9", "If-Range": '"other"'}
        assert program.get(payload[0], headers=headers).status_code == 200

    def test_an_admin_sees_those_of_others_by_the_scope_admin_alone(
        self, trace: str, token_of: Callable[..., str]
    ) -> None:
        admin = User.objects.create_superuser("admin")
        for scopes, status in ((["traces"], 404), (["traces", "admin"], 200)):
            client = Client(headers={"Authorization": f"Bearer {token_of(admin, scopes)}"})
            assert client.get(trace).status_code == status

    def test_a_cassette_of_it_becomes_a_provider(
        self, remote: httpx2.Client, program: Client, trace: str, owner: User
    ) -> None:
        recorded = remote.get(f"{trace}/cassette").content
        files = {"file": ("c.json", recorded, JSON)}
        assert remote.post("/api/cassettes", files=files).status_code == 403
        User.objects.update(is_superuser=True, is_staff=True)
        made = remote.post("/api/cassettes", files=files, data={"name": "Again"})
        assert (made.status_code, made.json()["name"]) == (201, "Again")
        assert remote.delete(f"/api/cassettes/{made.json()['id']}").status_code == 204

    def test_they_are_deleted(self, program: Client, trace: str) -> None:
        ids = [trace.rpartition("/")[2], str(uuid.uuid4())]
        assert send(program, "POST", "/api/traces/delete", {"ids": ids}).json()["deleted"] == 1
        assert program.get(trace).status_code == 404


def test_an_attachment_is_uploaded_sent_and_downloaded(
    remote: httpx2.Client, echo: LanguageModel
) -> None:
    made = remote.post("/api/attachments", files={"file": ("a.txt", b"some text")}).json()
    body = {"text": "read", "model": str(echo.public_id), "attachments": [made["id"]]}
    assert remote.post("/api/turns", json=body).status_code == 201
    about = remote.get(f"/api/attachments/{made['id']}").json()
    assert (about["name"], about["sent"]) == ("a.txt", True)
    assert remote.get(f"/api/attachments/{made['id']}/content").content == b"some text"
    assert remote.delete(f"/api/attachments/{made['id']}").status_code == 404


def test_lists_go_on_by_cursor(program: Client, owner: User) -> None:
    made = [str(AConversation(owner).row.public_id) for _ in range(5)]
    found: list[str] = []
    address = "/api/conversations?limit=2"
    while address:
        page = program.get(address).json()
        found += [one["id"] for one in page["items"]]
        address = page["next"] and f"/api/conversations?limit=2&cursor={page['next']}"
    assert found == made[::-1]


@pytest.mark.parametrize("query", ["cursor=x", "limit=0", "limit=5000", "limit=x"])
def test_a_page_that_there_is_not_is_refused(program: Client, query: str) -> None:
    assert program.get(f"/api/conversations?{query}").status_code == 422


def test_a_cursor_is_for_its_own_list(program: Client, owner: User) -> None:
    for _ in range(2):
        AConversation(owner)
    cursor = program.get("/api/conversations?limit=1").json()["next"]
    assert program.get(f"/api/projects?cursor={cursor}").status_code == 422


def test_conversations_are_organised(program: Client, owner: User, conversation: str) -> None:
    change = {"pinned": True, "tags": ["a", "b"], "title": "New"}
    read = send(program, "PATCH", conversation, change).json()
    assert (read["pinned"], read["tags"], read["title"]) == (True, ["a", "b"], "New")
    assert send(program, "PATCH", conversation, {"tags": ["b"]}).json()["tags"] == ["b"]
    assert program.get("/api/conversations?tag=b").json()["items"][0]["title"] == "New"
    assert program.delete(conversation).status_code == 204


def test_an_empty_conversation_is_made_and_gone_on_with(
    program: Client, echo: LanguageModel
) -> None:
    made = send(program, "POST", "/api/conversations", {"title": "T", "model": str(echo.public_id)})
    assert made.status_code == 201, made.content
    body = {"text": "hello", "conversation": made.json()["id"]}
    turn = send(program, "POST", "/api/turns", {**body, "model": str(echo.public_id)}).json()
    assert turn["conversation"] == made.json()["id"]


def test_an_export_needs_the_scope_of_traces_for_traces(
    owner: User, conversation: str, token_of: Callable[..., str]
) -> None:
    reader = Client(headers={"Authorization": f"Bearer {token_of(owner, ['read'])}"})
    assert reader.get(f"{conversation}/export").status_code == 200
    assert reader.get(f"{conversation}/export?traces=true").status_code == 403
    assert reader.get(f"{conversation}/export?format=pdf").status_code == 422
