"""Whatever a program sends, it is answered with a problem, never with an error of the server."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from api.problems import CONTENT_TYPE
from api.rest.description import describe, operations
from chat.tests.builders import AConversation, a_model

JSON = "application/json"
BODIES = [b"", b"{", b"\xff\xfe", b"[]", b"null", b'"text"', b"5", b"NaN", b"[" * 5_000]
# What a text may not be: NUL, half of a pair of surrogates, the end of a line, a long one.
TEXTS = ["a\x00b", "\ud800", "a\nb", "x" * 5_000, "‮", ""]
VALUES: list[Any] = [*TEXTS, 5, -1, 1.5, True, None, [], {}, [[]], str(uuid.UUID(int=0))]


@pytest.fixture
def rows(owner: User) -> dict[str, str]:
    """A conversation with a turn, of which all ids are."""
    made = AConversation(owner, model=a_model())
    turn = made.turn("Hi", "Hello")
    trace = str(turn.trace.public_id)
    return {
        "conversations": str(made.row.public_id),
        "turns": str(turn.row.public_id),
        "messages": str(turn.question.public_id),
        "traces": trace,
    }


@pytest.fixture
def described(db: None) -> dict[str, Any]:
    return describe()


def addresses(described: dict[str, Any], rows: dict[str, str]) -> Iterator[tuple[str, str, Any]]:
    for address, method, one in operations(described):
        if one["tags"] != ["Cassettes"] and "events" not in address:
            first = rows.get(address.split("/")[2], str(uuid.uuid4()))
            given = {"id": first, "number": "1", "path": "a.txt", "stage": "input"}
            named = address
            for name in re.findall(r"{(\w+)}", address):
                named = named.replace(f"{{{name}}}", given.get(name) or str(uuid.uuid4()))
            yield method.upper(), named, one


def check(answer: Any, about: object) -> None:
    assert answer.status_code < 500, (about, answer.status_code)
    if answer.status_code >= 400:
        assert answer["Content-Type"] == CONTENT_TYPE, about
        assert {"type", "title", "status", "detail", "instance"} <= answer.json().keys(), about


@pytest.mark.parametrize("body", BODIES, ids=repr)
def test_a_body_that_is_none(
    program: Client, rows: dict[str, str], described: dict[str, Any], body: bytes
) -> None:
    for method, address, one in addresses(described, rows):
        if "requestBody" in one:
            check(program.generic(method, address, body, content_type=JSON), (method, address))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_a_member_that_does_not_fit(
    program: Client, rows: dict[str, str], described: dict[str, Any], value: Any
) -> None:
    schemas = described["components"]["schemas"]
    for method, address, one in addresses(described, rows):
        content = one.get("requestBody", {}).get("content", {}).get(JSON)
        if content is None or method == "DELETE":
            continue
        schema = schemas[content["schema"]["$ref"].rpartition("/")[2]]
        for name in schema["properties"]:
            others = {other: "x" for other in schema.get("required", ()) if other != name}
            body = json.dumps({**others, name: value}).encode()
            answer = program.generic(method, address, body, content_type=JSON)
            check(answer, (method, address, name))


@pytest.mark.parametrize("value", ["%00", "%ff", "x" * 3_000, "-1", "%F0%9F%A6%98", "%0A"])
def test_a_parameter_that_does_not_fit(
    program: Client, rows: dict[str, str], described: dict[str, Any], value: str
) -> None:
    for method, address, one in addresses(described, rows):
        names = [part["name"] for part in one["parameters"] if part["in"] == "query"]
        for name in names if method == "GET" else ():
            check(program.get(f"{address}?{name}={value}"), (address, name))


@pytest.mark.parametrize("key", ["x" * 201, "é\x07", "\x7f"])
def test_an_idempotency_key_that_is_none(program: Client, key: str) -> None:
    answer = program.post(
        "/api/projects", b'{"name": "A"}', content_type=JSON, headers={"Idempotency-Key": key}
    )
    assert answer.status_code == 400


def test_an_address_of_no_operation(program: Client) -> None:
    for address in ("/api/", "/api/nothing", "/api//turns", "/api/turns/", "/api/%00"):
        check(program.get(address), address)
        assert program.get(address).status_code == 404, address


def test_a_method_that_there_is_not_names_those_that_there_are(program: Client) -> None:
    answer = program.delete("/api/turns")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_a_key_is_free_again_after_a_refusal(program: Client) -> None:
    headers = {"Idempotency-Key": "k"}
    for name, status in (("", 422), ("A", 201), ("A", 201)):
        body = json.dumps({"name": name}).encode()
        answer = program.post("/api/projects", body, content_type=JSON, headers=headers)
        assert answer.status_code == status
    assert answer["Idempotency-Replayed"] == "true"


def test_the_keys_of_people_are_their_own(program: Client, token_of: Any) -> None:
    other = token_of(User.objects.create_user("other"))
    headers = {"Idempotency-Key": "k"}
    body = b'{"name": "A"}'
    first = program.post("/api/projects", body, content_type=JSON, headers=headers)
    stranger = Client(headers={"Authorization": f"Bearer {other}"})
    second = stranger.post("/api/projects", body, content_type=JSON, headers=headers)
    assert first.json()["id"] != second.json()["id"]
