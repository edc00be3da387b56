import pytest
from django.contrib.auth.models import User

from audit.models import Action, Door, Event
from audit.recording import entered, record

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_row_says_who_did_what_to_what_and_from_where() -> None:
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")

    with entered(Door.API, "192.0.2.1"):
        record(Action.TOKEN_MADE, ann, bob, scopes=["read"])

    event = Event.objects.get()
    assert (event.actor, event.actor_name, event.door) == (ann, "ann", "api")
    assert (event.target_type, event.target_name) == ("user", "bob")
    assert (event.address, event.detail) == ("192.0.2.1", {"scopes": ["read"]})


def test_a_row_outlives_its_actor() -> None:
    ann = User.objects.create_user("ann")
    record(Action.TOKEN_MADE, ann)

    ann.delete()

    assert Event.objects.get().actor_name == "ann"
