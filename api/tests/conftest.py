"""A person with tokens, programs that use them, and the application behind a real server."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import LanguageModel
from chat.tests.live.conftest import model, server, stub
from tests.redis_server import RedisServer
from tokens.models import Scope, Token

__all__ = ["model", "server", "stub"]

ALL = [scope.value for scope in Scope]


@pytest.fixture
def owner(transactional_db: None, redis_server: RedisServer) -> User:
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


@pytest.fixture
def remote(server: str, owner: User, token_of: Callable[..., str]) -> Iterator[httpx2.Client]:
    """The same over HTTP."""
    headers = {"Authorization": f"Bearer {token_of(owner)}"}
    with httpx2.Client(base_url=server, headers=headers, timeout=30, trust_env=False) as client:
        yield client


@pytest.fixture
def echo(model: Callable[[str], str]) -> LanguageModel:
    """A model that answers."""
    return LanguageModel.objects.get(public_id=model("stub-s7-n40"))
