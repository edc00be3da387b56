"""Temporary conversations: in no list, watched by sockets, erased when left, kept on request."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat import workspaces
from chat.commands import temporary
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import Attachment, Conversation, Message
from chat.presentation.sidebar import sidebar
from chat.tests.builders import a_model, a_user
from limits.chat import MAX_TEMPORARY_ABSENCE
from tracing.models import Archive, Trace

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def user(settings: Any, tmp_path: Any) -> User:
    settings.WORKSPACES = tmp_path
    a_model(is_default=True)
    return a_user()


@pytest.fixture
def conversation(user: User) -> Conversation:
    return send_message(user, NewMessage("key", "A secret", temporary=True)).conversation


def listed(user: User, query: str = "") -> list[Conversation]:
    groups = sidebar(user, timezone.get_default_timezone(), query).groups
    return [row.conversation for group in groups for row in group.rows]


def look_away(conversation: Conversation, seconds: float) -> None:
    """Nobody has watched it for so long."""
    watched = timezone.now() - timedelta(seconds=seconds)
    Conversation.objects.filter(pk=conversation.pk).update(watched=watched)


def test_it_is_in_no_list_and_no_search(
    user: User, conversation: Conversation, client: Client
) -> None:
    assert listed(user) == [] and listed(user, "secret") == []
    client.force_login(user)
    assert "A secret" not in client.get("/traces/").content.decode()
    assert "A secret" not in client.get("/traces/?q=secret").content.decode()
    assert client.get(conversation.get_absolute_url()).status_code == 200


def test_one_that_is_watched_stays(conversation: Conversation) -> None:
    look_away(conversation, 3_600)
    temporary.watch([conversation.pk])
    temporary.erase_left()
    assert Conversation.objects.exists()


def test_one_that_nobody_watches_is_erased_with_all_that_it_has(
    user: User, conversation: Conversation
) -> None:
    Attachment.objects.create(
        owner=user, message=Message.objects.earliest("pk"), name="a", size=1, content=b"x"
    )
    folder = workspaces.folder(conversation.public_id)
    folder.mkdir(parents=True)
    look_away(conversation, MAX_TEMPORARY_ABSENCE.total_seconds() + 1)
    temporary.erase_left()
    rows = (Conversation, Message, Attachment, Archive, Trace)
    assert [model.objects.count() for model in rows] == [0] * 5
    assert not folder.exists()


def test_one_that_was_left_is_erased_after_a_moment(
    conversation: Conversation, client: Client, user: User
) -> None:
    client.force_login(user)
    assert client.post(f"{conversation.get_absolute_url()}leave").status_code == 204
    temporary.erase_left()
    assert Conversation.objects.exists()  # a page that is loaded again comes back meanwhile
    row = Conversation.objects.get()
    assert row.watched is not None
    look_away(row, (timezone.now() - row.watched + temporary.RELOAD).total_seconds())
    temporary.erase_left()
    assert not Conversation.objects.exists()


def test_one_that_is_kept_is_like_any_other(
    conversation: Conversation, client: Client, user: User
) -> None:
    client.force_login(user)
    client.post(f"{conversation.get_absolute_url()}keep")
    assert listed(user) == [conversation]
    assert "A secret" in client.get("/traces/").content.decode()
    look_away(conversation, 3_600)
    temporary.erase_left()
    assert Conversation.objects.exists()


def test_a_usual_conversation_is_not_left(client: Client, user: User) -> None:
    usual = send_message(user, NewMessage("usual", "Hello")).conversation
    client.force_login(user)
    client.post(f"{usual.get_absolute_url()}leave")
    temporary.erase_left()
    assert Conversation.objects.get().watched is None


def test_the_page_says_what_will_happen(
    conversation: Conversation, client: Client, user: User
) -> None:
    client.force_login(user)
    page = client.get(conversation.get_absolute_url()).content.decode()
    assert "Temporary: erased when closed." in page
    assert "temporary-switch" not in page
    assert 'id="temporary-switch"' in client.get("/").content.decode()


def test_an_id_of_others_is_unknown(conversation: Conversation, client: Client) -> None:
    client.force_login(a_user("other"))
    for act in ("keep", "leave", "own"):
        assert client.post(f"/c/{conversation.public_id}/{act}").status_code == 404
