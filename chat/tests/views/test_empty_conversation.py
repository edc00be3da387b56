"""The page of a conversation that has not begun."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.cassettes import walkthrough
from chat.tests.builders import AConversation, a_model
from chat.tests.views.pages import page_html

pytestmark = pytest.mark.django_db


def test_an_empty_conversation_offers_the_starters_of_the_chosen_model(page: Client) -> None:
    a_model("first", ("数据库有几张表", "分别有多少条记录"), is_default=True)
    a_model("second", ("Other",))
    html = page_html(page, "/")
    shown, hidden = re.findall(r"<ul [^>]*data-starters=[^>]*>", html)
    assert "hidden" not in shown
    assert "hidden" in hidden
    # A recorded question, in the reader's language.
    assert walkthrough.questions("en")[0] in html


def test_at_most_four_starters_are_offered(page: Client) -> None:
    a_model("m", ("a", "b", "c", "d", "e"), is_default=True)
    assert page_html(page, "/").count("data-starter ") == 4


def test_without_a_model_the_page_says_what_to_do(page: Client, owner: User) -> None:
    assert "Ask an administrator" in page_html(page, "/")
    owner.is_staff = owner.is_superuser = True
    owner.save()
    assert reverse("providers:index") in page_html(page, "/")


def test_a_conversation_keeps_its_model(page: Client, owner: User) -> None:
    a_model("default", is_default=True)
    other = a_model("other", label="Other one")
    html = page_html(page, AConversation(owner, model=other).url)
    assert f'<option value="{other.public_id}" selected>Other one</option>' in html
