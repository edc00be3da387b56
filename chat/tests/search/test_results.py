"""What a search finds, in which order, and where it leads."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation
from chat.search import results as results_module
from chat.search.indexing import index_noted
from chat.search.results import search
from chat.tests.builders import AConversation, a_user
from chat.tests.search.conftest import results
from limits.search import MAX_HITS, MAX_RESULTS_A_PAGE, MAX_SCOPED_CONVERSATIONS
from tracing.search import index as tracing_index

pytestmark = pytest.mark.postgres

Found = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("韩梅梅", True),
        ("梅梅的年龄", True),
        ("梅", True),
        ("年梅", False),
        ("café", True),
        ("CAFE", True),
        ("ｃａｆｅ", True),
        ('"sat on the mat"', True),
        ('"mat the on"', False),
        ("mat sat", True),
        ("mat dog", False),
        ("wonder*", True),
        ("onderful", False),
        ("*", False),
        ('"', False),
        ("\x00%_\\", False),
    ],
)
def test_words_phrases_and_beginnings_of_two_languages(
    owner: User, found: Found, query: str, is_found: bool
) -> None:
    text = "查询韩梅梅的年龄。 The cat sat on the mat in a wonderful Café."
    AConversation(owner, "It").turn(text)
    AConversation(owner, "Other").turn("Nothing of this.")
    assert found(query) == (["It"] if is_found else [])


def test_the_beginning_of_a_word_is_enough_where_nothing_has_the_word(
    owner: User, found: Found
) -> None:
    AConversation(owner, "It").turn("A wonderful day")
    assert found("day wonder") == ["It"]
    assert results(owner, "wonder").is_beginning
    assert found("a") == ["It"]


def test_titles_come_first_then_the_latest_message(owner: User, found: Found) -> None:
    now = timezone.now()
    AConversation(owner, "quokkas, long ago", updated=now - timedelta(days=9)).turn("x")
    AConversation(owner, "First").turn("the quokkas")
    AConversation(owner, "Second").turn("x", "more quokkas")
    assert found("quokkas") == ["quokkas, long ago", "Second", "First"]


def test_everybody_finds_only_their_own(owner: User, found: Found) -> None:
    other = a_user("other")
    AConversation(owner, "Mine").turn("quokka", "same words")
    AConversation(other, "Theirs").turn("quokka", "same words")
    assert found("quokka") == found("same words") == ["Mine"]
    assert found("quokka", user=other) == ["Theirs"]
    assert found("theirs") == []


def test_a_result_leads_to_its_latest_messages_with_the_words_marked(owner: User) -> None:
    conversation = AConversation(owner, "Zoo")
    turns = [conversation.turn(f"the quokka {n}", "yes") for n in range(MAX_HITS + 2)]
    (result,) = results(owner, "quokka").rows
    assert len(result.hits) == MAX_HITS
    latest = turns[-1]
    assert result.url.endswith(
        f"?find=quokka&at={latest.row.public_id}"
        f"#turn-{latest.row.public_id}.message-{latest.question.public_id}"
    )
    marks = [part.text for part in result.hits[0].hit.parts if part.is_match]
    assert marks == ["quokka"]


def test_a_found_title_has_its_messages_too(owner: User) -> None:
    AConversation(owner, "Quokkas").turn("Tell me about quokkas", "They smile.")
    (result,) = results(owner, "quokkas").rows
    assert [part.text for part in result.title if part.is_match] == ["Quokkas"]
    assert len(result.hits) == 1


def test_results_come_in_pages(owner: User, found: Found) -> None:
    for number in range(MAX_RESULTS_A_PAGE + 3):
        AConversation(owner, f"title {number}").turn("a quokka")
    first, second = found("quokka"), found("quokka", 1)
    assert len(first) == MAX_RESULTS_A_PAGE
    assert len({*first, *second}) == MAX_RESULTS_A_PAGE + 3
    assert results(owner, "quokka").has_more
    assert not results(owner, "quokka", 1).has_more
    assert found("quokka", 2) == []


@pytest.mark.parametrize("count", [3, MAX_SCOPED_CONVERSATIONS + 1])
def test_a_filter_restricts_a_search(owner: User, count: int) -> None:
    now = timezone.now()
    archived = [AConversation(owner, f"a {n}", archived=now) for n in range(count)]
    archived[0].turn("quokka")
    AConversation(owner, "listed").turn("quokka")
    index_noted(60)
    chosen = Conversation.objects.listed_for(owner).filter(archived__isnull=False)
    found = search("quokka", owner.pk, chosen, filtered=True)
    assert [str(one.conversation) for one in found.rows] == ["a 0"]


def test_a_search_looks_through_a_bounded_number_of_messages(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_module, "MAX_WALKED_HITS", 4)
    monkeypatch.setattr(results_module, "_FIRST_STEP", 2)
    monkeypatch.setattr(results_module, "_STEP", 2)
    AConversation(owner, "Old").turn("a quokka")
    new = AConversation(owner, "New")
    for _ in range(4):
        new.turn("a quokka")
    found = results(owner, "quokka")
    assert [str(one.conversation) for one in found.rows] == ["New"]
    assert found.is_cut


def test_long_texts_are_counted_once_whatever_the_index_has_of_them(
    owner: User, found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_module, "_FIRST_STEP", 2)
    monkeypatch.setattr(tracing_index, "_PART", 10)
    AConversation(owner, "Old").turn("a quokka")
    AConversation(owner, "New").turn("a quokka " * 50)
    assert found("quokka") == ["New", "Old"]


def test_a_page_costs_the_same_number_of_queries_however_much_is_found(
    owner: User, django_assert_num_queries: Any
) -> None:
    AConversation(owner, "first").turn("a quokka")
    index_noted()
    conversations = Conversation.objects.listed_for(owner)
    with django_assert_num_queries(8):
        search("quokka", owner.pk, conversations, filtered=False)
    for number in range(10):
        AConversation(owner, f"other {number}").turn("a quokka")
    index_noted()
    with django_assert_num_queries(8):
        search("quokka", owner.pk, conversations, filtered=False)


def test_messages_of_other_branches_are_found_and_those_of_deleted_turns_are_not(
    owner: User,
) -> None:
    conversation = AConversation(owner, "Zoo")
    hidden = conversation.turn("x", "a quokka", is_shown=False)
    conversation.turn("x", "a wombat", deleted=timezone.now())
    (result,) = results(owner, "quokka").rows
    assert [shown.hit.is_shown for shown in result.hits] == [False]
    assert f"at={hidden.row.public_id}" in result.url
    assert results(owner, "wombat").rows == []
