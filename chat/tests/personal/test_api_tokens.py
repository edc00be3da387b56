"""API tokens in the settings: made, shown once, listed, revoked."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Event
from tests.signing_in import signed_in
from tokens.access import TokenRefused, access_of
from tokens.models import Token


@pytest.fixture
def browser(db: None) -> Client:
    return signed_in(User.objects.create_user("owner"))


def make(browser: Client, **fields: object) -> str:
    given = {"name": "script", "scopes": ["read", "chat"], "days": "30", **fields}
    return browser.post("/settings/tokens", given).content.decode()


def test_a_new_token_is_shown_once_and_works(browser: Client) -> None:
    secret = re.search(r"rt_[\w-]{40,}", make(browser))
    assert secret is not None
    assert access_of(secret[0]).scopes == {"read", "chat"}
    assert secret[0] not in browser.get("/settings/").content.decode()


def test_the_answer_that_shows_it_is_kept_by_no_cache(browser: Client) -> None:
    fields = {"name": "script", "scopes": ["read"], "days": ""}
    assert "no-store" in browser.post("/settings/tokens", fields)["Cache-Control"]


def test_the_list_has_what_tells_tokens_apart(browser: Client) -> None:
    make(browser)
    page = browser.get("/settings/").content.decode()
    assert Token.objects.get().beginning in page
    assert "chat, read" in page
    assert "not used yet" in page


def test_making_and_revoking_are_in_the_audit_log(browser: Client) -> None:
    make(browser)
    token = Token.objects.get()
    browser.post(f"/settings/tokens/{token.public_id}/revoke")
    rows = Event.objects.filter(target_type="token").order_by("pk")
    assert list(rows.values_list("action", flat=True)) == ["token_made", "token_revoked"]
    assert {str(row.target_id) for row in rows} == {str(token.public_id)}


def test_a_revoked_token_is_refused(browser: Client) -> None:
    found = re.search(r"rt_[\w-]{40,}", make(browser))
    assert found is not None
    browser.post(f"/settings/tokens/{Token.objects.get().public_id}/revoke")
    with pytest.raises(TokenRefused):
        access_of(found[0])


@pytest.mark.parametrize(
    "fields",
    [{"name": " "}, {"name": "x" * 81}, {"scopes": []}, {"scopes": ["root"]}, {"days": "-1"}],
)
def test_a_form_that_does_not_fit_makes_none(browser: Client, fields: dict[str, object]) -> None:
    make(browser, **fields)
    assert not Token.objects.exists()


def test_admin_is_only_for_who_has_rights(browser: Client) -> None:
    make(browser, scopes=["admin"])
    assert not Token.objects.exists()
    User.objects.update(is_superuser=True, is_staff=True)
    make(browser, scopes=["admin"])
    assert Token.objects.get().scopes == ["admin"]


def test_a_token_without_admin_has_no_rights_beyond_the_persons_own(db: None) -> None:
    admin = User.objects.create_superuser("admin")
    narrow, wide = (Token.objects.make(admin, "t", scopes)[1] for scopes in (["traces"], ["admin"]))
    assert not access_of(narrow).user.has_perm("tracing.view_trace")
    assert access_of(wide).user.has_perm("tracing.view_trace")


def test_another_persons_token_is_not_there(browser: Client) -> None:
    other = Token.objects.make(User.objects.create_user("other"), "t", ["read"])[0]
    assert browser.post(f"/settings/tokens/{other.public_id}/revoke").status_code == 404
    other.refresh_from_db()
    assert other.revoked is None
