import time
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
)
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from audit.models import Event
from chat.live import rights
from config.accounts.links import path_for
from tokens.access import TokenRefused, access_of
from tokens.models import Token

PASSWORD = "a long pass phrase"

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    cache.clear()
    return User.objects.create_superuser("owner", password=PASSWORD)


def code_of(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def with_totp(user: User) -> str:
    """The secret of a new authenticator app."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return str(secret)


def _sign_in(client: Client) -> Any:
    return client.post("/accounts/login/", {"login": "owner", "password": PASSWORD})


def _is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_a_code_is_asked_for_after_the_password(client: Client, admin: User) -> None:
    secret = with_totp(admin)
    response = _sign_in(client)
    assert response["Location"] == "/accounts/2fa/authenticate/" and not _is_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})

    assert _is_in(client)


def test_a_code_works_once(client: Client, admin: User) -> None:
    code = code_of(with_totp(admin))
    _sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    second = Client()
    _sign_in(second)
    for spelling in (code, f"{code[:3]}-{code[3:]}"):
        second.post("/accounts/2fa/authenticate/", {"code": spelling})

    assert _is_in(client) and not _is_in(second)


def test_a_wrong_code_is_refused_in_our_words(client: Client, admin: User) -> None:
    with_totp(admin)
    _sign_in(client)
    page = client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()

    assert "This code is wrong or out of date." in page and not _is_in(client)


def test_a_wrong_code_is_audited_without_the_code(client: Client, admin: User) -> None:
    with_totp(admin)
    _sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    event = Event.objects.get(action="sign_in_failed")
    assert (event.actor, event.actor_name, event.door) == (None, "owner", "page")
    assert event.address == "127.0.0.1"
    assert event.detail == {"factor": "totp", "again": False}


def test_codes_are_not_guessed_without_end(client: Client, admin: User) -> None:
    secret = with_totp(admin)
    _sign_in(client)
    for guess in range(20):
        client.post("/accounts/2fa/authenticate/", {"code": f"{guess:06}"})
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})

    assert not _is_in(client)


def test_a_recovery_code_works_once(client: Client, admin: User) -> None:
    with_totp(admin)
    code = RecoveryCodes.activate(admin).get_unused_codes()[0]
    for browser, expected in ((client, True), (Client(), False)):
        _sign_in(browser)
        browser.post("/accounts/2fa/authenticate/", {"code": code})
        assert _is_in(browser) == expected


def test_a_sign_in_link_asks_for_the_second_factor_too(client: Client, admin: User) -> None:
    secret = with_totp(admin)
    client.get(path_for(admin))
    assert not _is_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})

    assert _is_in(client)


def test_an_app_is_set_up_after_the_password(
    client: Client, admin: User, django_capture_on_commit_callbacks: Any
) -> None:
    _sign_in(client)
    assert client.get("/accounts/2fa/totp/activate/").status_code == 302
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)})

    assert response["Location"] == "/accounts/2fa/recovery-codes/"
    assert Authenticator.objects.filter(user=admin).count() == 2
    assert Event.objects.get(action="factor_added").detail == {"factor": "totp"}
    codes = Event.objects.get(action="recovery_codes_made")
    assert (codes.actor, codes.detail) == (admin, {"factor": "recovery_codes"})


def test_the_secret_lies_encrypted(admin: User) -> None:
    secret = with_totp(admin)

    assert secret not in str(Authenticator.objects.get().data)


@pytest.mark.parametrize("required", ["admins", "everybody"])
def test_who_has_to_have_one_reaches_nothing_else(
    client: Client, admin: User, settings: Settings, required: str
) -> None:
    settings.MFA_REQUIRED = required
    _sign_in(client)
    for path in ("/", "/traces/", "/people/", "/admin/", "/settings/"):
        assert client.get(path)["Location"] == "/accounts/2fa/", path

    assert client.post("/settings/theme", {"theme": "dark"}).status_code == 403
    assert client.get("/accounts/2fa/").status_code == 200


def test_after_the_set_up_everything_is_open(
    client: Client, admin: User, settings: Settings
) -> None:
    settings.MFA_REQUIRED = "admins"
    _sign_in(client)
    with_totp(admin)

    assert client.get("/settings/").status_code == 200


def test_members_need_none_where_admins_do(client: Client, settings: Settings) -> None:
    settings.MFA_REQUIRED = "admins"
    client.force_login(User.objects.create_user("member"))

    assert client.get("/settings/").status_code == 200


def test_sockets_and_tokens_of_who_lacks_one_are_refused(
    client: Client, admin: User, settings: Settings
) -> None:
    _sign_in(client)
    ticket = rights.Ticket(str(client.session.session_key), admin.pk, frozenset({"all"}))
    _, secret = Token.objects.make(admin, "Robot", ["read"])
    assert rights.valid({ticket}) and access_of(secret)
    settings.MFA_REQUIRED = "admins"

    assert rights.valid({ticket}) == set()
    with pytest.raises(TokenRefused):
        access_of(secret)


def test_an_admin_removes_the_factor_of_who_lost_it(client: Client, admin: User) -> None:
    member = User.objects.create_user("member")
    with_totp(member)
    client.force_login(admin)
    client.post(f"/people/{member.pk}/factors/remove")

    assert not Authenticator.objects.filter(user=member).exists()
    assert Event.objects.get().action == "factor_removed"


@pytest.mark.parametrize(
    "path",
    [
        *("2fa/", "2fa/passkeys/", "2fa/passkeys/add/", "2fa/recovery-codes/"),
        *("2fa/recovery-codes/generate/", "2fa/totp/deactivate/", "reauthenticate/"),
        "2fa/reauthenticate/",
    ],
)
def test_every_page_is_of_our_own_templates(client: Client, admin: User, path: str) -> None:
    secret = with_totp(admin)
    RecoveryCodes.activate(admin)
    _sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    response = client.get(f"/accounts/{path}")

    assert response.status_code == 200
    for template in response.templates:
        origin = str(template.origin)
        assert "site-packages/allauth" not in origin or origin.startswith("<"), origin


def test_the_shell_removes_the_factor_of_the_only_admin(client: Client, admin: User) -> None:
    with_totp(admin)
    RecoveryCodes.activate(admin)
    call_command("remove_second_factor", "owner", stdout=StringIO())
    _sign_in(client)
    assert _is_in(client)
    event = Event.objects.get(action="factor_removed")
    assert (event.actor, event.door, event.target_name) == (None, "shell", "owner")


@pytest.mark.parametrize("name", ["nobody", "owner"])
def test_the_shell_says_if_there_is_nothing_to_remove(admin: User, name: str) -> None:
    with pytest.raises(CommandError, match=r"no such user|no second factor"):
        call_command("remove_second_factor", name)


def test_the_code_of_the_set_up_does_not_sign_in(client: Client, admin: User) -> None:
    client.force_login(admin)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.get("/accounts/2fa/totp/activate/")
    code = code_of(client.session["mfa.totp.secret"])
    client.post("/accounts/2fa/totp/activate/", {"code": code})
    second = Client()
    _sign_in(second)
    for spelling in (code, f"{code[:3]}-{code[3:]}", f" {code[:3]} {code[3:]}."):
        second.post("/accounts/2fa/authenticate/", {"code": spelling})

    assert Authenticator.objects.filter(type="totp").exists() and not _is_in(second)


def test_a_code_works_once_for_as_long_as_it_is_accepted(
    client: Client, admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codes of the periods before and after are accepted, so one counts for 90 seconds."""
    secret, now = with_totp(admin), time.time()
    code = str(format_hotp_value(hotp_value(secret, int(now) // 30 + 1)))  # of a clock ahead
    _sign_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    then = timezone.now() + timedelta(seconds=50)
    monkeypatch.setattr("time.time", then.timestamp)
    monkeypatch.setattr("django.core.cache.backends.db.tz_now", lambda: then)
    second = Client()
    _sign_in(second)
    second.post("/accounts/2fa/authenticate/", {"code": code})

    assert _is_in(client) and not _is_in(second)
