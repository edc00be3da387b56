from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from audit.models import Event
from chat.errors import Rejected
from chat.live import rights
from chat.models import AccountDeletion, DataArchive, Preset, PromptTemplate
from chat.own_data import archives
from config.accounts.people import commands
from config.accounts.people.transfer import transfer
from config.accounts.roles import Role
from jobs import State
from tokens.access import TokenRefused, access_of
from tokens.models import Token

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("owner", password="a long pass phrase")


@pytest.fixture
def member() -> User:
    return User.objects.create_user("member", email="member@example.org")


@pytest.fixture
def page(client: Client, admin: User) -> Client:
    client.force_login(admin)
    return client


def _actions() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("action", flat=True))


def test_the_list_shows_who_they_are(page: Client, member: User) -> None:
    member.groups.add(Group.objects.create(name="Data"))
    shown = page.get("/people/").content.decode()

    for text in ("owner", "Admin", "member@example.org", "Data", "never"):
        assert text in shown


def test_a_search_that_finds_nobody_says_so(page: Client) -> None:
    assert "Nobody has such a name" in page.get("/people/?q=nobody").content.decode()


def test_an_admin_changes_a_role(page: Client, member: User) -> None:
    page.post(f"/people/{member.pk}/role", {"role": "viewer"})

    assert User.objects.get(pk=member.pk).has_perm("tracing.view_trace")
    assert Event.objects.get().detail == {"before": "member", "after": "viewer"}


@pytest.mark.parametrize(
    ("path", "fields"),
    [("role", {"role": "member"}), ("activity", {}), ("delete", {"proof": "owner"})],
)
def test_the_last_admin_stays_one(
    page: Client, admin: User, path: str, fields: dict[str, str]
) -> None:
    fields = {**fields, "without_export": "on"}
    response = page.post(f"/people/{admin.pk}/{path}", fields)

    assert response.status_code == 422
    admin.refresh_from_db()
    assert admin.is_superuser and admin.is_active


def test_of_two_admins_one_may_go(admin: User) -> None:
    other = User.objects.create_superuser("second")
    commands.change_role(admin, other, Role.MEMBER)

    with pytest.raises(Rejected):
        commands.deactivate(admin, admin)


def test_groups_are_replaced_by_those_that_were_chosen(page: Client, member: User) -> None:
    old, new = Group.objects.create(name="Old"), Group.objects.create(name="New")
    member.groups.add(old)
    page.post(f"/people/{member.pk}/groups", {"groups": [new.pk, "x", "9" * 30]})

    assert list(member.groups.all()) == [new]
    assert Event.objects.get().detail == {"added": ["New"], "removed": ["Old"]}


def test_deactivation_ends_sessions_tokens_and_sockets(page: Client, member: User) -> None:
    browser = Client()
    browser.force_login(member)
    key = str(browser.session.session_key)
    _, secret = Token.objects.make(member, "Robot", ["read"])
    ticket = rights.Ticket(key, member.pk)
    assert rights.valid({ticket}) and access_of(secret).user == member

    page.post(f"/people/{member.pk}/activity")

    assert rights.valid({ticket}) == set()
    assert browser.get("/").status_code == 302
    with pytest.raises(TokenRefused):
        access_of(secret)


def test_who_was_deactivated_is_activated_again(page: Client, member: User) -> None:
    page.post(f"/people/{member.pk}/activity")
    page.post(f"/people/{member.pk}/activity", {"active": "on"})

    assert User.objects.get(pk=member.pk).is_active
    assert _actions() == ["account_deactivated", "account_activated"]


def test_an_account_that_is_being_deleted_stays_inactive(admin: User, member: User) -> None:
    commands.delete(admin, member, without_export=True)

    with pytest.raises(Rejected):
        commands.activate(admin, member)


def test_signing_somebody_out_leaves_the_others_in(page: Client, member: User) -> None:
    browser = Client()
    browser.force_login(member)
    page.post(f"/people/{member.pk}/sessions/end")

    assert browser.get("/").status_code == 302
    assert page.get("/people/").status_code == 200


def test_a_sign_in_link_is_shown_once_and_works(page: Client, member: User) -> None:
    shown = page.post(f"/people/{member.pk}/link").content.decode()
    path = shown.partition("http://testserver/accounts/link/")[2].partition('"')[0]
    guest = Client()
    guest.get(f"/accounts/link/{path}")

    assert guest.session["_auth_user_id"] == str(member.pk)


def test_without_an_export_nobody_is_deleted_by_accident(page: Client, member: User) -> None:
    response = page.post(f"/people/{member.pk}/delete", {"proof": "member"})

    assert response.status_code == 422
    assert not AccountDeletion.objects.exists()


def _archive(member: User, **columns: Any) -> DataArchive:
    expires = timezone.now() + timedelta(days=1)
    ready = {"state": State.SUCCEEDED, "expires": expires, "size": 3, **columns}
    row = DataArchive.objects.create(user=member, **ready)
    archives.path_of(row.public_id).write_bytes(b"zip")
    return row


def test_after_the_export_the_account_is_deleted(page: Client, member: User) -> None:
    _archive(member)
    response = page.get(f"/people/{member.pk}/archive.zip")
    assert response.status_code == 200
    page.post(f"/people/{member.pk}/delete", {"proof": "member"})

    assert AccountDeletion.objects.get().user == member
    assert _actions() == ["account_exported", "account_deleted"]


def test_the_wrong_name_deletes_nobody(page: Client, member: User) -> None:
    fields = {"proof": "Member", "without_export": "on"}

    assert page.post(f"/people/{member.pk}/delete", fields).status_code == 422
    assert User.objects.get(pk=member.pk).is_active


def test_what_somebody_made_goes_to_another_person(admin: User, member: User) -> None:
    Preset.objects.create(name="Writer", owner=member)
    Preset.objects.create(name="Writer", owner=admin)
    PromptTemplate.objects.create(name="hello", text="Hello", owner=member)
    given = transfer(admin, member, admin)

    assert (given.assistants, given.prompts, given.total) == (1, 1, 2)
    names = Preset.objects.filter(owner=admin).values_list("name", flat=True)
    assert set(names) == {"Writer", "Writer 2"}
    assert Event.objects.get().action == "account_transferred"


def test_a_second_transfer_gives_nothing(admin: User, member: User) -> None:
    PromptTemplate.objects.create(name="hello", text="Hello", owner=member)
    transfer(admin, member, admin)

    assert transfer(admin, member, admin).total == 0


def test_nothing_goes_to_who_is_deactivated_or_to_themselves(admin: User, member: User) -> None:
    gone = User.objects.create_user("gone", is_active=False)

    for to in (gone, member):
        with pytest.raises(Rejected):
            transfer(admin, member, to)


@pytest.mark.parametrize("path", ["", "1/", "invitations/"])
def test_members_and_staff_see_no_people(client: Client, path: str) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))

    assert client.get(f"/people/{path}").status_code == 403
