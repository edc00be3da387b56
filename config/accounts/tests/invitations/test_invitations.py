import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from audit.models import Event
from config.accounts.invitations import commands
from config.accounts.models import Invitation

PASSWORD = "a long pass phrase"

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def admin(client: Client) -> User:
    cache.clear()
    admin = User.objects.create_superuser("owner", password=PASSWORD)
    client.force_login(admin)
    return admin


def _invite(client: Client, **fields: object) -> str:
    """Makes an invitation on the page; its link, or "" if it was mailed."""
    form = {"email": "", "role": "member", "days": "7", **fields}
    page = client.post("/people/invitations/", form).content.decode()
    found = re.search(r'value="(http://[^"]+/accounts/invitation/\?key=[\w-]+)"', page)
    return found[1].removeprefix("http://testserver") if found else ""


def _accept(link: str, name: str = "newcomer", password: str = PASSWORD) -> tuple[Client, int]:
    guest = Client()
    form = {"key": link.partition("key=")[2], "username": name}
    form |= {"password1": password, "password2": password}
    return guest, guest.post("/accounts/invitation/", form).status_code


def test_who_is_invited_makes_an_account_and_is_signed_in(client: Client) -> None:
    guest, status = _accept(_invite(client))

    assert status == 302
    assert guest.session["_auth_user_id"] == str(User.objects.get(username="newcomer").pk)


def test_an_invitation_gives_role_and_groups(client: Client) -> None:
    group = Group.objects.create(name="Data")
    _accept(_invite(client, role="viewer", groups=[group.pk]))
    user = User.objects.get(username="newcomer")

    assert user.get_all_permissions() == {"tracing.view_trace", "tracing.view_dashboard"}
    assert list(user.groups.all()) == [group]


def test_an_invitation_works_once(client: Client) -> None:
    link = _invite(client)
    _accept(link)
    _, status = _accept(link, "second")

    assert status == 410
    assert not User.objects.filter(username="second").exists()


def test_of_two_who_accept_at_once_one_gets_the_account() -> None:
    week = timezone.now() + timedelta(days=7)
    invitation, secret = Invitation.objects.make(week)
    first, second = commands.usable(secret), commands.usable(secret)
    commands.accept(first, "first", PASSWORD)

    with pytest.raises(commands.InvitationError, match="used already"):
        commands.accept(second, "second", PASSWORD)
    assert not User.objects.filter(username="second").exists()
    assert Invitation.objects.get(pk=invitation.pk).used_by == User.objects.get(username="first")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"expires": timezone.now() - timedelta(seconds=1)}, "has expired"),
        ({"revoked": timezone.now()}, "was revoked"),
        ({"used": timezone.now()}, "was used already"),
    ],
)
def test_an_invitation_that_is_over_says_why(
    client: Client, columns: dict[str, object], sentence: str
) -> None:
    link = _invite(client)
    Invitation.objects.update(**columns)
    response = Client().get(link)

    assert response.status_code == 410
    assert sentence in response.content.decode()


@pytest.mark.parametrize("key", ["", "x", "\0", "é" * 500, "\ud800"])
def test_a_made_up_key_is_no_invitation(key: str) -> None:
    key = key.encode("utf-8", "surrogatepass").decode("latin-1")

    assert Client().get("/accounts/invitation/", {"key": key}).status_code == 410


def test_an_admin_revokes_an_invitation(client: Client) -> None:
    link = _invite(client)
    client.post(f"/people/invitations/{Invitation.objects.get().public_id}/revoke")

    assert Client().get(link).status_code == 410
    assert Event.objects.filter(action="invitation_revoked", actor_name="owner").count() == 1


def test_a_weak_password_is_refused_and_the_invitation_stays_open(client: Client) -> None:
    link = _invite(client)
    _, status = _accept(link, password="12345")

    assert status == 422
    assert Invitation.objects.get().state == "open"


def test_a_name_that_looks_like_that_of_another_is_refused(client: Client) -> None:
    _, status = _accept(_invite(client), name="0wner")

    assert status == 422


def test_only_the_hash_of_an_invitation_is_stored(client: Client) -> None:
    secret = _invite(client).partition("key=")[2]

    assert secret and secret not in str(list(Invitation.objects.values()))
    assert secret not in str(list(Event.objects.values()))


def test_with_a_mail_server_the_link_goes_to_the_address_alone(
    client: Client, settings: Settings
) -> None:
    settings.HAS_MAIL = True
    assert _invite(client, email="new@example.org") == ""

    (sent,) = mail.outbox
    link = re.search(r"http://testserver(/\S+)", str(sent.body))
    assert sent.to == ["new@example.org"] and link
    _accept(link[1])
    address = EmailAddress.objects.get(user__username="newcomer")
    assert (address.email, address.verified) == ("new@example.org", True)


def test_a_mail_server_that_refuses_leaves_the_link_to_the_admin(
    client: Client, settings: Settings
) -> None:
    settings.HAS_MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

    assert _invite(client, email="new@example.org")


def test_while_sign_up_is_closed_no_invitation_works(client: Client, settings: Settings) -> None:
    link = _invite(client)
    settings.SIGNUP = "closed"

    assert "Sign-up is closed" in Client().get(link).content.decode()


def test_who_is_signed_in_is_told_to_log_out_first(client: Client) -> None:
    link = _invite(client)

    assert "You are signed in as" in client.get(link).content.decode()
    assert Invitation.objects.get().state == "open"


def test_members_do_not_see_the_invitations() -> None:
    member = Client()
    member.force_login(User.objects.create_user("member"))

    assert member.get("/people/invitations/").status_code == 403


def test_sign_up_by_domain_sends_a_link_to_the_address(settings: Settings) -> None:
    settings.SIGNUP, settings.HAS_MAIL, settings.SIGNUP_DOMAINS = "domain", True, ["example.org"]
    Client().post("/accounts/signup/", {"email": "someone@Example.org"})
    refused = Client().post("/accounts/signup/", {"email": "someone@evil.example"})

    assert [sent.to for sent in mail.outbox] == [["someone@Example.org"]]
    assert refused.status_code == 422


def test_an_address_gets_a_few_links_an_hour(settings: Settings) -> None:
    settings.SIGNUP, settings.HAS_MAIL, settings.SIGNUP_DOMAINS = "domain", True, ["example.org"]
    pages = [Client().post("/accounts/signup/", {"email": "a@example.org"}) for _ in range(6)]

    assert len(mail.outbox) == 3
    assert {page.status_code for page in pages} == {200}
