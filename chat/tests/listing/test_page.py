"""The page of all conversations: search, filters, pages."""

import html
import re
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.commands.organising import organise
from chat.listing.filters import Filters
from chat.models import Preset
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, a_user
from chat.tests.views.pages import page_html
from limits.chat import MAX_ROWS_A_PAGE

pytestmark = pytest.mark.django_db

TITLE = re.compile(r"data-result-link><bdi>(.*?)</bdi>")


def titles(browser: Client, **query: str) -> list[str]:
    """The titles that the page lists."""
    index_noted()
    body = browser.get(reverse("chat:search"), query).content.decode()
    return [html.unescape(re.sub(r"</?mark>", "", title)) for title in TITLE.findall(body)]


def test_without_a_query_all_are_listed_the_latest_first(page: Client, owner: User) -> None:
    now = timezone.now()
    for days in (2, 0, 1):
        AConversation(owner, f"{days} days", updated=now - timedelta(days=days))
    AConversation(owner, "archived", archived=now)
    AConversation(owner, "temporary", is_temporary=True)
    AConversation(a_user("other"), "theirs")
    assert titles(page) == ["0 days", "1 days", "2 days"]
    assert titles(page, state="archived") == ["archived"]
    assert len(titles(page, state="all")) == 4


def test_a_search_finds_what_is_archived_and_says_so(page: Client, owner: User) -> None:
    AConversation(owner, "Old zoo", archived=timezone.now()).turn("quokka")
    AConversation(a_user("other"), "Theirs").turn("quokka")
    assert titles(page, q="quokka") == ["Old zoo"]
    body = page_html(page, f"{reverse('chat:search')}?q=quokka")
    assert "<mark>quokka</mark>" in body
    assert "data-archived" in body


def test_what_a_member_of_a_group_asked_is_not_said_to_be_ones_own(
    page: Client, owner: User
) -> None:
    AConversation(owner).turn("quokka", author=a_user("member"), is_of_member=True)
    index_noted()
    body = page_html(page, f"{reverse('chat:search')}?q=quokka")
    assert '<span class="result-role">Question</span>' in body


def test_filters_by_assistant_tag_and_day(page: Client, owner: User) -> None:
    preset = Preset.objects.create(name="Zoologist", owner=owner)
    old = timezone.now() - timedelta(days=40)
    one = AConversation(owner, "With assistant", preset=preset)
    two = AConversation(owner, "Tagged", updated=old)
    organise(owner, "tag", [two.row.public_id], "zoo")
    for conversation in (one, two):
        conversation.turn("quokka")
    assert titles(page, assistant=str(preset.public_id)) == ["With assistant"]
    assert titles(page, assistant="none") == ["Tagged"]
    assert titles(page, tag="zoo", q="quokka") == ["Tagged"]
    day = (old + timedelta(days=2)).date().isoformat()
    assert titles(page, since=day) == ["With assistant"]
    assert titles(page, until=day, q="quokka") == ["Tagged"]
    assert titles(page, assistant=str(preset.public_id), tag="zoo") == []


def test_what_cannot_be_read_of_an_address_counts_as_absent(page: Client, owner: User) -> None:
    AConversation(owner, "It")
    nonsense = {"since": "2026-13-99", "assistant": "x'", "state": "y", "page": "-1", "before": "z"}
    assert titles(page, **nonsense) == ["It"]
    assert titles(page, q="\x00" * 9, page="99999999999999999999") == ["It"]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_the_ends_of_the_calendar_are_no_days_of_a_filter(owner: User, zone: str) -> None:
    AConversation(owner)
    filters = Filters.read(QueryDict("since=0001-01-01&until=9999-12-31"))
    assert filters.conversations(owner, ZoneInfo(zone)).count() == 1


def test_a_search_for_nothing_helps(page: Client, owner: User) -> None:
    AConversation(owner, "Zoo").turn("quokkas and wombats")
    index_noted()
    url = reverse("chat:search")
    body = page_html(page, f"{url}?q=quokkas+unicorns")
    assert "Nothing has all words of “quokkas unicorns”" in body
    assert f'href="{url}?q=quokkas"' in body
    assert f'href="{url}?q=unicorns"' not in body
    assert "signs alone are not searched" in page_html(page, f"{url}?q=%3F%3F")
    assert "No conversation fits these filters" in page_html(page, f"{url}?tag=none")


def test_an_empty_list_says_how_to_begin(page: Client) -> None:
    assert "No conversations yet" in page_html(page, reverse("chat:search"))


def test_the_list_comes_in_pages(page: Client, owner: User) -> None:
    for number in range(MAX_ROWS_A_PAGE + 2):
        AConversation(owner, f"title {number}")
    body = page_html(page, reverse("chat:search"))
    assert len(TITLE.findall(body)) == MAX_ROWS_A_PAGE
    more = re.search(r'more-results" href="([^"]+)"', body)
    assert more is not None
    assert len(TITLE.findall(page_html(page, html.unescape(more[1])))) == 2


def test_titles_and_texts_are_escaped(page: Client, owner: User) -> None:
    AConversation(owner, "<b>quokka</b>").turn("<script>quokka</script>")
    index_noted()
    body = page_html(page, f"{reverse('chat:search')}?q=quokka%22%3E%3Cimg%3E")
    assert "<img" not in body
    body = page_html(page, f"{reverse('chat:search')}?q=quokka")
    assert "&lt;script&gt;<mark>quokka</mark>" in body


def test_the_page_costs_the_same_number_of_queries_however_long_the_list_is(
    page: Client, owner: User, django_assert_num_queries: Any
) -> None:
    AConversation(owner, "first")
    index_noted()
    url = reverse("chat:search")
    page.get(url)
    with django_assert_num_queries(6):
        page.get(url)
    for number in range(30):
        row = AConversation(owner, f"title {number}").row
        organise(owner, "tag", [row.public_id], f"tag {number % 3}")
    index_noted()
    with django_assert_num_queries(6):
        page.get(url)


def test_the_search_within_a_conversation_answers_ids(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("a quokka", "no")
    index_noted()
    url = reverse("chat:find", args=[conversation.row.public_id])
    assert page.get(url, {"q": "quokka"}).json() == {
        "messages": [{"message": str(turn.question.public_id), "turn": str(turn.row.public_id)}],
        "cut": False,
    }
    assert page.get(url).json() == {"messages": [], "cut": False}


def test_nobody_searches_within_a_conversation_of_another(page: Client) -> None:
    theirs = AConversation(a_user("other"))
    assert page.get(reverse("chat:find", args=[theirs.row.public_id])).status_code == 404
