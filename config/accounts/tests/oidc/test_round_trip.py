"""Sign-in at a real provider process, over HTTP."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import Settings

from audit.models import Event
from config.accounts.roles import Role, assign, role_of
from config.accounts.tests.mfa.test_second_factor import with_totp
from config.accounts.tests.oidc.conftest import Configure
from config.accounts.tests.oidc.providers import agree, give_claims

pytestmark = [pytest.mark.django_db, pytest.mark.long]

ROLES = {"admins": "admin", "auditors": "viewer", "data": "group:Data"}


def sign_in(client: Client, sub: str) -> Any:
    """Goes to the provider, agrees there, and comes back."""
    there = client.get("/accounts/oidc/login/")
    assert there.status_code == 302, there.content
    return client.get(agree(there["Location"], sub))


def user_of(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


def test_groups_of_the_provider_become_role_and_groups(issuer: str, configure: Configure) -> None:
    configure(issuer, roles=ROLES)
    give_claims(issuer, "eve", preferred_username="eve", groups=["auditors", "data", "others"])
    client = Client()
    response = sign_in(client, "eve")

    user = user_of(client)
    assert response["Location"] == "/" and user and user.username == "eve"
    assert role_of(user) == Role.VIEWER
    assert list(user.groups.values_list("name", flat=True)) == ["Data"]
    assert Event.objects.get(action="signed_in").detail == {"by": ["socialaccount"]}


def test_what_the_provider_takes_goes_at_the_next_sign_in(
    issuer: str, configure: Configure
) -> None:
    configure(issuer, roles=ROLES)
    give_claims(issuer, "joe", preferred_username="joe", groups=["auditors", "data"])
    sign_in(Client(), "joe")
    joe = User.objects.get(username="joe")
    joe.groups.add(Group.objects.create(name="Of their own"))
    give_claims(issuer, "joe", preferred_username="joe", groups=[])
    sign_in(Client(), "joe")

    joe = User.objects.get(username="joe")
    assert role_of(joe) == Role.MEMBER
    assert list(joe.groups.values_list("name", flat=True)) == ["Of their own"]


def test_the_request_has_state_nonce_and_pkce(issuer: str, configure: Configure) -> None:
    configure(issuer)
    asked = parse_qs(urlsplit(Client().get("/accounts/oidc/login/")["Location"]).query)

    assert asked["code_challenge_method"] == ["S256"]
    assert len(asked["nonce"][0]) >= 32 and len(asked["state"][0]) >= 16
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}


def test_an_answer_of_another_browser_is_refused(issuer: str, configure: Configure) -> None:
    configure(issuer, signup="everybody")
    there = Client().get("/accounts/oidc/login/")
    other = Client()
    response = other.get(agree(there["Location"], "mallory"))

    assert response.status_code == 403 and "out of date" in response.content.decode()
    assert user_of(other) is None


def test_an_answer_works_once(issuer: str, configure: Configure) -> None:
    configure(issuer, signup="everybody")
    client = Client()
    back = agree(client.get("/accounts/oidc/login/")["Location"], "ann")
    assert client.get(back)["Location"] == "/"
    client.post("/accounts/logout/")

    assert client.get(back).status_code == 403


def test_who_cancels_is_told_so(issuer: str, configure: Configure) -> None:
    configure(issuer)
    client = Client()
    there = client.get("/accounts/oidc/login/")["Location"]
    # The mock leaves out the state, which RFC 6749 (4.1.2.1) wants in the answer.
    state = parse_qs(urlsplit(there).query)["state"][0]
    response = client.get(f"{agree(there, 'ann', 'deny')}&state={state}")

    assert response.status_code == 403 and "cancelled" in response.content.decode()


def test_strangers_get_no_account(issuer: str, configure: Configure) -> None:
    configure(issuer, roles=ROLES)
    give_claims(issuer, "stranger", groups=["others"])
    response = sign_in(Client(), "stranger")

    assert "Sign-up is closed" in response.content.decode()
    assert not User.objects.exists()


def test_sign_up_by_domain_counts_verified_addresses(
    issuer: str, configure: Configure, settings: Settings
) -> None:
    configure(issuer)
    settings.SIGNUP, settings.SIGNUP_DOMAINS = "domain", ["example.org"]
    give_claims(issuer, "new", email="new@example.org", email_verified=True)
    give_claims(issuer, "liar", email="liar@example.org", email_verified=False)
    sign_in(Client(), "new")
    sign_in(Client(), "liar")

    assert User.objects.values_list("email", flat=True).get() == "new@example.org"


def _with_address(name: str, verified: bool) -> User:
    email = f"{name}@example.org"
    user = User.objects.create_user(name, email=email, password="a long pass phrase")
    if verified:
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def test_a_verified_address_links_the_account_that_there_is(
    issuer: str, configure: Configure
) -> None:
    user = _with_address("kim", verified=True)
    configure(issuer, signup="nobody")
    give_claims(issuer, "kim-there", email="Kim@example.org", email_verified=True)
    client = Client()
    sign_in(client, "kim-there")

    assert user_of(client) == user
    assert User.objects.get().has_usable_password()
    assert Event.objects.get(action="account_linked").detail == {"by": "verified address"}


@pytest.mark.parametrize(("here", "there"), [(True, False), (False, True), (False, False)])
def test_an_address_that_one_side_has_not_verified_takes_no_account_over(
    issuer: str, configure: Configure, here: bool, there: bool
) -> None:
    _with_address("lee", verified=here)
    configure(issuer, signup="everybody")
    give_claims(issuer, "thief", email="lee@example.org", email_verified=there)
    client = Client()
    response = sign_in(client, "thief")

    assert response.status_code == 409 and user_of(client) is None
    assert not SocialAccount.objects.exists()


def test_an_account_is_linked_from_the_settings_and_unlinked(
    issuer: str, configure: Configure
) -> None:
    user = _with_address("max", verified=False)
    configure(issuer, signup="nobody")
    client = Client()
    client.force_login(user)
    assert client.get("/accounts/oidc/login/")["Location"] == "/"  # no link of another site links
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    client.post("/accounts/oidc/link/")
    assert sign_in(client, "max-there")["Location"] == "/settings/#security"
    assert SocialAccount.objects.get().user == user
    assert Event.objects.get(action="account_linked").detail == {"by": "settings"}

    client.post("/accounts/oidc/unlink/")
    assert not SocialAccount.objects.exists()


def test_who_has_no_password_cannot_unlink(issuer: str, configure: Configure) -> None:
    configure(issuer, signup="everybody")
    client = Client()
    sign_in(client, "nopassword")
    client.post("/accounts/oidc/unlink/")

    assert SocialAccount.objects.exists()


def test_the_last_admin_stays_one_whatever_the_provider_says(
    issuer: str, configure: Configure
) -> None:
    user = _with_address("root", verified=True)
    assign(user, Role.ADMIN)
    configure(issuer, roles=ROLES)
    give_claims(issuer, "root", email="root@example.org", email_verified=True, groups=[])
    sign_in(Client(), "root")

    assert User.objects.get().is_superuser


def test_a_second_factor_is_asked_for_after_the_provider(issuer: str, configure: Configure) -> None:
    user = _with_address("pat", verified=True)
    with_totp(user)
    configure(issuer)
    give_claims(issuer, "pat", email="pat@example.org", email_verified=True)
    client = Client()
    response = sign_in(client, "pat")

    assert response["Location"] == "/accounts/2fa/authenticate/" and user_of(client) is None


def test_who_is_deactivated_does_not_come_in(issuer: str, configure: Configure) -> None:
    configure(issuer, signup="everybody")
    sign_in(Client(), "gone")
    User.objects.update(is_active=False)
    client = Client()
    response = sign_in(client, "gone")

    assert response["Location"] == "/accounts/inactive/" and user_of(client) is None


def test_a_sign_in_leads_to_no_other_site(issuer: str, configure: Configure) -> None:
    configure(issuer, signup="everybody")
    client = Client()
    there = client.get("/accounts/oidc/login/?next=https://evil.example/")

    assert client.get(agree(there["Location"], "ann"))["Location"] == "/"
