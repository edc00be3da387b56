"""Who may use what: the table of calls, objects of a shared key, models of a group."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from django.contrib.auth.models import Group

from api.gateway.operations import OPERATIONS, operations_at
from api.tests.gateway.conftest import Person
from api.tests.gateway.upstream import Upstream
from chat.models import LanguageModel, Provider, QuotaRule
from chat.tests.quotas.conftest import Limit
from chat.tests.quotas.conftest import limit as limit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
Kind = QuotaRule.Kind

JSON = "application/json"
FORM = "multipart/form-data; boundary=b"
CHAT = "/chat/completions"
PAGE = Path(__file__).parents[3] / "docs" / "gateway.md"


@pytest.fixture(autouse=True)
def closed(provider: Provider) -> None:
    """As an admin adds a provider."""
    Provider.objects.update(shares_objects=False)


@pytest.fixture
def group(provider: Provider) -> Group:
    """Those whom the model `secret` is for."""
    group = Group.objects.create(name="Research")
    LanguageModel.objects.create(provider=provider, name="secret").groups.add(group)
    return group


def post(anna: Person, path: str, content: bytes, kind: str = JSON, **more: str) -> httpx.Response:
    return anna.client.post(path, content=content, headers={"Content-Type": kind, **more})


def form(*parts: str) -> bytes:
    """Of parts without their leading `Content-Disposition: form-data; `."""
    begun = "".join(f"--b\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    return (begun + "--b--\r\n").encode()


def field(name: str, value: str) -> str:
    return f'name="{name}"\r\n\r\n{value}'


SOUND = 'name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF'
ESCAPED = rb'{"\u006dodel": "secr\u0065t"}'
BATCH = field("purpose", "batch")
LINE = 'name="file"; filename="b.jsonl"\r\n\r\n{"body": {"model": "secr\\u0065t"}}'

# The path, the body and its type: how somebody reaches the model `secret`.
FORMS = {
    "plain JSON": (CHAT, b'{"model": "secret"}', JSON),
    "escapes": (CHAT, ESCAPED, JSON),
    "escapes as text": (CHAT, ESCAPED, "text/plain"),
    "a form of the web": (CHAT, b"model=secre%74", "application/x-www-form-urlencoded"),
    "UTF-16": (CHAT, '{"model": "secret"}'.encode("utf-16"), "application/json; charset=utf-16"),
    "UTF-16 by its mark": (CHAT, '{"model": "secret"}'.encode("utf-16"), JSON),
    "UTF-16 as text": (CHAT, '{"model": "secret"}'.encode("utf-16"), "text/plain; charset=utf-16"),
    "in the path": ("/engines/secret/completions", b'{"prompt": "a"}', JSON),
    "in a path of Google": ("/models/secret:generateContent", b"{}", JSON),
    "in the query": (CHAT + "?model=secret", b'{"model": "m"}', JSON),
    "in a file": ("/files", form(BATCH, LINE), FORM),
    "of a batch": ("/batches", b'{"input_file_id": "file-1"}', JSON),
    "multipart": ("/audio/transcriptions", form(field("model", "secret"), SOUND), FORM),
    "encoded multipart": (
        "/audio/transcriptions",
        form('name="model"\r\nContent-Transfer-Encoding: base64\r\n\r\nc2VjcmV0', SOUND),
        FORM,
    ),
    "twice": (CHAT, b'{"model": "m", "model": "secret"}', JSON),
    "twice in another case": (CHAT, b'{"model": "m", "Model": "secret"}', JSON),
    "cut by NUL": (CHAT, rb'{"model": "m", "model\u0000": "secret"}', JSON),
    "another name of it": (CHAT, b'{"model": "Secret:latest"}', JSON),
    "no name": (CHAT, b'{"messages": []}', JSON),
    "no text": (CHAT, b'{"model": ["secret"]}', JSON),
    "as a fallback": (CHAT, b'{"model": "m", "models": ["secret"]}', JSON),
    "of a tool": ("/responses", b'{"model":"m","tools":[{"type":"x","model":"secret"}]}', JSON),
    "of the parameters of a tool": (
        CHAT,
        b'{"model":"m","tools":[{"type":"openrouter:advisor","parameters":{"model":"secret"}}]}',
        JSON,
    ),
    "of a tool that chooses": (
        "/responses",
        b'{"model":"m","tools":[{"type":"image_generation"}]}',
        JSON,
    ),
    "as a file without a name": (
        "/audio/transcriptions",
        form(field("model", "m"), 'name="model"; filename=""\r\n\r\nsecret', SOUND),
        FORM,
    ),
    "of a prompt": ("/responses", b'{"model": "m", "prompt": {"id": "p"}}', JSON),
    "no JSON": (CHAT, b"{model: secret}", JSON),
    "with a byte order mark": (CHAT, b'\xef\xbb\xbf{"model": "secret"}', JSON),
}
_INSIDE = ("plain JSON", "escapes", "multipart")


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("opened", [False, True])
def test_a_model_of_a_group_is_reached_in_no_form(
    anna: Person, group: Group, upstream: Upstream, name: str, opened: bool
) -> None:
    Provider.objects.update(shares_objects=opened)
    assert post(anna, *FORMS[name]).status_code in (400, 403, 415)
    assert not upstream.seen


@pytest.mark.parametrize("name", _INSIDE)
def test_a_member_of_the_group_reaches_it(anna: Person, group: Group, name: str) -> None:
    anna.user.groups.add(group)
    assert post(anna, *FORMS[name]).status_code == 200


@pytest.mark.parametrize("name", ["in the path", "in the query", "in a file", "of a batch"])
def test_a_member_of_the_group_makes_other_calls_where_objects_are_shared(
    anna: Person, group: Group, name: str
) -> None:
    anna.user.groups.add(group)
    Provider.objects.update(shares_objects=True)
    assert post(anna, *FORMS[name]).status_code == 200


def test_the_body_that_is_sent_is_the_one_that_was_judged(
    anna: Person, group: Group, upstream: Upstream
) -> None:
    body = b' {"messages" : [{"content":"\xc3\xa9\\u0041"}],\n"model":"m","x":1e400 } '
    assert post(anna, CHAT, body, "Application/JSON; charset=UTF-8").content == body
    assert upstream.seen[0].body == body


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "gzip"},
        {"X-Model": "secret"},
        {"azureml-model-deployment": "secret"},
    ],
)
def test_a_header_names_no_model(
    anna: Person, group: Group, upstream: Upstream, headers: dict[str, str]
) -> None:
    assert post(anna, CHAT, b'{"model": "m"}', **headers).status_code in (403, 415)
    assert not upstream.seen


@pytest.mark.parametrize("query", ["beta=true", "api-version=2025-01-01&limit=5"])
def test_queries_of_clients_are_passed_on(anna: Person, group: Group, query: str) -> None:
    assert post(anna, f"/messages?{query}", b'{"model": "m"}').status_code == 200


@pytest.mark.parametrize(("model", "status"), [("m", 200), ("secret", 403), ("secr%65t", 403)])
def test_the_page_of_a_model_is_for_whom_the_model_is(
    anna: Person, group: Group, model: str, status: int
) -> None:
    assert anna.client.get(f"/models/{model}").status_code == status


@pytest.mark.parametrize(
    "body",
    [
        form(field("model", "m"), field("model", "secret"), SOUND),
        form(field("model", "m"), field("Model", "secret"), SOUND),
        form('name="model"; filename="x"\r\n\r\nsecret', SOUND),
        form("name=\"x\"; name*=utf-8''model\r\n\r\nsecret", field("model", "m")),
        form("name=model\r\n\r\nsecret", field("model", "m")),
        form('name="model"\r\nContent-Transfer-Encoding: base64\r\n\r\nc2VjcmV0'),
        form('name="model"\r\nContent-Type: text/plain; charset=utf-7\r\n\r\nm'),
        form(field("model", "m"), SOUND).replace(b"RIFF", b"\n--b\nX: y\n\nsecret"),
        form(field("model", "m"), SOUND).replace(b"\r\n", b"\n"),
        b"preamble\r\n" + form(field("model", "m"), SOUND),
        form(field("model", "m"), SOUND) + b"epilogue",
        form(SOUND),
        b"",
    ],
)
def test_a_doubtful_form_is_refused(
    anna: Person, group: Group, upstream: Upstream, body: bytes
) -> None:
    assert post(anna, "/audio/transcriptions", body, FORM).status_code in (400, 403)
    assert not upstream.seen


def test_a_form_of_a_client_is_passed_on_as_it_is(
    anna: Person, group: Group, upstream: Upstream
) -> None:
    answer = anna.client.post(
        "/audio/transcriptions",
        data={"model": "m", "timestamp_granularities[]": ["word", "segment"]},
        files={"file": ("Gerät 1.wav", bytes(range(256)), "audio/wav")},
    )
    assert answer.status_code == 200 and answer.content == upstream.seen[0].body


OBJECTS = [
    ("GET", "/files"),
    ("GET", "/files/file-1/content"),
    ("DELETE", "/files/file-1"),
    ("POST", "/files"),
    ("GET", "/batches"),
    ("POST", "/batches/b/cancel"),
    ("GET", "/messages/batches/b/results"),
    ("GET", "/responses/resp_1"),
    ("DELETE", "/responses/resp_1"),
    ("GET", "/responses/resp_1/input_items"),
    ("GET", "/chat/completions"),
    ("GET", "/conversations/c/items"),
    ("GET", "/vector_stores"),
    ("GET", "/containers"),
    ("POST", "/fine_tuning/jobs"),
    ("GET", "/fine_tuning/jobs"),
    ("DELETE", "/models/ft:m"),
    ("POST", "/realtime/client_secrets"),
    ("POST", "/load_lora_adapter"),
    ("PATCH", "/anything"),
    # Other spellings of calls that are open.
    ("POST", "/chat/completions/"),
    ("POST", "/Chat/completions"),
    ("POST", "/%63hat/completions"),
    ("POST", "/chat;x/completions"),
]


@pytest.mark.parametrize(("method", "path"), OBJECTS)
def test_objects_of_a_shared_key_are_closed_until_an_admin_opens_them(
    anna: Person, upstream: Upstream, method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.callers.MAX_GATEWAY_TOKEN_AGE_S", 0)
    answer = anna.client.request(method, path, json={"model": "m"})
    assert (
        answer.status_code == 403 and "An admin can open them" in answer.json()["error"]["message"]
    )
    assert not upstream.seen
    Provider.objects.update(shares_objects=True)
    assert [anna.client.request(method, path).status_code for _ in range(2)][1] == 200


def test_the_refusal_has_anthropics_form(anna: Person) -> None:
    headers = {"anthropic-version": "2023-06-01"}
    error = anna.client.get("/messages/batches", headers=headers).json()
    assert error["type"] == "error" and error["error"]["type"] == "permission_error"


def content(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(parts)}]}


REFERENCES: list[tuple[str, dict[str, Any]]] = [
    ("/responses", {"previous_response_id": "resp_1"}),
    ("/responses", {"Previous_Response_ID": "resp_1"}),
    ("/responses", {"conversation": "conv_1"}),
    ("/responses", {"conversation": {"id": "conv_1"}}),
    ("/responses", {"prompt": {"id": "pmpt_1"}}),
    ("/responses", {"input": [{"type": "item_reference", "id": "msg_1"}]}),
    ("/responses", {"input": [{"id": "msg_1"}]}),
    ("/responses", {"input": [{"type": "image_generation_call", "id": "ig_1"}]}),
    ("/responses", {"type": "tool_use", "input": [{"content": [{"file_id": "file-1"}]}]}),
    ("/responses", {"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]}),
    ("/responses", {"tools": [{"type": "code_interpreter", "container": "cntr_1"}]}),
    ("/chat/completions", content({"type": "file", "file": {"file_id": "file-1"}})),
    ("/chat/completions", {"messages": [{"role": "assistant", "audio": {"id": "audio_1"}}]}),
    ("/chat/completions", {"model": "@preset/mine"}),
    ("/chat/completions", {"model": "openai/gpt-4@preset/mine"}),
    ("/chat/completions", {"models": ["m", "@preset/mine"]}),
    ("/messages", content({"type": "document", "source": {"type": "file", "file_id": "f"}})),
    ("/messages", {"container": "container_1"}),
    ("/messages", {"container": {"skills": [{"type": "custom", "skill_id": "s"}]}}),
    ("/images/edits", {"images": [{"file_id": "file-1"}]}),
]


@pytest.mark.parametrize(("path", "body"), REFERENCES)
def test_a_body_refers_to_no_object_of_a_shared_key(
    anna: Person, upstream: Upstream, path: str, body: dict[str, Any]
) -> None:
    answer = anna.client.post(path, json={"model": "m", **body})
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "object_not_open"
    assert not upstream.seen


@pytest.mark.parametrize(("path", "body"), REFERENCES)
def test_it_may_where_members_share_them(anna: Person, path: str, body: dict[str, Any]) -> None:
    Provider.objects.update(shares_objects=True)
    assert anna.client.post(path, json={"model": "m", **body}).status_code == 200


SCHEMA = {"properties": {"file_id": {"default": {"file_id": "f"}}, "ID": {}, "id": {}, "model": {}}}
USE = {"type": "tool_use", "id": "t", "input": {"file_id": "f", "model": "x", "a": 1, "A": 2}}
HARMLESS: list[tuple[str, dict[str, Any]]] = [
    ("/chat/completions", {"tools": [{"function": {"name": "f", "parameters": SCHEMA}}]}),
    ("/chat/completions", {"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}),
    ("/chat/completions", {"audio": {"voice": "alloy"}, "metadata": {"thread_id": "t"}}),
    ("/completions", {"prompt": "a", "stop_token_ids": [1]}),
    ("/messages", {"messages": [{"role": "assistant", "content": [USE]}]}),
    ("/messages", {"tools": [{"input_schema": SCHEMA}], "metadata": {"user_id": "u"}}),
    ("/responses", {"previous_response_id": None, "store": True, "input": "hi"}),
    ("/responses", {"input": [{"role": "user", "content": "x", "id": "msg_1"}]}),
    ("/responses", {"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}),
    ("/responses", {"input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}),
    ("/responses", {"input": [{"type": "message", "id": "msg_1", "content": [{"text": "a"}]}]}),
    ("/responses", {"input": [{"type": "function_call", "id": "fc_1", "arguments": "{}"}]}),
    ("/responses", {"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]}),
    ("/messages", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
    ("/embeddings", {"input": ["a", "b"]}),
]


@pytest.mark.parametrize(("path", "body"), HARMLESS)
def test_what_is_the_programs_own_is_passed_on(
    anna: Person, group: Group, path: str, body: dict[str, Any]
) -> None:
    assert anna.client.post(path, json={"model": "m", **body}).status_code == 200


def test_where_all_models_are_open_any_may_be_named(anna: Person) -> None:
    assert anna.client.post("/embeddings", json={"model": "another"}).status_code == 200


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path} {row.body}")
def test_every_row_is_passed_on(anna: Person, group: Group, row: Any) -> None:
    path = "/" + row.path.format(model="m")
    if row.method == "GET":
        assert row in operations_at("HEAD", path[1:])
        assert anna.client.get(path).status_code == 200
    elif row.body == "JSON":
        assert post(anna, path, json.dumps({"model": "m"}).encode()).status_code == 200
    else:
        assert post(anna, path, form(field("model", "m")), FORM).status_code == 200


def test_a_body_that_unpacks_to_very_much_is_refused(anna: Person, upstream: Upstream) -> None:
    answer = post(anna, CHAT, b'{"model": "m", "x": [' + b"[]," * 600_000 + b"[]]}")
    assert answer.status_code == 413 and not upstream.seen


def test_bodies_that_are_judged_take_bounded_memory(
    anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.held_bodies.MAX_GATEWAY_HELD_BYTES", 200_000)
    small, large = (json.dumps({"model": "m", "x": "x" * size}) for size in (90_000, 101_000))
    assert post(anna, CHAT, large.encode()).status_code == 429
    assert [post(anna, CHAT, small.encode()).status_code for _ in range(3)] == [200] * 3


def test_the_page_has_the_same_table() -> None:
    lines = re.findall(r"^\| `(\w+) ([^`]+)` \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    assert lines == [(row.method, row.path, row.body, row.model) for row in OPERATIONS]


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", ["background", "deferred"])
def test_whose_use_is_limited_asks_for_nothing_in_the_background(
    anna: Person, limit: Limit, upstream: Upstream, name: str, opened: bool
) -> None:
    limit(Kind.TOKENS_DAY, 10_000)
    Provider.objects.update(shares_objects=opened)
    answer = anna.client.post("/responses", json={"model": "m", name: True})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "call_not_counted")
    assert anna.client.post("/responses", json={"model": "m", name: False}).status_code == 200
    assert anna.client.post("/batches", json={"a": 1}).status_code == 403


def late(anna: Person, before_the_end: Callable[[], object]) -> httpx.Response:
    """A call whose body ends when that has been done."""

    def body() -> Iterator[bytes]:
        yield b'{"model": "m", '
        before_the_end()
        yield b'"messages": []}'

    return anna.client.post(CHAT, content=body(), headers={"Content-Type": JSON})


def test_a_body_that_comes_late_is_judged_by_what_counts_then(
    anna: Person, group: Group, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.callers.MAX_GATEWAY_TOKEN_AGE_S", 0.0)
    model = LanguageModel.objects.get(name="m")
    LanguageModel.objects.create(provider=model.provider, name="other")
    assert late(anna, lambda: model.groups.add(group)).status_code == 403
    model.groups.clear()
    assert late(anna, anna.token.revoke).status_code == 401
    assert not upstream.seen


def test_a_body_is_not_waited_for_without_end(
    anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.exchange.BODY_S", 0.05)
    assert late(anna, lambda: threading.Event().wait(0.3)).status_code == 408
