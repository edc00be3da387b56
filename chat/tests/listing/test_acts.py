"""What is done with chosen conversations."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.commands.organising import organise
from chat.errors import Rejected
from chat.models import Conversation, Tag
from chat.tests.builders import AConversation, a_user
from limits.search import MAX_PINNED, MAX_SELECTED, MAX_TAG, MAX_TAGS

pytestmark = pytest.mark.django_db


def act(page: Client, action: str, *chosen: AConversation, **fields: str) -> Any:
    """The answer to a script."""
    ids = ",".join(str(one.row.public_id) for one in chosen)
    headers = {"X-Requested-With": "fetch"}
    return page.post(
        reverse("chat:organise"), {"action": action, "ids": ids, **fields}, headers=headers
    )


def listed(owner: User) -> set[str]:
    rows = Conversation.objects.listed_for(owner).filter(archived=None)
    return set(rows.values_list("title", flat=True))


def test_archiving_takes_conversations_out_of_the_list_and_can_be_undone(
    page: Client, owner: User
) -> None:
    one, two, three = (AConversation(owner, name) for name in ("one", "two", "three"))
    act(page, "archive", one)
    outcome = act(page, "archive", one, two).json()
    assert outcome["sentence"] == "1 conversation archived."
    assert listed(owner) == {"three"}
    # Only what was changed is changed back.
    assert outcome == {**outcome, "undo": "unarchive", "ids": [str(two.row.public_id)]}
    act(page, "unarchive", two)
    assert listed(owner) == {"two", "three"}
    assert three.row.archived is None


def test_pinned_conversations_stand_first_and_are_not_repeated(page: Client, owner: User) -> None:
    AConversation(owner, "old")
    pinned = AConversation(owner, "pinned")
    AConversation(owner, "new")
    act(page, "pin", pinned)
    html = page.get(reverse("chat:conversations")).content.decode()
    assert html.index("Pinned</h2>") < html.index("<bdi>pinned") < html.index("Today</h2>")
    assert html.count("<bdi>pinned") == 1
    act(page, "archive", pinned)
    pinned.row.refresh_from_db()
    assert pinned.row.pinned is None


def test_the_number_of_pins_is_bounded(owner: User) -> None:
    ids = [AConversation(owner).row.public_id for _ in range(MAX_PINNED)]
    organise(owner, "pin", ids)
    organise(owner, "pin", ids)
    with pytest.raises(Rejected, match="Unpin some first"):
        organise(owner, "pin", [AConversation(owner).row.public_id])


def test_tags_are_added_once_and_go_with_their_last_conversation(page: Client, owner: User) -> None:
    one, two = AConversation(owner), AConversation(owner)
    act(page, "tag", one, tag=" #Zoo ")
    assert act(page, "tag", one, two, tag="zoo").json()["ids"] == [str(two.row.public_id)]
    assert list(Tag.objects.values_list("name", flat=True)) == ["Zoo"]
    act(page, "untag", one, two, tag="Zoo")
    assert not Tag.objects.exists()
    act(page, "tag", one, tag="Zoo")
    act(page, "delete", one)
    assert not Tag.objects.exists()


@pytest.mark.parametrize("tag", ["", " # ", "x" * (MAX_TAG + 1)])
def test_a_tag_that_is_no_name_is_refused_with_a_sentence(
    page: Client, conversation: AConversation, tag: str
) -> None:
    answer = act(page, "tag", conversation, tag=tag)
    assert answer.status_code == 400
    assert "tag" in answer.json()["sentence"]


def test_a_conversation_has_a_bounded_number_of_tags(owner: User) -> None:
    ids = [AConversation(owner).row.public_id]
    for number in range(MAX_TAGS):
        organise(owner, "tag", ids, f"tag {number}")
    organise(owner, "tag", ids, "tag 0")
    with pytest.raises(Rejected, match="at most"):
        organise(owner, "tag", ids, "one more")


def test_several_are_deleted_with_their_traces(page: Client, owner: User) -> None:
    chosen = [AConversation(owner, f"{n}") for n in range(2)]
    for one in chosen:
        one.turn("x", "y")
    AConversation(owner, "kept")
    outcome = act(page, "delete", *chosen).json()
    assert outcome["sentence"] == "2 conversations and their traces are deleted."
    assert listed(owner) == {"kept"}


@pytest.mark.parametrize("action", ["pin", "archive", "tag", "delete"])
def test_conversations_of_others_stay_as_they_are(page: Client, owner: User, action: str) -> None:
    theirs = AConversation(a_user("other"), "theirs")
    outcome = act(page, action, theirs, tag="zoo").json()
    assert outcome["ids"] == []
    row = Conversation.objects.get(pk=theirs.row.pk)
    assert (row.pinned, row.archived, list(row.tags.all())) == (None, None, [])


def test_tags_of_others_are_not_offered(page: Client, owner: User) -> None:
    other = a_user("other")
    organise(other, "tag", [AConversation(other).row.public_id], "secret tag")
    mine = AConversation(owner)
    organise(owner, "tag", [mine.row.public_id], "mine")
    html = page.get(reverse("chat:tags"), {"ids": str(mine.row.public_id)}).content.decode()
    assert 'data-tag="mine"' in html
    assert 'aria-pressed="true"' in html
    assert "secret tag" not in html


@pytest.mark.parametrize(
    ("action", "sentence"),
    [("pin", "Select conversations first."), ("x", "There is no such action.")],
)
def test_what_cannot_be_done_says_why(page: Client, action: str, sentence: str) -> None:
    answer = act(page, action)
    assert (answer.status_code, answer.json()) == (400, {"sentence": sentence})


def test_an_action_changes_a_bounded_number_of_conversations(owner: User) -> None:
    ids = [AConversation(owner).row.public_id] * (MAX_SELECTED + 1)
    with pytest.raises(Rejected, match="at most 500"):
        organise(owner, "archive", ids)


def test_without_a_script_an_action_leads_back_to_the_page(
    page: Client, conversation: AConversation
) -> None:
    fields = {"action": "archive", "ids": str(conversation.row.public_id)}
    answer = page.post(reverse("chat:organise"), fields, follow=True)
    assert "1 conversation archived." in answer.content.decode()
