from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from audit.models import Event
from config.accounts.links import path_for
from config.accounts.models import SignInLink

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_superuser("owner", password=None)


def _user_of(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_a_link_signs_its_user_in(client: Client, owner: User) -> None:
    response = client.get(path_for(owner))

    assert response.status_code == 302
    assert _user_of(client) == str(owner.pk)


def test_a_link_works_once(client: Client, owner: User) -> None:
    path = path_for(owner)
    client.get(path)
    second = Client()

    assert second.get(path).status_code == 410
    assert _user_of(second) is None


def test_a_link_expires_after_a_quarter_of_an_hour(client: Client, owner: User) -> None:
    path = path_for(owner)
    SignInLink.objects.update(expires=timezone.now() - timedelta(seconds=1))

    assert client.get(path).status_code == 410


def test_a_link_lasts_a_quarter_of_an_hour(owner: User) -> None:
    path_for(owner)
    lasts = SignInLink.objects.get().expires - timezone.now()

    assert timedelta(minutes=14) < lasts <= timedelta(minutes=15)


def test_a_link_of_a_user_who_was_switched_off_is_refused(client: Client, owner: User) -> None:
    path = path_for(owner)
    User.objects.update(is_active=False)

    assert client.get(path).status_code == 410


@pytest.mark.parametrize("key", ["", "x", "\0", "é" * 500])
def test_a_made_up_key_is_refused(client: Client, owner: User, key: str) -> None:
    path_for(owner)

    assert client.get("/accounts/link/", {"key": key}).status_code == 410


def test_only_the_hash_of_a_link_is_stored(owner: User) -> None:
    secret = path_for(owner).partition("key=")[2]

    assert secret not in str(list(SignInLink.objects.values()))


def test_the_use_of_a_link_is_written_down(client: Client, owner: User) -> None:
    client.get(path_for(owner))

    entry = Event.objects.get()
    assert (entry.action, entry.actor_name, entry.address) == ("link_used", "owner", "127.0.0.1")
