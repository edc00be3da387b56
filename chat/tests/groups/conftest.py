"""An owner, a group with a member, and a conversation that may be shared with it."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from chat.commands.group_sharing import share
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Turn
from chat.tests.builders import AConversation, a_model, a_user

Send = Callable[..., Turn]


@pytest.fixture
def owner(db: None) -> User:
    return a_user()


@pytest.fixture
def member(db: None) -> User:
    return a_user("bob")


@pytest.fixture
def group(owner: User, member: User) -> Group:
    made = Group.objects.create(name="Quokkas")
    made.user_set.add(owner, member)
    return made


@pytest.fixture
def model(db: None) -> LanguageModel:
    return a_model()


@pytest.fixture
def conversation(owner: User, model: LanguageModel) -> AConversation:
    made = AConversation(owner, "How quokkas live", model=model)
    made.turn("How many quokkas?", "Three.", model=model)
    return made


@pytest.fixture
def to_read(conversation: AConversation, owner: User, group: Group) -> AConversation:
    share(owner, conversation.row, group.pk, to_write=False)
    return conversation


@pytest.fixture
def to_write(conversation: AConversation, owner: User, group: Group) -> AConversation:
    share(owner, conversation.row, group.pk, to_write=True)
    return conversation


@pytest.fixture
def send(model: LanguageModel) -> Send:
    """Sends a message, as the socket would."""

    def to(user: User, within: AConversation, text: str = "And now?", **fields: Any) -> Turn:
        given: dict[str, Any] = {"key": str(uuid.uuid4()), "text": text, **fields}
        ids: dict[str, Any] = {"conversation_id": within.row.public_id, "model_id": model.public_id}
        return send_message(user, NewMessage(**given, **ids))

    return to
