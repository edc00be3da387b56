"""The pages of a sign-in, without an authorization server: who may do what, and until when."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.signing_in import signed_in
from tools.models import Account, Server, SignIn

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def browser(ada: User) -> Client:
    return signed_in(ada)


@pytest.fixture
def server() -> Server:
    return Server.objects.create(
        name="notes", transport="http", url="https://notes.example/mcp", uses_oauth=True
    )


def path(server: Server, what: str) -> str:
    return f"/servers/{server.public_id}/{what}"


def test_connecting_begins_a_sign_in_of_this_user(
    browser: Client, server: Server, ada: User
) -> None:
    response = browser.post(path(server, "connect"))
    assert response.headers["location"].endswith("#account")
    assert SignIn.objects.get().user == ada


def test_connecting_again_gives_the_first_sign_in_up(browser: Client, server: Server) -> None:
    first = browser.post(path(server, "connect")) and SignIn.objects.get().pk
    browser.post(path(server, "connect"))
    assert SignIn.objects.get().pk != first


def test_a_server_that_is_not_shared_with_somebody_is_not_there(
    browser: Client, server: Server
) -> None:
    Server.objects.update(shared="staff")
    for what in ("connect", "connect/cancel", "disconnect"):
        assert browser.post(path(server, what)).status_code == 404
    assert browser.get(path(server, "account")).status_code == 404
    assert browser.get("/servers/account/notes").status_code == 404


def test_a_card_leads_to_the_account(browser: Client, server: Server) -> None:
    response = browser.get("/servers/account/notes")
    assert response.headers["location"] == f"{server.get_absolute_url()}#account"


def test_a_return_is_taken_once(browser: Client, server: Server, ada: User) -> None:
    SignIn.objects.create(server=server, user=ada, state_token="s")
    assert browser.get("/oauth/callback", {"state": "s", "code": "c"}).status_code == 302
    assert browser.get("/oauth/callback", {"state": "s", "code": "d"}).status_code == 400
    assert SignIn.objects.get().returned == {"state": "s", "code": "c"}


def test_a_return_that_comes_too_late_is_not_taken(
    browser: Client, server: Server, ada: User
) -> None:
    long_ago = timezone.now() - SignIn.LASTS - timedelta(seconds=1)
    SignIn.objects.create(server=server, user=ada, state_token="s", created=long_ago)
    assert browser.get("/oauth/callback", {"state": "s", "code": "c"}).status_code == 400
    assert "nobody came back" in browser.get(path(server, "account")).content.decode()


def test_a_return_without_a_state_is_nobody_s(browser: Client, server: Server, ada: User) -> None:
    SignIn.objects.create(server=server, user=ada)
    assert browser.get("/oauth/callback", {"code": "c"}).status_code == 400


def test_what_the_authorization_server_says_is_shown_as_text(
    browser: Client, server: Server, ada: User
) -> None:
    SignIn.objects.create(server=server, user=ada, state_token="s")
    said = {"state": "s", "error": "access_denied", "error_description": "<script>no</script>"}
    browser.get("/oauth/callback", said)
    page = browser.get(path(server, "account")).content.decode()
    assert "access_denied" in page and "<script>" not in page


def test_an_account_that_has_ended_says_so(browser: Client, server: Server, ada: User) -> None:
    Account.objects.create(
        server=server,
        user=ada,
        tokens={"access_token": "t"},
        client={"url": server.url},
        expires=timezone.now() - timedelta(minutes=1),
    )
    assert "has expired" in browser.get(path(server, "account")).content.decode()


def test_disconnecting_leaves_the_accounts_of_others(
    browser: Client, server: Server, ada: User
) -> None:
    for user in (ada, User.objects.create_user("bob")):
        Account.objects.create(server=server, user=user, tokens={"access_token": "t"})
    browser.post(path(server, "disconnect"))
    assert Account.objects.get().user.username == "bob"
