"""What a provider says of an address takes no account over, whatever its type and spelling."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from config.accounts import addresses
from config.accounts.oidc.claims import read
from config.accounts.tests.oidc.conftest import Configure
from config.accounts.tests.oidc.providers import Liar
from config.accounts.tests.oidc.test_liars import come_back
from config.oidc_settings import OIDC

pytestmark = [pytest.mark.django_db, pytest.mark.long]

UNTRUE = ["false", "no", "0", "unknown", "", "True", " true", [False], [True], {}, {"a": 1}, 0, 1]
UNTRUE += [1.0, None, False]
CONFIGURATION = OIDC("https://issuer.example", "roundtrip", "a client's secret")
LONG = f"{'a' * 64}@{'b' * 63}.{'c' * 63}.{'d' * 63}.example"
TRUSTING = OIDC("https://issuer.example", "roundtrip", "a client's secret", trusts_email=True)


def with_address(email: str) -> User:
    user = User.objects.create_user("kim", email=email, password="a long pass phrase")
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("claim", UNTRUE)
def test_an_address_that_is_not_verified_takes_no_account_over(
    provider: Liar, claim: object
) -> None:
    with_address("kim@example.org")
    provider.userinfo = {"sub": "ada", "email": "kim@example.org", "email_verified": claim}
    client, response = come_back(provider)

    assert response.status_code == 409 and not is_signed_in(client)
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("claim", [True, "true"])
def test_a_verified_address_links(provider: Liar, claim: object) -> None:
    kim = with_address("kim@example.org")
    provider.userinfo = {"sub": "ada", "email": "Kim@Example.org", "email_verified": claim}
    client, _ = come_back(provider)

    assert client.session["_auth_user_id"] == str(kim.pk)


@pytest.mark.parametrize("claim", UNTRUE)
def test_an_address_that_is_not_verified_opens_no_sign_up_of_a_domain(
    provider: Liar, configure: Configure, settings: Settings, claim: object
) -> None:
    configure(provider.issuer, signup="mapped")
    settings.SIGNUP, settings.SIGNUP_DOMAINS = "domain", ["example.org"]
    provider.userinfo = {"sub": "ada", "email": "new@example.org", "email_verified": claim}
    come_back(provider)

    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ("alice@example.org", "al\N{LATIN SMALL LETTER DOTLESS I}ce@example.org"),
        ("al\N{LATIN SMALL LETTER DOTLESS I}ce@example.org", "alice@example.org"),
        ("strasse@example.org", "straße@example.org"),
        ("kim@example.org", "\N{FULLWIDTH LATIN SMALL LETTER K}im@example.org"),
        ("sam@example.org", "\N{LATIN SMALL LETTER LONG S}am@example.org"),
    ],
)
def test_another_spelling_of_an_address_takes_no_account_over(
    provider: Liar, stored: str, sent: str
) -> None:
    owner = with_address(stored)
    provider.userinfo = {"sub": "ada", "email": sent, "email_verified": True}
    client, _ = come_back(provider)

    assert client.session.get("_auth_user_id") != str(owner.pk)
    assert not SocialAccount.objects.filter(user=owner).exists()


def test_an_address_of_two_accounts_links_none(provider: Liar) -> None:
    with_address("kim@example.org")
    other = User.objects.create_user("lee")
    EmailAddress.objects.create(user=other, email="Kim@example.org", verified=True)
    provider.userinfo = {"sub": "ada", "email": "kim@example.org", "email_verified": True}

    assert come_back(provider)[1].status_code == 409


def test_the_address_of_one_source_is_not_verified_by_the_other() -> None:
    id_token = {"sub": "ada", "email": "ada@example.org", "email_verified": True}
    userinfo = {"sub": "ada", "email": "kim@example.org"}

    assert not read(id_token, userinfo, CONFIGURATION).is_verified
    assert read(id_token, {"sub": "ada"}, CONFIGURATION).is_verified


@pytest.mark.parametrize("configuration", [CONFIGURATION, TRUSTING])
@pytest.mark.parametrize("email", ["ada@example.org", "Ada@example.org", None])
def test_a_source_that_denies_an_address_is_believed(configuration: OIDC, email: Any) -> None:
    id_token = {"sub": "ada", "email": "ada@example.org", "email_verified": True}
    userinfo = {"sub": "ada", "email": email} if email else {"sub": "ada"}

    assert not read(id_token, {**userinfo, "email_verified": False}, configuration).is_verified
    denied = {**id_token, "email_verified": "false"}
    assert not read(denied, {**userinfo, "email_verified": True}, configuration).is_verified


def test_a_trusted_provider_that_denies_an_address_is_believed() -> None:
    claims = {"sub": "ada", "email": "ada@example.org"}

    assert read(claims, {}, TRUSTING).is_verified
    assert not read({**claims, "email_verified": "false"}, {}, TRUSTING).is_verified


@pytest.mark.parametrize("email", ["", "ada", ["ada@example.org"], None, 7, {"a": "b"}, LONG])
def test_what_is_no_address_is_none(email: Any) -> None:
    claims = read({"sub": "ada", "email": email, "email_verified": True}, {}, CONFIGURATION)

    assert (claims.email, claims.is_verified) == ("", False)


def test_an_address_is_compared_by_its_letters() -> None:
    assert addresses.normal(" Kim@EXAMPLE.org") == addresses.normal("kim@example.org")
    assert addresses.normal("İ@example.org") != addresses.normal("i@example.org")
