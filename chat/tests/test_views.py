"""The chat's pages and partials: who sees them, and what is on them."""

import re
from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Conversation
from chat.tests.builders import AConversation, a_model, a_user
from tracing.models import Archive, Span
from tracing.store import payloads

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def conversation(owner: User) -> AConversation:
    return AConversation(owner)


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    """The owner's browser."""
    client.force_login(owner)
    return client


def _html(page: Client, url: str) -> str:
    response = page.get(url)
    assert response.status_code == HTTPStatus.OK
    return response.content.decode()


def _routes(conversation: AConversation) -> Iterator[tuple[str, str]]:
    turn = conversation.turn(answer="Hi.")
    row = conversation.row.public_id
    yield "get", reverse("chat:conversation", args=[row])
    yield "get", reverse("chat:thread", args=[row])
    yield "get", reverse("chat:turn", args=[turn.row.public_id])
    yield "get", reverse("chat:message_text", args=[turn.question.public_id])
    yield "post", reverse("chat:rename", args=[row])
    yield "post", reverse("chat:delete", args=[row])


# Who may do what


def test_what_is_another_user_s_is_not_found(client: Client, conversation: AConversation) -> None:
    client.force_login(a_user("outsider", is_superuser=True, is_staff=True))
    for method, url in _routes(conversation):
        response = getattr(client, method)(url, {"title": "mine"})
        assert response.status_code == HTTPStatus.NOT_FOUND, url
    assert Conversation.objects.get().title == "A title"


def test_who_is_not_signed_in_is_asked_to(client: Client, conversation: AConversation) -> None:
    urls = [*_routes(conversation), ("get", "/"), ("get", reverse("chat:conversations"))]
    for method, url in urls:
        response = getattr(client, method)(url)
        assert response.status_code == HTTPStatus.FOUND, url
        assert response["Location"].startswith(reverse("account_login"))
    assert Conversation.objects.exists()


def test_changes_need_a_csrf_token(owner: User, conversation: AConversation) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    for name in ("rename", "delete"):
        url = reverse(f"chat:{name}", args=[conversation.row.public_id])
        assert browser.post(url, {"title": "x"}).status_code == HTTPStatus.FORBIDDEN


def test_changes_are_not_made_by_get(page: Client, conversation: AConversation) -> None:
    for name in ("rename", "delete"):
        url = reverse(f"chat:{name}", args=[conversation.row.public_id])
        assert page.get(url).status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_nothing_is_kept_by_a_cache(page: Client, conversation: AConversation) -> None:
    assert "no-store" in page.get(conversation.url)["Cache-Control"]


# The empty conversation


def test_an_empty_conversation_offers_the_starters_of_the_chosen_model(page: Client) -> None:
    a_model("first", ("数据库有几张表", "分别有多少条记录"), is_default=True)
    a_model("second", ("Other",))
    html = _html(page, "/")
    shown, hidden = re.findall(r"<ul [^>]*data-starters=[^>]*>", html)
    assert "hidden" not in shown
    assert "hidden" in hidden
    assert "数据库有几张表" in html


def test_at_most_four_starters_are_offered(page: Client) -> None:
    a_model("m", ("a", "b", "c", "d", "e"), is_default=True)
    assert _html(page, "/").count("data-starter ") == 4


def test_without_a_model_the_page_says_what_to_do(page: Client, owner: User) -> None:
    assert "Ask an administrator" in _html(page, "/")
    owner.is_staff = owner.is_superuser = True
    owner.save()
    assert reverse("providers:index") in _html(page, "/")


def test_a_conversation_keeps_its_model(page: Client, owner: User) -> None:
    a_model("default", is_default=True)
    other = a_model("other", label="Other one")
    html = _html(page, AConversation(owner, model=other).url)
    assert f'<option value="{other.public_id}" selected>Other one</option>' in html


# Turns


@pytest.mark.parametrize("status", ["queued", "streaming", "waiting", "done", "failed", "stopped"])
def test_an_answer_says_its_state_and_links_to_its_trace(
    page: Client, conversation: AConversation, status: str
) -> None:
    turn = conversation.turn(status=status)
    html = _html(page, conversation.url).partition('<template id="turn-template">')[0]
    assert html.count(f'data-role="assistant" data-state="{status}"') == 1
    assert f'<a class="trace-link" href="/traces/{turn.trace.public_id}/">Trace</a>' in html


