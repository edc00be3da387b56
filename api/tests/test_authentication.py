"""Whose token a request has, and what it is refused without."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.signing_in import signed_in
from tokens.models import Token

ADDRESS = "/api/conversations"


def ask(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_a_token_opens_what_its_scope_allows(program: Client) -> None:
    answer = program.get(ADDRESS)
    assert answer.status_code == 200
    assert answer.json() == {"items": [], "next": None}


@pytest.mark.django_db
def test_a_session_alone_opens_nothing(owner: User) -> None:
    browser = signed_in(owner)
    assert browser.get(ADDRESS).status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("secret", ["", "rt_unknown", "x" * 300, "ä"])
def test_what_is_no_token_is_refused_as_a_problem(secret: str) -> None:
    answer = Client(headers={"Authorization": f"Bearer {secret}"}).get(ADDRESS)
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer ")
    assert answer.json()["instance"] == ADDRESS


def test_an_expired_token_is_refused(owner: User, token_of: Callable[..., str]) -> None:
    secret = token_of(owner, expires=timezone.now() - timedelta(seconds=1))
    assert ask(secret).get(ADDRESS).status_code == 401


def test_a_revoked_token_is_refused(owner: User, token_of: Callable[..., str]) -> None:
    client = ask(token_of(owner))
    Token.objects.get().revoke()
    assert client.get(ADDRESS).status_code == 401


def test_the_token_of_somebody_deactivated_is_refused(
    owner: User, token_of: Callable[..., str]
) -> None:
    client = ask(token_of(owner))
    User.objects.update(is_active=False)
    assert client.get(ADDRESS).status_code == 401


def test_a_token_without_the_scope_is_told_which(owner: User, token_of: Callable[..., str]) -> None:
    answer = ask(token_of(owner, ["chat"])).get(ADDRESS)
    assert answer.status_code == 403
    assert answer.json()["scope"] == "read"
    assert 'error="insufficient_scope"' in answer["WWW-Authenticate"]
