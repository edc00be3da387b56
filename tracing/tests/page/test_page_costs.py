"""Statements and bytes of the pages of traces, which must not grow with what they list."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tracing.list.query import PAGE_SIZE
from tracing.tests.builders import ATurn, a_user
from tracing.tests.listing.builders import a_trace
from tracing.tests.page.pages import ANSWER, ASKED, QUESTION, SYSTEM, stages

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.long]

# Of a session and its user.
SIGNED_IN = 2


def cost(client: Client, user: User, address: str) -> tuple[int, int]:
    """The numbers of statements and of bytes of a page."""
    client.force_login(user)
    with CaptureQueriesContext(
        connection,
    ) as statements:
        response = client.get(address)
    assert response.status_code == 200
    return len(statements) - SIGNED_IN, len(response.content)


def a_turn_of(rounds: int) -> ATurn:
    turn = ATurn(a_user())
    for number in range(1, rounds + 1):
        turn.a_round(number, (number * 100, number * 100 + 90))
        turn.a_generation(
            stages([SYSTEM, QUESTION], ASKED if number < rounds else ANSWER),
            at=(number * 100, number * 100 + 50),
            attributes={"model": "qwen", "dialect": "nous", "usage": {"prompt_tokens": 1000}},
        )
        turn.a_call(
            {"arguments": b'{"schema": "main"}', "shown": b"students, log"},
            at=(number * 100 + 60, number * 100 + 80),
            number=1,
            name="sqlite-list_tables",
            attributes={"server": "sqlite", "tool": "list_tables"},
        )
    turn.end(rounds * 100 + 90)
    return turn


def test_a_full_page_of_the_list_takes_six_statements(client: Client) -> None:
    admin = a_user(is_superuser=True)
    for number in range(PAGE_SIZE + 1):
        a_trace(admin, f"question {number}", number)

    statements, size = cost(client, admin, "/traces/")

    assert statements <= 6
    assert size <= 15_000 + PAGE_SIZE * 1_400


@pytest.mark.parametrize("chosen", [1, 2, 3])
def test_a_round_of_three_takes_sixteen_statements(client: Client, chosen: int) -> None:
    turn = a_turn_of(3)
    address = f"{turn.trace.get_absolute_url()}?round={chosen}"

    statements, size = cost(client, turn.archive.owner, address)

    assert statements <= 16
    assert size <= 70_000


def test_a_round_of_five_hundred_takes_as_many_statements(client: Client) -> None:
    turn = a_turn_of(500)
    address = f"{turn.trace.get_absolute_url()}?round=500"

    statements, size = cost(client, turn.archive.owner, address)

    assert statements <= 16
    assert size <= 200_000
