"""Connecting accounts, and calling with them; the authorization server is a real one over HTTP."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

import jobs
from tests.signing_in import signed_in
from tools import loop
from tools.accounts import sessions, signing_in
from tools.calls import execution
from tools.errors import FailureKind
from tools.models import Account, Server, ServerTool, SignIn
from tools.tasks import look
from tools.tests.calling import Caller
from tools.tests.servers.authorizing import Authority, authorizing
from tools.values.call import ToolResult

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("caller"),
]

REDIRECT = "http://testserver/oauth/callback"
WAIT_S = 5


@pytest.fixture
def authority() -> Iterator[Authority]:
    with authorizing() as running:
        yield running


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", is_staff=True, is_superuser=True)


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def server(authority: Authority) -> Server:
    return Server.objects.create(
        name="notes",
        transport="http",
        url=f"{authority.base}/mcp",
        allow_private=True,
        uses_oauth=True,
        timeout_s=10,
    )


def eventually(found: Callable[[], Any]) -> Any:
    until = time.monotonic() + WAIT_S
    while not (value := found()) and time.monotonic() < until:
        time.sleep(0.02)
    return value


def sign_in(server: Server, user: User, **changes: str) -> SignIn | None:
    """A whole sign-in in `user`'s browser; the row, if one is left."""
    row = SignIn.objects.create(server=server, user=user, returned={"redirect_uri": REDIRECT})
    ending = loop.submit(signing_in.run(row.pk))
    there = SignIn.objects.filter(pk=row.pk).exclude(authorization_url="", state__in=jobs.OPEN)
    if eventually(lambda: there.exists()) and (url := there.get().authorization_url):
        location = httpx2.get(url, follow_redirects=False).headers["location"]
        browser = signed_in(user)
        query = dict(httpx2.URL(location).params) | changes
        browser.get("/oauth/callback", query)
    if not changes:
        ending.result(WAIT_S)
    ending.cancel()
    return SignIn.objects.filter(pk=row.pk).first()


def call(caller: Caller, server: Server, user: User) -> ToolResult:
    tool = ServerTool(server=server, name="note", input_schema={}).as_tool()
    used = sessions.signed_in(tool, user.pk)
    return loop.run(execution.execute_tool(used, {}, caller.context()), 20)


def test_a_sign_in_connects_the_account_and_lists_the_tools(server: Server, ada: User) -> None:
    assert sign_in(server, ada) is None
    assert Account.objects.get(server=server, user=ada).tokens["access_token"]
    assert list(server.tools.values_list("name", flat=True)) == ["note"]


