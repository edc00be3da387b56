"""Whoever has the session of somebody else does not have their account: deleting it, API tokens and
ways to sign in need the password, a code or a passkey again."""

from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from audit.models import Event
from chat.models import AccountDeletion
from config.accounts.tests.mfa.test_second_factor import PASSWORD, code_of, with_totp
from tokens.commands import make_token
from tokens.models import Token
from tokens.programs.commands import allow, end_access
from tokens.programs.models import AuthorizationCode, Connection, OAuthClient

pytestmark = pytest.mark.django_db

DELETE = "/data/account/delete"
REAUTHENTICATE = "/accounts/reauthenticate/"
# What needs it, and what a POST has to have.
GUARDED: dict[str, dict[str, Any]] = {
    DELETE: {"name": "ada"},
    "/settings/tokens": {"name": "laptop", "scopes": ["read"], "days": "30"},
    "/accounts/oidc/link/": {},
    "/accounts/oidc/unlink/": {},
    "/accounts/2fa/totp/activate/": {"code": "000000"},
}


@pytest.fixture
def ada(client: Client) -> User:
    cache.clear()
    user = User.objects.create_user("ada", password=PASSWORD)
    client.force_login(user)
    return user


def confirm(client: Client, password: str, address: str = "") -> Any:
    return client.post(REAUTHENTICATE, {"password": password, "next": address})


@pytest.mark.parametrize("address", GUARDED)
def test_it_is_asked_for(client: Client, ada: User, address: str) -> None:
    response = client.post(address, GUARDED[address])

    assert response.status_code == HTTPStatus.FOUND
    assert response["Location"].startswith(REAUTHENTICATE)
    assert not AccountDeletion.objects.exists() and not Token.objects.exists()


@pytest.mark.parametrize("address", GUARDED)
def test_who_has_nothing_to_show_goes_on(client: Client, ada: User, address: str) -> None:
    """Who signs in by links alone, or at the sign-in provider."""
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    response = client.post(address, GUARDED[address])

    assert response.status_code not in (HTTPStatus.FORBIDDEN, HTTPStatus.INTERNAL_SERVER_ERROR)
    assert not response.headers.get("Location", "").startswith(REAUTHENTICATE)


def test_wrong_passwords_are_limited_and_recorded(client: Client, ada: User) -> None:
    for _ in range(25):
        confirm(client, "a wrong pass phrase", DELETE)
    confirm(client, PASSWORD, DELETE)

    assert client.get(DELETE).status_code == HTTPStatus.FOUND
    assert Event.objects.filter(action="sign_in_failed", actor_name="ada").exists()


def test_after_it_the_account_is_deleted(client: Client, ada: User) -> None:
    client.get(DELETE)
    assert confirm(client, PASSWORD, DELETE)["Location"] == DELETE
    client.post(DELETE, {"name": "ada"})

    assert AccountDeletion.objects.get().user == ada


def test_an_abandoned_deletion_does_not_run_later(client: Client, ada: User) -> None:
    client.post(DELETE, {"name": "ada"})
    client.get(DELETE)
    assert confirm(client, PASSWORD, DELETE)["Location"] == DELETE

    assert not AccountDeletion.objects.exists()


def test_a_first_password_is_kept_in_no_session(client: Client, ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    with_totp(ada)
    new = {"password1": "another pass phrase", "password2": "another pass phrase"}
    client.post("/accounts/password/set/", new)

    assert "another" not in str(dict(client.session))


def test_a_code_for_a_program_ends_with_the_rest(client: Client, ada: User) -> None:
    program = OAuthClient.objects.create(client_id="editor", name="Editor")
    allow(ada, program, scopes=["read"], redirect_uri="x", challenge="x", resource="x")
    end_access(ada)

    assert not AuthorizationCode.objects.exists()


def test_a_token_that_was_asked_for_is_made_after_it(client: Client, ada: User) -> None:
    client.post("/settings/tokens", GUARDED["/settings/tokens"])
    page = confirm(client, PASSWORD, "/settings/tokens").content.decode()

    assert Token.objects.get().name == "laptop" and 'id="token-secret"' in page


def test_it_lasts_for_minutes_only(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm(client, PASSWORD)
    assert client.get(DELETE).status_code == HTTPStatus.OK
    later = timezone.now().timestamp() + 301
    monkeypatch.setattr("time.time", lambda: later)

    assert client.get(DELETE).status_code == HTTPStatus.FOUND


def test_a_code_of_the_app_does_instead(client: Client, ada: User) -> None:
    secret = with_totp(ada)
    client.post("/accounts/2fa/reauthenticate/", {"code": code_of(secret), "next": DELETE})

    assert client.get(DELETE).status_code == HTTPStatus.OK


@pytest.mark.parametrize("ends", [True, False])
def test_a_changed_password_ends_what_programs_have_if_asked(
    client: Client, ada: User, ends: bool
) -> None:
    make_token(ada, "laptop", ["read"], None)
    program = OAuthClient.objects.create(client_id="editor", name="Editor")
    Connection.objects.create(user=ada, client=program, expires=timezone.now().replace(year=2100))
    page = client.get("/accounts/password/change/").content.decode()
    new = {"oldpassword": PASSWORD, "password1": "another pass phrase"}
    new |= {"password2": "another pass phrase"} | ({"end_access": "on"} if ends else {})
    client.post("/accounts/password/change/", new)

    assert "End the 2 API tokens and connected programs" in page
    assert Token.objects.usable().exists() != ends
    assert Connection.objects.open().exists() != ends


def test_nothing_is_offered_to_who_has_none(client: Client, ada: User) -> None:
    assert "end_access" not in client.get("/accounts/password/change/").content.decode()


def test_no_page_leads_to_a_reset_that_is_not_there(client: Client, ada: User) -> None:
    for page in ("/accounts/password/change/", REAUTHENTICATE):
        assert "password/reset" not in client.get(page).content.decode()
