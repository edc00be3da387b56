"""Providers that are down, broken, or lie: nobody is signed in, and a sentence says why."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import Event
from config.accounts.tests.oidc.conftest import Configure
from config.accounts.tests.oidc.providers import OTHER_KEY, Liar

pytestmark = [pytest.mark.django_db, pytest.mark.long]

DISCOVERY = "/.well-known/openid-configuration"


def come_back(provider: Liar, nonce: str | None = None) -> tuple[Client, Any]:
    client = Client()
    there = client.get("/accounts/oidc/login/")
    assert there.status_code == 302, there.content
    asked = parse_qs(urlsplit(there["Location"]).query)
    provider.nonce = asked["nonce"][0] if nonce is None else nonce
    query = {"code": "x", "state": asked["state"][0]}
    return client, client.get("/accounts/oidc/login/callback/", query)


def _is_refused(client: Client, response: Any) -> bool:
    is_out = "_auth_user_id" not in client.session and not User.objects.exists()
    return is_out and response.status_code == 502


def test_an_honest_one_signs_in(provider: Liar) -> None:
    client, _ = come_back(provider)

    assert "_auth_user_id" in client.session
    assert provider.asked["code_verifier"] and provider.asked["client_secret"]


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another client"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"sub": None},
        {"azp": "another client"},
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(provider: Liar, claims: dict[str, Any]) -> None:
    provider.claims = claims

    assert _is_refused(*come_back(provider))


@pytest.mark.parametrize("nonce", ["", "another"])
def test_a_token_of_another_request_is_refused(provider: Liar, nonce: str) -> None:
    assert _is_refused(*come_back(provider, nonce))


def test_a_token_of_another_key_is_refused(provider: Liar) -> None:
    provider.key = OTHER_KEY

    assert _is_refused(*come_back(provider))


@pytest.mark.parametrize(("algorithm", "key"), [("none", None), ("HS256", "x" * 32)])
def test_a_token_without_a_signature_by_key_is_refused(
    provider: Liar, algorithm: str, key: Any
) -> None:
    provider.algorithm, provider.key = algorithm, key

    assert _is_refused(*come_back(provider))


def test_userinfo_of_somebody_else_is_refused(provider: Liar) -> None:
    provider.userinfo = {"sub": "bob", "groups": ["admins"]}

    assert _is_refused(*come_back(provider))


@pytest.mark.parametrize("path", ["/token_endpoint", "/jwks_uri", "/userinfo_endpoint"])
@pytest.mark.parametrize("body", [b"<html>", b"[]", b"null", b"{}", b"\xff\xfe", b'{"keys": 1}'])
def test_garbage_is_refused(provider: Liar, path: str, body: bytes) -> None:
    provider.answers[path] = body

    assert _is_refused(*come_back(provider))


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b"{}", b'{"issuer": "https://evil.example"}', b"\xff"]
)
def test_a_configuration_that_is_none_leads_nowhere(provider: Liar, body: bytes) -> None:
    provider.answers[DISCOVERY] = body
    client = Client()

    assert _is_refused(client, client.get("/accounts/oidc/login/"))


def test_a_provider_that_is_down_is_said_to_be(configure: Configure) -> None:
    configure("http://127.0.0.1:9")
    response = Client().get("/accounts/oidc/login/")

    assert response.status_code == 502 and "does not answer" in response.content.decode()
    assert Event.objects.get().action == "provider_failed"


@pytest.mark.parametrize("query", ["", "?code=x", "?state=x&code=y", "?error=x", "?state=%00"])
def test_a_made_up_answer_is_refused(provider: Liar, query: str) -> None:
    response = Client().get(f"/accounts/oidc/login/callback/{query}")

    assert response.status_code == 403


def test_without_a_provider_there_is_no_such_page() -> None:
    assert Client().get("/accounts/oidc/login/").status_code == 404


HOSTILE = ["a\0b", "\ud800", "x" * 5_000]


@pytest.mark.parametrize("claim", ["sub", "preferred_username", "email", "name", "given_name"])
@pytest.mark.parametrize("text", HOSTILE, ids=["nul", "surrogate", "long"])
def test_a_text_that_no_database_takes_is_no_error_of_the_server(
    provider: Liar, claim: str, text: str
) -> None:
    provider.claims = {"email": "ada@example.org", "email_verified": True, claim: text}
    provider.userinfo = {"sub": "ada", **provider.claims}
    _, response = come_back(provider)

    assert response.status_code < 500 or response.status_code == 502


@pytest.mark.parametrize("text", HOSTILE, ids=["nul", "surrogate", "long"])
def test_such_a_group_or_role_gives_nothing(provider: Liar, text: str) -> None:
    provider.userinfo = {"sub": "ada", "groups": [text], "address": {text: [text]}}
    _, response = come_back(provider)

    assert response.status_code < 500 or response.status_code == 502
