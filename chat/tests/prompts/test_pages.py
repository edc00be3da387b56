"""The pages of prompts: own ones, shared ones, JSON out and in."""

import json
from http import HTTPStatus

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from chat.models import PromptTemplate
from chat.tests.builders import a_user
from limits.chat import MAX_PROMPT_TEMPLATE

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def _may_share(user: User) -> None:
    user.is_staff = True
    user.save()
    user.user_permissions.add(Permission.objects.get(codename="change_prompttemplate"))


def _prompt(owner: User | None, name: str = "翻译", text: str = "译:{{原文}}") -> PromptTemplate:
    return PromptTemplate.objects.create(owner=owner, name=name, text=text)


def _import(page: Client, *rows: object) -> str:
    written = {"roundtrip": {"prompts": 1}, "prompts": rows}
    response = page.post(reverse("prompts:import"), {"text": json.dumps(written)})
    return response.content.decode() if response.status_code == 422 else ""


def test_a_name_and_a_text_make_a_prompt(page: Client, owner: User) -> None:
    sent = {"name": "/翻译", "description": "", "text": "译:\r\n{{原文}}"}
    assert page.post(reverse("prompts:create"), sent).status_code == HTTPStatus.FOUND
    row = PromptTemplate.objects.get()
    assert (row.owner, row.name, row.text) == (owner, "翻译", "译:\n{{原文}}")
    assert "/翻译" in page.get(reverse("prompts:index")).content.decode()


def test_a_name_is_taken_once(page: Client, owner: User) -> None:
    _prompt(owner)
    response = page.post(reverse("prompts:create"), {"name": "翻译", "text": "x"})
    assert response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "already exists" in response.content.decode()


def test_a_text_that_is_too_long_stays_in_the_form(page: Client) -> None:
    text = "x" * (MAX_PROMPT_TEMPLATE + 1)
    response = page.post(reverse("prompts:create"), {"name": "long", "text": text})
    assert "100,001 characters; the limit is 100,000" in response.content.decode()
    assert text in response.content.decode()


def test_a_prompt_is_filled_in(page: Client, owner: User) -> None:
    url = reverse("prompts:fill", args=[_prompt(owner).public_id])
    assert page.post(url, {"values": '{"原文": "你好"}'}).json() == {"text": "译:你好"}
    assert page.post(url, {"values": "["}).json() == {"text": "译:"}


def test_prompts_are_offered_with_those_of_servers(page: Client, owner: User) -> None:
    _prompt(owner, text="{{a = 1}}{{b: lines}}")
    _prompt(None, "shared", "x")
    _prompt(a_user("other"), "theirs")
    own, shared = page.get(reverse("chat:offers")).json()["templates"]
    assert (own["name"], own["is_shared"], shared["name"]) == ("翻译", False, "shared")
    assert own["arguments"] == [
        {"name": "a", "default": "1", "is_multiline": False},
        {"name": "b", "default": "", "is_multiline": True},
    ]


def test_only_by_permission_is_a_prompt_shared(page: Client, owner: User) -> None:
    row = _prompt(owner)
    url = reverse("prompts:share", args=[row.public_id])
    assert page.post(url).status_code == HTTPStatus.FORBIDDEN
    _may_share(owner)
    page.post(url)
    row.refresh_from_db()
    assert row.owner is None
    page.post(url, {"shared": "no"})
    row.refresh_from_db()
    assert row.owner == owner


def test_a_shared_prompt_is_changed_by_permission_only(page: Client, owner: User) -> None:
    url = reverse("prompts:edit", args=[_prompt(None).public_id])
    assert page.get(url).status_code == HTTPStatus.NOT_FOUND
    _may_share(owner)
    assert page.get(url).status_code == HTTPStatus.OK


def test_what_is_exported_can_be_imported(page: Client, owner: User) -> None:
    _prompt(owner)
    text = page.get(reverse("prompts:export")).content.decode()
    page.post(reverse("prompts:import"), {"text": text})
    rows = PromptTemplate.objects.filter(owner=owner).values_list("name", "text")
    assert sorted(rows) == [("翻译", "译:{{原文}}"), ("翻译 2", "译:{{原文}}")]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"name": "", "text": "x"}, "Prompt 2 has no name or no text."),
        ({"name": "x", "text": " "}, "Prompt 2 has no name or no text."),
        ({"name": 3, "text": "x"}, "Prompt 2 of the file is not written as Export does."),
        ("x", "Prompt 2 of the file is not written as Export does."),
        ({"name": "x" * 81, "text": "x"}, "Prompt 2: its name has 81 characters; the limit is 80."),
    ],
)
def test_a_broken_file_says_what_is_wrong_and_imports_nothing(
    page: Client, row: object, problem: str
) -> None:
    assert problem in _import(page, {"name": "good", "text": "x"}, row)
    assert not PromptTemplate.objects.exists()


def test_a_broken_file_is_named_in_the_language_of_the_reader(page: Client) -> None:
    page.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    assert "它的名称有 81 个字符" in _import(page, {"name": "x" * 81, "text": "x"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"prompts": []}', "[" * 100_000])
def test_what_is_no_file_of_prompts_says_so(page: Client, text: str) -> None:
    response = page.post(reverse("prompts:import"), {"text": text})
    assert response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert 'role="alert"' in response.content.decode()
