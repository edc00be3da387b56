"""The foot of the thread: as many queries, and as few bytes, for a hundred messages in line."""

import gzip

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from chat.models import Turn
from chat.tests.builders import AConversation, a_user
from limits.chat import MAX_IN_LINE, MAX_QUEUED_PREVIEW

pytestmark = pytest.mark.django_db
MAX_BYTES = 30_000


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def full(owner: User) -> AConversation:
    conversation = AConversation(owner)
    before = conversation.turn("running", status="streaming").row
    for number in range(MAX_IN_LINE):
        text = f"{number} 数据库有几张表 " * 200
        before = conversation.turn(text, status="queued", wakeups=0, parent=before).row
    return conversation


def test_a_full_queue_is_small_and_takes_one_query_for_its_messages(
    client: Client,
    owner: User,
    full: AConversation,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client.force_login(owner)
    client.get(f"{full.url}foot")
    with django_assert_max_num_queries(4):  # session, user, conversation, line
        page = client.get(f"{full.url}foot").content
    assert page.count(b"data-queued=") == MAX_IN_LINE
    assert len(gzip.compress(page)) < MAX_BYTES


def test_the_thread_has_none_of_them(client: Client, owner: User, full: AConversation) -> None:
    client.force_login(owner)
    thread = client.get(f"{full.url}thread").content.decode()
    assert thread.count("data-turn=") == 1


def test_a_long_text_is_cut_in_the_queue(client: Client, owner: User, full: AConversation) -> None:
    client.force_login(owner)
    page = client.get(f"{full.url}foot").content.decode()
    shown = page.split('class="queued-text"')[1].split(">", 1)[1].split("</p>")[0]
    assert len(shown) == MAX_QUEUED_PREVIEW + 1


def test_a_turn_in_line_that_a_page_asks_for_by_its_address_is_the_owners_alone(
    client: Client, full: AConversation
) -> None:
    client.force_login(a_user("other"))
    turn = Turn.objects.filter(wakeups=0).latest("pk").public_id
    for act in ("edit", "move", "now", "steer", "withdraw"):
        assert client.post(f"/turns/{turn}/queue/{act}").status_code == 404
    assert Turn.objects.in_line().count() == MAX_IN_LINE
