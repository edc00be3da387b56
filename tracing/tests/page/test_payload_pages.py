"""A payload alone: its page, its parts, what is found in it."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse

from tracing.models import Blob, Span
from tracing.page.payload import parts
from tracing.store import compression
from tracing.tests.builders import ATurn, a_user

pytestmark = pytest.mark.django_db

TEXT = "".join(f"第{number}行: row {number}\n" for number in range(20_000)).encode()


class Result:
    """The result of a call, as its owner sees it."""

    def __init__(self, client: Client, content: bytes) -> None:
        turn = ATurn(a_user())
        turn.a_round(1, (0, 900))
        self.span = turn.a_call({"result": content}, (0, 900), 1)
        self.client = client
        client.force_login(turn.archive.owner)

    def get(self, name: str, *more: int, status: int = 200, **query: Any) -> str:
        ids = [self.span.trace.public_id, self.span.public_id, "result"]
        response = self.client.get(reverse(f"tracing:{name}", args=[*ids, *more]), query)
        assert response.status_code == status
        if response.streaming:
            return async_to_sync(streamed)(response).decode()
        return response.content.decode()


async def streamed(response: Any) -> bytes:
    """As the server reads it, which is asynchronous."""
    return b"".join([piece async for piece in response.streaming_content])


def test_the_page_has_one_part_and_says_what_the_whole_is(client: Client) -> None:
    shown = Result(client, TEXT).get("reader")
    assert "第0行: row 0\n" in shown
    assert "第2000行" not in shown
    assert f"part 1 of {parts.count(len(TEXT))}" in shown
    assert "sha256" in shown
    assert len(shown) < 60_000


def test_a_part_can_be_had_alone(client: Client) -> None:
    shown = Result(client, TEXT).get("part", 2)
    assert shown.startswith("第")
    assert shown.endswith("\n")


def test_the_exact_bytes_of_a_large_payload_are_streamed(client: Client) -> None:
    content = TEXT * 4
    result = Result(client, content)
    assert result.get("payload") == content.decode()


def test_what_is_looked_for_is_found_in_parts_that_are_not_shown(client: Client) -> None:
    result = Result(client, TEXT)
    at = TEXT.index(b"row 19999")
    part = result.client.get(
        reverse(
            "tracing:find", args=[result.span.trace.public_id, result.span.public_id, "result"]
        ),
        {"find": "ROW 19999"},
    ).json()
    assert part == {"at": [at], "parts": [parts.count(len(TEXT))], "more": False}


def test_the_page_opens_at_the_first_match_and_marks_it(client: Client) -> None:
    shown = Result(client, TEXT).get("reader", find="第19999行")
    assert ">第19999行</mark>" in shown
    assert "1 found" in shown


def test_the_page_opens_at_a_byte(client: Client) -> None:
    shown = Result(client, TEXT).get("reader", at=TEXT.index("第15000行".encode()))
    assert "第15000行" in shown


@pytest.mark.parametrize("query", [{"part": "-1"}, {"part": "x"}, {"part": 9**20}, {"at": "²"}])
def test_a_strange_place_is_not_an_error(client: Client, query: dict[str, Any]) -> None:
    assert "row" in Result(client, TEXT).get("reader", **query)


def test_text_in_a_payload_can_do_nothing(client: Client) -> None:
    result = Result(client, b"<script>alert(1)</script>\xe2\x80\xae" * 10)
    for shown in (result.get("reader"), result.get("part", 1, find="script")):
        assert "<script>alert" not in shown
        assert "[U+202E]" in shown


def test_bytes_that_are_no_text_are_shown_as_hex(client: Client) -> None:
    shown = Result(client, b"\x89PNG\x00" * 20).get("reader")
    assert "89 50 4e 47 00" in shown
    assert "not UTF-8 text" in shown


def test_an_empty_payload_says_so(client: Client) -> None:
    assert "Empty: 0 bytes." in Result(client, b"").get("reader")


@pytest.mark.parametrize("name", ["payload", "part", "find", "reader"])
def test_a_damaged_payload_says_so(client: Client, name: str) -> None:
    result = Result(client, TEXT)
    Blob.objects.update(compressed=b"\x01\x90\xbf\x05nothing")
    more, status = ([1] if name == "part" else []), (200 if name == "reader" else 500)
    assert "damaged" in result.get(name, *more, status=status, find="row")


def test_bytes_that_are_others_than_recorded_are_not_shown(client: Client) -> None:
    result = Result(client, TEXT)
    Blob.objects.update(compressed=compression.pack(TEXT.replace(b"row", b"low")))
    shown = result.get("reader")
    assert "the bytes are not those that were recorded" in shown
    assert "low 1" not in shown


@pytest.mark.parametrize("name", ["part", "find", "reader"])
def test_nobody_else_sees_it(client: Client, name: str) -> None:
    result = Result(client, TEXT)
    client.force_login(a_user())
    result.get(name, *([1] if name == "part" else []), status=404)


def test_a_page_leads_back_to_its_place(client: Client) -> None:
    result = Result(client, TEXT)
    Span.objects.filter(pk=result.span.pk).update(name="read")
    assert f"?round=1#span-{result.span.public_id}" in result.get("reader")
