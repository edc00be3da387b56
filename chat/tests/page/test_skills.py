"""A loaded skill in the thread: a chip that opens its instructions."""

import pytest
from django.test import Client

from chat.tests.builders import AConversation, a_user

pytestmark = pytest.mark.django_db

LOADED = '<skill name="报表">\n# How\n\nDo *it* <script>alert(1)</script>.\n</skill>'


def shown(client: Client, result: str, status: str = "succeeded") -> str:
    owner = a_user()
    client.force_login(owner)
    conversation = AConversation(owner)
    turn = conversation.turn()
    (call,) = turn.round(calls=(("load_skill", {"name": "报表"}),))
    turn.end_call(call, result, status)
    return client.get(conversation.url).content.decode()


def test_a_loaded_skill_is_a_chip_that_opens_its_instructions(client: Client) -> None:
    page = shown(client, LOADED)
    assert "Skill: <bdi>报表</bdi>" in page
    assert "<em>it</em>" in page and "<script>alert" not in page


def test_instructions_that_were_cut_are_shown_as_far_as_they_go(client: Client) -> None:
    assert "<em>it</em>" in shown(client, LOADED[:-20])


def test_a_skill_that_is_unknown_is_a_call_that_failed(client: Client) -> None:
    page = shown(client, "Error: unknown skill 'x'. Available: none.", "failed")
    assert "Skill: <bdi>" not in page
    assert "Error: unknown skill" in page