def test_the_flow_has_pkce_the_resource_and_a_registered_client(
    server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    (asked,) = authority.of("authorize")
    assert asked["code_challenge_method"] == "S256"
    assert asked["resource"] == server.url
    assert asked["redirect_uri"] == REDIRECT
    assert authority.of("register")[0]["client_name"] == "Roundtrip"


def test_a_call_is_made_with_the_account(caller: Caller, server: Server, ada: User) -> None:
    sign_in(server, ada)
    assert call(caller, server, ada).text == "milk"


def test_without_an_account_nothing_is_sent(
    caller: Caller, server: Server, bob: User, authority: Authority
) -> None:
    result = call(caller, server, bob)
    assert result.is_error and "has to connect their account" in result.text
    assert result.failure is not None and result.failure.kind is FailureKind.NO_ACCOUNT
    assert authority.seen == []


def test_another_user_s_account_is_never_used(
    caller: Caller, server: Server, ada: User, bob: User
) -> None:
    sign_in(server, ada)
    assert call(caller, server, ada).text == "milk"
    assert "has to connect their account" in call(caller, server, bob).text


def test_tokens_are_encrypted_at_rest(server: Server, ada: User) -> None:
    sign_in(server, ada)
    token = Account.objects.get().tokens["access_token"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT tokens, client FROM tools_account")
        assert token not in str(cursor.fetchall())


def test_the_token_is_in_no_frame(caller: Caller, server: Server, ada: User) -> None:
    sign_in(server, ada)
    context = caller.context()
    tool = ServerTool(server=server, name="note", input_schema={}).as_tool()
    used = sessions.signed_in(tool, ada.pk)
    loop.run(execution.execute_tool(used, {}, context), 20)
    assert context.frames
    assert Account.objects.get().tokens["access_token"] not in str(context.frames)


def test_a_denied_sign_in_says_so(server: Server, ada: User, authority: Authority) -> None:
    authority.denies = True
    row = sign_in(server, ada)
    assert row is not None and row.state == "failed"
    assert "access_denied: Not today" in row.error


def test_a_code_that_is_not_taken_fails_the_sign_in(
    server: Server, ada: User, authority: Authority
) -> None:
    authority.takes_code = False
    row = sign_in(server, ada)
    assert row is not None and (row.state, row.returned) == ("failed", {})
    assert not Account.objects.exists()


def test_an_answer_of_another_issuer_is_refused(
    server: Server, ada: User, authority: Authority
) -> None:
    authority.iss = "wrong"
    row = sign_in(server, ada)
    assert row is not None and row.state == "failed"
    assert "did not let us sign in" in row.error
    assert authority.of("authorization_code") == []


def test_a_wrong_state_changes_nothing(server: Server, ada: User) -> None:
    row = sign_in(server, ada, state="guessed")
    assert row is not None and row.is_open and row.came_back is None


def test_somebody_else_s_return_changes_nothing(server: Server, ada: User, bob: User) -> None:
    SignIn.objects.create(server=server, user=ada, state_token="s")
    browser = signed_in(bob)
    assert browser.get("/oauth/callback", {"state": "s", "code": "c"}).status_code == 400
    unchanged = SignIn.objects.get()
    assert unchanged.is_open and unchanged.came_back is None


def test_metadata_at_the_root_is_found(server: Server, ada: User, authority: Authority) -> None:
    authority.root_metadata_only = True
    assert sign_in(server, ada) is None


def test_a_client_that_was_registered_beforehand_is_used(
    server: Server, ada: User, authority: Authority
) -> None:
    authority.registers = False
    server.oauth_client_id, server.oauth_client_secret = "ours", "very secret"
    server.save()
    assert sign_in(server, ada) is None
    assert authority.of("authorize")[0]["client_id"] == "ours"
    assert authority.of("authorization_code")[0]["auth"].startswith("Basic ")


def test_a_server_that_reads_our_description_needs_no_registration(
    server: Server, ada: User, authority: Authority, settings: Settings
) -> None:
    authority.reads_clients = True
    settings.ROUNDTRIP_URL = "https://roundtrip.example"
    assert sign_in(server, ada) is None
    described = "https://roundtrip.example/oauth/client.json"
    assert authority.of("authorize")[0]["client_id"] == described
    assert authority.of("register") == []


def test_connecting_again_uses_the_registered_client(
    server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    sign_in(server, ada)
    assert len(authority.of("register")) == 1
    assert len(authority.of("authorize")) == 2


def test_a_page_to_sign_in_at_that_is_disguised_is_not_shown(
    server: Server, ada: User, authority: Authority
) -> None:
    authority.sends_to = "https://bank.example@evil.example/"
    row = sign_in(server, ada)
    assert row is not None and (row.state, row.authorization_url) == ("failed", "")
    assert "user name" in row.error


def expire(**changes: Any) -> None:
    Account.objects.update(expires=timezone.now() - timedelta(minutes=1), **changes)
    loop.close()  # no session is left that knows better


def test_an_expired_token_is_renewed_and_kept(
    caller: Caller, server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    before = Account.objects.get().tokens
    expire()
    assert call(caller, server, ada).text == "milk"
    assert len(authority.of("refresh_token")) == 1
    account = Account.objects.get()
    assert account.tokens["access_token"] != before["access_token"]
    assert account.expires is not None and account.expires > timezone.now()


def test_a_renewal_that_is_refused_asks_to_connect_again(
    caller: Caller, server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    authority.takes_refresh, authority.valid = False, {}
    expire()
    result = call(caller, server, ada)
    assert result.is_error and "account to this server again" in result.text
    assert len(authority.of("authorize")) == 1


def test_a_call_that_needs_more_rights_asks_for_them_with_the_next_sign_in(
    caller: Caller, server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    authority.call_scope = "more"
    assert "account to this server again" in call(caller, server, ada).text
    sign_in(server, ada)
    assert authority.of("authorize")[-1]["scope"].split() == ["notes", "more"]
    assert call(caller, server, ada).text == "milk"


def test_disconnecting_forgets_the_tokens(server: Server, ada: User) -> None:
    sign_in(server, ada)
    browser = signed_in(ada)
    browser.post(f"/servers/{server.public_id}/disconnect")
    assert not Account.objects.exists()


def test_the_page_shows_no_token(server: Server, ada: User) -> None:
    sign_in(server, ada)
    browser = signed_in(ada)
    page = browser.get(f"/servers/{server.public_id}/account").content.decode()
    assert "Connected." in page
    assert Account.objects.get().tokens["access_token"] not in page


def test_a_server_that_moves_gets_nobody_s_token(caller: Caller, server: Server, ada: User) -> None:
    sign_in(server, ada)
    Server.objects.update(url=server.url.replace("/mcp", "/other"))
    server.refresh_from_db()
    assert "has to connect their account" in call(caller, server, ada).text


def test_a_check_uses_the_account_of_whoever_asked(server: Server, ada: User, bob: User) -> None:
    sign_in(server, ada)
    for user, state in ((ada, "succeeded"), (bob, "failed")):
        Server.objects.update(check_state="asked")
        look(server.pk, user.pk)
        server.refresh_from_db()
        assert server.check_state == state


def test_the_client_is_described_for_everyone(db: None) -> None:
    described = Client().get("/oauth/client.json").json()
    assert described["client_id"].endswith("/oauth/client.json")
    assert described["redirect_uris"][0].endswith("/oauth/callback")
