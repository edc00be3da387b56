"""A turn that a member of a group wrote runs with the owner's settings."""

import uuid
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User

from chat.commands.group_sharing import share
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from tracing.models import Span

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture
def member(owner: User) -> User:
    made = User.objects.create_user("bob")
    group = Group.objects.create(name="Quokkas")
    group.user_set.add(owner, made)
    return made


@pytest.fixture
def of_member(member: User, owner: User, model: Model, send: Send) -> Turn:
    """The second turn of a conversation, after one of the owner's."""
    first = answer_rings(send(model("stub-r0-n5")))
    share(owner, first.conversation, Group.objects.get().pk, to_write=True)
    message = NewMessage(str(uuid.uuid4()), "And now?", first.conversation.public_id)
    return send_message(member, message)


def test_it_is_answered(of_member: Turn) -> None:
    assert answer_rings(of_member).status == "done"


def test_its_spans_are_the_owner_s(of_member: Turn, owner: User) -> None:
    answer_rings(of_member)
    spans = Span.objects.filter(trace=of_member.trace)
    assert set(spans.values_list("trace__owner", flat=True)) == {owner.pk}
