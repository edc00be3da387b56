from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django.fixtures import Settings

from tokens.access import ScopeMissing, TokenRefused, access_of, bearer, usable_tokens
from tokens.models import Scope, Token

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann")


def test_a_secret_is_its_persons(user: User) -> None:
    token, secret = Token.objects.make(user, "laptop", [Scope.READ])

    access = access_of(secret)

    assert (access.user, access.token) == (user, token)
    assert access.scopes == {"read"}


def test_only_the_hash_is_stored(user: User) -> None:
    token, secret = Token.objects.make(user, "laptop", [Scope.READ])

    values = Token.objects.filter(pk=token.pk).values().get()

    assert secret not in map(str, values.values())


def test_an_expired_token_is_refused(user: User) -> None:
    past = timezone.now() - timedelta(seconds=1)
    _, secret = Token.objects.make(user, "laptop", [Scope.READ], expires=past)

    with pytest.raises(TokenRefused):
        access_of(secret)


def test_a_revoked_token_is_refused(user: User) -> None:
    token, secret = Token.objects.make(user, "laptop", [Scope.READ])

    assert token.revoke()
    assert not token.revoke()
    with pytest.raises(TokenRefused):
        access_of(secret)


def test_a_token_of_a_deactivated_person_is_refused(user: User) -> None:
    _, secret = Token.objects.make(user, "laptop", [Scope.READ])
    User.objects.update(is_active=False)

    with pytest.raises(TokenRefused):
        access_of(secret)


def test_who_lacks_a_required_second_factor_has_no_token(user: User, settings: Settings) -> None:
    token, secret = Token.objects.make(user, "laptop", [Scope.READ])
    settings.MFA_REQUIRED = "everybody"

    with pytest.raises(TokenRefused):
        access_of(secret)
    assert usable_tokens([token.pk]) == {}


@pytest.mark.parametrize("secret", ["", "rt_unknown", "x" * 10_000])
def test_what_is_no_token_is_refused(secret: str) -> None:
    with pytest.raises(TokenRefused, match="Make a new one in the settings"):
        access_of(secret)


def test_a_scope_that_is_missing_is_named(user: User) -> None:
    _, secret = Token.objects.make(user, "laptop", [Scope.READ])

    with pytest.raises(ScopeMissing, match="chat"):
        access_of(secret).require(Scope.CHAT)


def test_the_header_is_read_in_any_case() -> None:
    assert bearer("bearer abc") == bearer("Bearer abc") == "abc"
    assert bearer("Basic abc") == ""
