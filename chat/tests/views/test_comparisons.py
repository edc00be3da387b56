"""Answers side by side: the page, the choice, the trace; what forks, files, exports and the search
make of them."""

import json
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.commands import fork as forks
from chat.models import Conversation, Message, Preset, Turn
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, ATurn, a_model, a_user
from chat.tests.transfer.test_round_trip import exported, imported

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation() -> AConversation:
    return AConversation(a_user(), model=a_model("qwen"), is_branched=True)


@pytest.fixture
def lanes(conversation: AConversation) -> list[ATurn]:
    """Two answers after an earlier turn, of which none is chosen."""
    before = conversation.turn("before", "earlier").row
    comparison = uuid.uuid4()
    names = {0: "qwen", 1: "glm"}
    made: list[ATurn] = []
    for lane, name in names.items():
        columns: dict[str, Any] = {"comparison": comparison, "lane": lane, "is_compared": True}
        original = made[0].row if made else None
        model = conversation.row.model if not lane else a_model(name)
        turn = conversation.turn(
            "which?",
            f"answer of {name}",
            parent=before,
            is_shown=lane == 0,
            original=original,
            model=model,
            **columns,
        )
        made.append(turn)
    return made


@pytest.fixture
def owner(client: Client, conversation: AConversation) -> Client:
    client.force_login(conversation.row.owner)
    return client


def test_the_page_has_each_answer_and_the_question_once(
    owner: Client, conversation: AConversation, lanes: list[ATurn]
) -> None:
    html = owner.get(conversation.url).content.decode()
    assert [html.count(f'data-lane="{number}"') for number in (1, 2, 3)] == [1, 1, 0]
    assert html.index("answer of qwen") < html.index("answer of glm")
    questions = [part.split("</article>")[0] for part in html.split("data-lane=")[1:]]
    assert ["<div hidden>" in part.split("which?")[0] for part in questions] == [False, True]
    assert html.count("data-choose=") == 2
    assert "data-elsewhere" not in html
    assert "data-regenerate-menu" in html.split("which?")[0]
    assert "data-regenerate-menu" not in html.split("answer of qwen")[1].split("<template")[0]


def test_a_compared_answer_is_fetched_alone_with_its_column(
    owner: Client, lanes: list[ATurn]
) -> None:
    html = owner.get(f"/turns/{lanes[1].row.public_id}/").content.decode()
    assert 'data-lane="2"' in html
    assert "data-elsewhere" not in html
    assert "Go on with this one" in html


def test_answers_of_a_branch_that_is_left_are_elsewhere(owner: Client, lanes: list[ATurn]) -> None:
    Turn.objects.update(is_shown=False)
    html = owner.get(f"/turns/{lanes[0].row.public_id}/").content.decode()
    assert "data-elsewhere" in html


def test_columns_cost_the_page_four_statements(
    owner: Client, conversation: AConversation, lanes: list[ATurn]
) -> None:
    owner.get(conversation.url)
    with CaptureQueriesContext(connection) as compared:
        owner.get(conversation.url)
    Turn.objects.update(is_compared=False)
    with CaptureQueriesContext(connection) as chosen:
        owner.get(conversation.url)
    assert len(compared) <= len(chosen) + 4


def test_a_link_to_an_answer_beside_leads_to_its_column(
    owner: Client, conversation: AConversation, lanes: list[ATurn]
) -> None:
    html = owner.get(f"{conversation.url}?at={lanes[1].row.public_id}").content.decode()
    assert "Show that branch" not in html


def test_one_is_chosen_by_its_address(
    owner: Client, conversation: AConversation, lanes: list[ATurn]
) -> None:
    address = f"/turns/{lanes[1].row.public_id}/choose"
    answers = [owner.post(address, headers={"x-requested-with": "fetch"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [204, 204]
    refused = owner.post(f"/turns/{lanes[0].row.public_id}/choose")
    assert refused.status_code == 409
    assert "Another answer was chosen" in refused.json()["error"]
    html = owner.get(conversation.url).content.decode()
    assert "answer of glm" in html
    assert "answer of qwen" not in html
    assert Conversation.objects.get().model == lanes[1].row.model


def test_a_turn_that_is_not_compared_is_not_chosen(
    owner: Client, conversation: AConversation
) -> None:
    turn = conversation.turn("alone", "answer")
    assert owner.post(f"/turns/{turn.row.public_id}/choose").status_code == 409


def test_the_menu_has_models_and_assistants(owner: Client) -> None:
    Preset.objects.create(name="Kind", published=True)
    Preset.objects.create(name="Not mine", owner=a_user("somebody"))
    html = owner.get("/compare").content.decode()
    assert "qwen" in html
    assert "Kind" in html
    assert "Not mine" not in html


def test_a_trace_links_those_beside_it_and_the_comparison_of_requests(
    owner: Client, lanes: list[ATurn]
) -> None:
    html = owner.get(f"/turns/{lanes[0].row.public_id}/branch").content.decode()
    assert "One of 2 answers side by side." in html
    assert lanes[1].trace.get_absolute_url() in html
    assert f"turn={lanes[1].trace.public_id}" in html


def test_a_fork_of_one_answer_has_that_one_alone(lanes: list[ATurn]) -> None:
    for turn in lanes:
        answer = turn.row.messages.get(role="assistant")
        Message.objects.filter(pk=answer.pk).update(parent=turn.question)
    made = forks.fork(lanes[1].row.user, lanes[1].trace, 1).conversation
    texts = [message.body["content"] for message in made.messages.order_by("pk")]
    assert texts == ["which?", "answer of glm"]
    assert not made.turns.filter(is_compared=True).exists()


def test_export_and_import_keep_that_they_were_compared(
    conversation: AConversation, lanes: list[ATurn]
) -> None:
    first = exported(conversation.row)
    turns = json.loads(first)["conversations"][0]["turns"]
    assert [turn["lane"] for turn in turns] == [0, 0, 1]
    assert turns[0]["comparison"] is None
    (copy,) = imported(a_user("other"), first)
    copied = json.loads(exported(copy))["conversations"][0]["turns"]
    names = ("comparison", "lane", "is_shown")
    assert [[one[name] for name in names] for one in copied] == [
        [one[name] for name in names] for one in turns
    ]
    assert len({turn.comparison for turn in copy.turns.exclude(comparison=None)}) == 1
    assert not copy.turns.filter(is_compared=True).exists()


def test_the_search_finds_every_answer(
    owner: Client, conversation: AConversation, lanes: list[ATurn]
) -> None:
    index_noted()
    html = owner.get("/search?q=answer").content.decode()
    for turn in lanes:
        assert str(turn.row.public_id) in html
