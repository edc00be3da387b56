"""Who may see a round as a program, and what the pages say."""

import pytest
from django.test import Client

from chat.llm.recording import MASK
from tracing.tests.builders import ATurn, a_user, wire

pytestmark = pytest.mark.django_db

BODY = {"model": "qwen", "messages": [{"role": "user", "content": "</code><b>数据库"}]}
ASKED = {
    "method": "POST",
    "url": "https://model.example/v1/chat/completions",
    "headers": [["authorization", MASK], ["content-length", "77"]],
}


@pytest.fixture
def turn() -> ATurn:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 90))
    turn.a_generation({"request": wire(BODY)}, (0, 90), details={"request": {"attributes": ASKED}})
    turn.a_round(2, (100, 190))
    turn.a_generation({}, (100, 190))
    return turn


@pytest.fixture
def owner(client: Client, turn: ATurn) -> Client:
    client.force_login(turn.archive.owner)
    return client


def address(turn: ATurn, rest: str, number: int = 1) -> str:
    return f"{turn.trace.get_absolute_url()}rounds/{number}/{rest}"


@pytest.mark.parametrize("program", ["curl", "python"])
def test_the_owner_reads_and_copies_a_program(owner: Client, turn: ATurn, program: str) -> None:
    page = owner.get(address(turn, program)).content.decode()
    text = owner.get(address(turn, f"{program}.txt"))
    assert "<b>数据库" not in page
    assert "$OPENAI_API_KEY" in page
    assert text["Content-Type"] == "text/plain; charset=utf-8"
    assert "https://model.example/v1" in text.content.decode()
    assert MASK not in text.content.decode()


@pytest.mark.parametrize("rest", ["curl", "curl.txt", "python", "python.txt"])
def test_for_everybody_else_there_is_none(client: Client, turn: ATurn, rest: str) -> None:
    client.force_login(a_user())
    assert client.get(address(turn, rest)).status_code == 404


def test_staff_may_see_it(client: Client, turn: ATurn) -> None:
    client.force_login(a_user(is_staff=True, is_superuser=True))
    assert client.get(address(turn, "curl")).status_code == 200


def test_a_round_that_sent_nothing_says_so(owner: Client, turn: ATurn) -> None:
    page = owner.get(address(turn, "curl", 2)).content.decode()
    assert "Nothing was sent in this attempt." in page
    assert owner.get(address(turn, "curl.txt", 2)).status_code == 422


def test_a_round_that_is_not_there(owner: Client, turn: ATurn) -> None:
    assert owner.get(address(turn, "curl", 3)).status_code == 404


def test_the_trace_offers_the_programs(owner: Client, turn: ATurn) -> None:
    page = owner.get(f"{turn.trace.get_absolute_url()}?round=1").content.decode()
    assert f'data-copy-url="{address(turn, "curl.txt")}?attempt=1"' in page
    assert f'data-copy-url="{address(turn, "python.txt")}?attempt=1"' in page
