"""What the audit log keeps of a deleted account."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from audit.models import Action, Event
from audit.recording import record
from chat.models import Webhook
from chat.own_data.deleting import delete_all
from chat.webhooks import commands
from config.accounts.invitations.model import Invitation
from tokens.commands import make_token
from tools.models import Server

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


def webhook(owner: User | None, user: User, host: str) -> Webhook:
    url = f"https://{host}/hook"
    return commands.make(user, Webhook(owner=owner, url=url, events=["turn.ended"]))


def names() -> set[str]:
    return set(Event.objects.values_list("target_name", flat=True))


def test_no_row_keeps_the_host_of_a_webhook(ada: User) -> None:
    kept, deleted = webhook(ada, ada, "kept.example"), webhook(ada, ada, "deleted.example")
    for hook in (kept, deleted):
        record(Action.WEBHOOK_FAILED, None, hook, target_name=hook.url.split("/")[2])
    commands.delete(ada, deleted)
    delete_all(ada)

    assert not [name for name in names() if name.endswith(".example")]
    assert Event.objects.filter(action=Action.WEBHOOK_FAILED).count() == 2


def test_no_row_keeps_the_names_of_what_was_the_persons_own(ada: User) -> None:
    make_token(ada, "laptop in Berlin", ["read"], None)
    server = Server.objects.create(
        name="adas-server", owner=ada, transport="http", url="https://a.example/mcp"
    )
    record(Action.ADDED, ada, server)
    delete_all(ada)

    assert not [name for name in names() if "Berlin" in name or "adas" in name]


def test_nothing_keeps_the_address_of_the_persons_invitation(ada: User) -> None:
    invitation = Invitation.objects.create(
        digest="x", email="ada@example.org", expires=timezone.now(), used_by=ada
    )
    record(Action.INVITATION_ACCEPTED, ada, invitation)
    delete_all(ada)

    assert Invitation.objects.get().email == ""
    assert not [name for name in names() if "ada@" in name]


def test_what_is_for_everybody_keeps_its_name(ada: User) -> None:
    webhook(None, ada, "everybody.example")
    delete_all(ada)

    assert "everybody.example" in names()
