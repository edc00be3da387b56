"""The owner of a conversation, and their browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.tests.builders import AConversation, a_user


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
