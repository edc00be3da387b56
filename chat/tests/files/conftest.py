"""A conversation with a workspace, seen through its owner's browser."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from chat import workspaces
from chat.models import Conversation
from chat.tests.builders import AConversation, a_user


@pytest.fixture(autouse=True)
def _own_workspaces(settings: Any, tmp_path: Path) -> None:
    settings.WORKSPACES = tmp_path / "workspaces"


@pytest.fixture
def conversation(db: None) -> Conversation:
    return AConversation(a_user()).row


@pytest.fixture
def workspace(conversation: Conversation) -> Path:
    """The folder, made as a first call would make it."""
    folder = workspaces.folder(conversation.public_id)
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def page(client: Client, conversation: Conversation) -> Client:
    """The owner's browser."""
    client.force_login(conversation.owner)
    return client


@pytest.fixture
def url(conversation: Conversation) -> str:
    return f"{conversation.get_absolute_url()}files/"
