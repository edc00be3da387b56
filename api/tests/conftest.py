"""A person with tokens, and a program that uses them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tokens.models import Scope, Token

ALL = [scope.value for scope in Scope]


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner")


@pytest.fixture
def token_of() -> Callable[..., str]:
    """Makes a token of a person's, with these scopes, and gives its secret."""

    def make(user: User, scopes: list[str] | None = None, **columns: Any) -> str:
        return Token.objects.make(user, "program", ALL if scopes is None else scopes, **columns)[1]

    return make


@pytest.fixture
def program(owner: User, token_of: Callable[..., str]) -> Client:
    """A client whose requests have a token of the owner's with every scope."""
    return Client(headers={"Authorization": f"Bearer {token_of(owner)}"})
