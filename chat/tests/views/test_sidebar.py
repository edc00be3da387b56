"""The list of conversations, and the search in it."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, a_user
from chat.tests.views.pages import page_html

pytestmark = pytest.mark.django_db


def test_conversations_are_grouped_by_day(page: Client, owner: User) -> None:
    noon = timezone.now().replace(hour=12)
    for days in (0, 1, 3, 20):
        AConversation(owner, f"{days} days ago", updated=noon - timedelta(days=days))
    html = page_html(page, reverse("chat:conversations"))
    labels = re.findall(r"<h2[^>]*>([^<]+)</h2>", html)
    assert labels == ["Today", "Yesterday", "Previous 7 days", "Previous 30 days"]


@pytest.mark.parametrize(("hour", "label"), [(0, "Yesterday"), (12, "Today")])
def test_days_are_those_of_the_reader(page: Client, owner: User, hour: int, label: str) -> None:
    page.cookies["timezone"] = _zone_where_it_is(hour)
    AConversation(owner, updated=timezone.now() - timedelta(minutes=61))
    assert f">{label}</h2>" in page_html(page, reverse("chat:conversations"))


def test_a_zone_that_there_is_not_does_no_harm(page: Client, owner: User) -> None:
    page.cookies["timezone"] = "../no/where"
    AConversation(owner)
    assert "Today" in page_html(page, reverse("chat:conversations"))


def _zone_where_it_is(hour: int) -> str:
    ahead = (hour - timezone.now().hour + 12) % 24 - 12
    return f"Etc/GMT{-ahead:+d}"


def test_a_search_finds_titles_and_what_was_said(page: Client, owner: User) -> None:
    AConversation(owner, "数据库有几张表")
    AConversation(owner, "Second").turn("x", 'He said "quoted\nline" twice')
    AConversation(owner, "Third").turn("x", "nothing of it")
    AConversation(a_user("other"), "数据库")
    url = reverse("chat:conversations")
    assert _found(page, url, "数据库") == ["数据库有几张表"]
    assert _found(page, url, '"quoted') == ["Second"]
    assert _found(page, url, "absent") == []


def test_a_search_with_strange_characters_finds_nothing(page: Client, owner: User) -> None:
    AConversation(owner)
    assert _found(page, reverse("chat:conversations"), "\x00%_\\") == []


def _found(page: Client, url: str, query: str) -> list[str]:
    index_noted()
    html = page.get(url, {"q": query}).content.decode()
    return re.findall(r"<bdi>([^<]+)</bdi>", html)


def test_the_sidebar_comes_in_pages(page: Client, owner: User) -> None:
    for number in range(65):
        AConversation(owner, f"title {number}.")
    html = page_html(page, reverse("chat:conversations"))
    assert html.count("data-conversation-link") == 60
    more = re.search(r'data-more="([^"]+)"', html)
    assert more is not None
    assert page_html(page, more[1].replace("&amp;", "&")).count("data-conversation-link") == 5


def test_the_open_conversation_is_marked(page: Client, conversation: AConversation) -> None:
    AConversation(conversation.row.owner, "Another")
    html = page_html(page, conversation.url)
    assert html.count('aria-current="page"') == 1
