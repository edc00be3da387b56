"""The search within one conversation."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.search.indexing import index_noted
from chat.search.within import find_within
from chat.tests.builders import AConversation

pytestmark = pytest.mark.postgres


def test_messages_are_found_in_the_order_of_the_conversation(owner: User) -> None:
    conversation = AConversation(owner)
    turns = [conversation.turn(f"quokka {n}", "yes, 数据库") for n in range(3)]
    AConversation(owner).turn("quokka elsewhere")
    index_noted()
    found = find_within(conversation.row, "quokka")
    assert [one.message for one in found.messages] == [str(t.question.public_id) for t in turns]
    assert [one.turn for one in found.messages] == [str(turn.row.public_id) for turn in turns]
    assert len(find_within(conversation.row, "数据库").messages) == 3
    assert not found.is_cut


def test_the_beginning_of_the_last_word_is_enough(owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("a wonderful quokka")
    index_noted()
    assert len(find_within(conversation.row, "quokka wond").messages) == 1
    assert not find_within(conversation.row, "wond quokka").messages
    assert not find_within(conversation.row, "*").messages


def test_only_the_branch_that_is_shown_is_searched(owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("x", "a quokka", is_shown=False)
    conversation.turn("x", "a quokka", deleted=timezone.now())
    shown = conversation.turn("x", "a quokka")
    index_noted()
    found = find_within(conversation.row, "quokka")
    assert [one.turn for one in found.messages] == [str(shown.row.public_id)]