def test_an_answer_is_rendered_and_counted(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn(answer="**Three** tables.", rounds=2, tokens_in=3120, tokens_out=96)
    html = _html(page, reverse("chat:turn", args=[turn.row.public_id]))
    assert "<strong>Three</strong> tables." in html
    for figure in ("2 rounds", "1.2 s", "3,120 → 96 tokens"):
        assert figure in html


def test_the_page_and_the_partial_show_a_turn_alike(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="- a\n- b")
    partial = _html(page, reverse("chat:turn", args=[turn.row.public_id])).strip()
    assert partial in _html(page, conversation.url)
    thread = reverse("chat:thread", args=[conversation.row.public_id])
    assert partial in _html(page, thread)


def test_what_a_user_wrote_is_text_with_its_line_breaks(
    page: Client, conversation: AConversation
) -> None:
    conversation.turn("**not bold**\n<script>alert(1)</script>")
    assert "**not bold**\n&lt;script&gt;" in _html(page, conversation.url)


def test_a_long_message_is_folded_but_whole(page: Client, conversation: AConversation) -> None:
    conversation.turn("\n".join(f"line {n}" for n in range(100)))
    html = _html(page, conversation.url)
    assert "Show all 789 characters" in html
    assert "line 99" in html


def test_text_that_utf_8_cannot_carry_does_not_break_the_page(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("\ud800 \x00", "\udc00 **b**")
    (call,) = turn.round(calls=(("t", {"a": "\ud800"}),))
    turn.end_call(call, "\ud800")
    html = _html(page, conversation.url)
    assert "[U+D800] [U+0000]" in html
    assert "<strong>b</strong>" in html


def test_a_failed_turn_says_what_happened_and_what_to_do(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(answer="Half of", status="failed", error="The provider hung up.")
    html = _html(page, conversation.url)
    assert "The provider hung up." in html
    assert "Half of" in html
    assert f'data-send-again="{turn.question.public_id}"' in html


def test_a_stopped_turn_says_so_and_can_be_tried_again(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="stopped")
    html = _html(page, conversation.url)
    assert "Stopped before the answer began." in html
    assert f'data-send-again="{turn.question.public_id}"' in html


def test_the_text_of_a_question_to_try_again_is_its_owner_s_alone(
    client: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("Secret?", status="failed")
    client.force_login(a_user("someone"))
    url = reverse("chat:message_text", args=[turn.question.public_id])
    assert client.get(url).status_code == 404


def test_failed_attempts_are_told_in_their_round(page: Client, conversation: AConversation) -> None:
    conversation.turn().round("Now.", failed_attempts=("429", "503", "503"))
    html = _html(page, conversation.url)
    assert "Attempt 1 failed: <bdi>429</bdi>" in html
    assert "Attempts 2 to 3 failed: <bdi>503</bdi>" in html


def test_what_ended_a_turn_is_told_once(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn(status="failed", error="503")
    turn.round("Half", failed_attempts=("429", "503", "503"))
    html = _html(page, conversation.url)
    assert "Attempt 1 failed: <bdi>429</bdi>" in html
    assert "Attempts 2 to 3 failed in the same way." in html


def test_the_attempt_before_a_stop_is_told(page: Client, conversation: AConversation) -> None:
    conversation.turn(status="stopped").attempt("failed", error="429")
    assert "Attempt 1 failed: <bdi>429</bdi>" in _html(page, conversation.url)


def test_an_attempt_that_is_about_to_be_made_again_is_told_while_the_turn_is_open(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="streaming")
    turn.attempt("failed", error="It has a problem.")
    assert "Attempt 1 failed: <bdi>It has a problem.</bdi>" in _html(page, conversation.url)


@pytest.mark.parametrize(
    ("noted", "text", "sentence"),
    [
        ({"finish_reason": "length"}, "Half of", "cut off at its length limit"),
        (
            {"finish_reason": "content_filter"},
            "Half of",
            "cut off by the provider&#x27;s content filter",
        ),
        ({"finish_reason": "stop"}, "", "returned an empty answer"),
        ({"errors": ["It is malformed."]}, "{", "It is malformed."),
    ],
)
def test_what_is_missing_in_an_answer_is_said_under_it(
    page: Client, conversation: AConversation, noted: dict[str, Any], text: str, sentence: str
) -> None:
    conversation.turn().round(text)
    Span.objects.filter(kind=Span.Kind.GENERATION).update(attributes=noted)
    assert sentence in _html(page, conversation.url)


def test_reasoning_is_folded(page: Client, conversation: AConversation) -> None:
    conversation.turn().round("So.", reasoning_content="Let me <think>.")
    html = _html(page, conversation.url)
    assert "Let me &lt;think&gt;." in html
    assert not re.search(r'<details class="reasoning"[^>]* open', html)


def test_a_round_without_spans_is_shown_from_its_messages(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    (call,) = turn.round("Looking.", calls=(("sqlite-list_tables", {}),))
    turn.end_call(call, "[{'name': 'log'}]")
    turn.trace.spans.all().delete()
    html = _html(page, conversation.url)
    assert "1 row" not in html
    assert "log" in html


# Tool calls


def _with_calls(conversation: AConversation, *statuses: str) -> Any:
    turn = conversation.turn()
    calls = tuple(("sqlite-read_query", {"query": f"SELECT {n}"}) for n, _ in enumerate(statuses))
    for call, status in zip(turn.round(calls=calls), statuses, strict=True):
        turn.end_call(call, f"[{{'n': {call.number}}}]", status)
    return turn


def test_a_card_has_state_name_argument_result_and_duration(
    page: Client, conversation: AConversation
) -> None:
    _with_calls(conversation, "succeeded")
    card = _html(page, conversation.url).partition('<details class="call">')[2]
    text = " ".join(re.sub(r"<[^>]+>", " ", card.partition("</summary>")[0]).split())
    assert text == "done sqlite · read_query SELECT 0 1 21 ms"


def test_calls_that_overlap_are_called_parallel(page: Client, conversation: AConversation) -> None:
    _with_calls(conversation, "succeeded", "succeeded", "succeeded")
    assert "3 calls in parallel · 23 ms" in _html(page, conversation.url)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("failed", "failed"),
        ("denied", "denied"),
        ("cancelled", "cancelled"),
        ("outcome_unknown", "outcome unknown"),
    ],
)
def test_a_call_that_did_not_succeed_says_so_in_words(
    page: Client, conversation: AConversation, status: str, word: str
) -> None:
    _with_calls(conversation, status)
    assert f"data-call-word>{word}</span>" in _html(page, conversation.url)


def test_a_result_is_shown_before_the_model_is_told_it(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    call, _ = turn.round(calls=(("sqlite-list_tables", {}), ("sqlite-list_tables", {})))
    turn.end_call(call, "unused")
    call.messages.all().delete()
    payloads.store(call, "shown", b"[{'name': 'students'}]")
    assert "students" in _html(page, conversation.url)


def test_a_call_that_waits_for_a_person_can_be_decided(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn(status="waiting")
    (call,) = turn.round(calls=(("sqlite-write_query", {"query": "DELETE"}),))
    call.status = "awaiting_approval"
    call.save()
    html = _html(page, conversation.url)
    card = html.partition(f'data-call="{call.public_id}"')[2].partition("</section>")[0]
    assert "Allow once" in card
    assert "Deny" in card


def test_hostile_tool_names_arguments_and_results_are_text(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    evil = "<img src=x onerror=alert(1)>"
    (call,) = turn.round(calls=((evil, {evil: evil}),))
    turn.end_call(call, f'[{{"{evil}": "{evil}"}}]')
    assert evil not in _html(page, conversation.url)


# Long conversations


def test_a_page_of_turns_costs_the_same_number_of_queries(
    page: Client, conversation: AConversation, django_assert_num_queries: Any
) -> None:
    url = reverse("chat:thread", args=[conversation.row.public_id])
    _with_calls(conversation, "succeeded")
    with django_assert_num_queries(6):
        page.get(url)
    for _ in range(10):
        _with_calls(conversation, "succeeded", "failed")
    with django_assert_num_queries(6):
        page.get(url)


def test_a_long_conversation_comes_in_pages(page: Client, conversation: AConversation) -> None:
    for number in range(35):
        conversation.turn(f"question {number}.")
    html = _html(page, conversation.url)
    assert "question 5." in html
    assert "question 4." not in html
    earlier = re.search(r'data-earlier="([^"]+)"', html)
    assert earlier is not None
    before = _html(page, earlier[1])
    assert "question 4." in before
    assert "question 5." not in before
    assert "data-earlier" not in before


def test_a_turn_of_many_rounds_shows_the_last_ones(
    page: Client, conversation: AConversation
) -> None:
    turn = conversation.turn()
    for number in range(35):
        turn.round(f"round {number}.")
    html = _html(page, conversation.url)
    assert "5 earlier rounds" in html
    assert "round 4." not in html
    assert "round 34." in html


# The sidebar


def test_conversations_are_grouped_by_day(page: Client, owner: User) -> None:
    noon = timezone.now().replace(hour=12)
    for days in (0, 1, 3, 20):
        AConversation(owner, f"{days} days ago", updated=noon - timedelta(days=days))
    html = _html(page, reverse("chat:conversations"))
    labels = re.findall(r"<h2[^>]*>([^<]+)</h2>", html)
    assert labels == ["Today", "Yesterday", "Previous 7 days", "Previous 30 days"]


@pytest.mark.parametrize(("hour", "label"), [(0, "Yesterday"), (12, "Today")])
def test_days_are_those_of_the_reader(page: Client, owner: User, hour: int, label: str) -> None:
    page.cookies["timezone"] = _zone_where_it_is(hour)
    AConversation(owner, updated=timezone.now() - timedelta(minutes=61))
    assert f">{label}</h2>" in _html(page, reverse("chat:conversations"))


def test_a_zone_that_there_is_not_does_no_harm(page: Client, owner: User) -> None:
    page.cookies["timezone"] = "../no/where"
    AConversation(owner)
    assert "Today" in _html(page, reverse("chat:conversations"))


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
    html = page.get(url, {"q": query}).content.decode()
    return re.findall(r"<bdi>([^<]+)</bdi>", html)


def test_the_sidebar_comes_in_pages(page: Client, owner: User) -> None:
    for number in range(65):
        AConversation(owner, f"title {number}.")
    html = _html(page, reverse("chat:conversations"))
    assert html.count("data-conversation-link") == 60
    more = re.search(r'data-more="([^"]+)"', html)
    assert more is not None
    assert _html(page, more[1].replace("&amp;", "&")).count("data-conversation-link") == 5


def test_the_open_conversation_is_marked(page: Client, conversation: AConversation) -> None:
    AConversation(conversation.row.owner, "Another")
    html = _html(page, conversation.url)
    assert html.count('aria-current="page"') == 1


# What a person does


def test_renaming_changes_the_title(page: Client, conversation: AConversation) -> None:
    url = reverse("chat:rename", args=[conversation.row.public_id])
    page.post(url, {"title": "  New\x00 \n title "})
    conversation.row.refresh_from_db()
    assert conversation.row.title == "New title"


def test_a_blank_title_changes_nothing(page: Client, conversation: AConversation) -> None:
    page.post(reverse("chat:rename", args=[conversation.row.public_id]), {"title": "  "})
    conversation.row.refresh_from_db()
    assert conversation.row.title == "A title"


def test_deleting_takes_the_evidence_along(page: Client, conversation: AConversation) -> None:
    conversation.turn(answer="Hi.")
    response = page.post(reverse("chat:delete", args=[conversation.row.public_id]))
    assert response["Location"] == "/"
    assert not Conversation.objects.exists()
    assert not Archive.objects.exists()


def test_a_message_can_be_had_as_it_was_written(page: Client, conversation: AConversation) -> None:
    turn = conversation.turn("<b>**x**</b>\n")
    response = page.get(reverse("chat:message_text", args=[turn.question.public_id]))
    assert response.content == b"<b>**x**</b>\n"
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_the_account_menu_shows_what_a_person_may_do(page: Client, owner: User) -> None:
    assert reverse("admin:index") not in _html(page, "/")
    owner.is_staff = owner.is_superuser = True
    owner.save()
    assert reverse("admin:index") in _html(page, "/")
