import pickle
from collections.abc import Callable
from copy import copy

import pytest
from django.contrib.auth.models import User

from tokens.access import access_of
from tokens.models import Scope, Token
from tokens.narrowed import RightsNotStored

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("ada", first_name="Ada")


def narrowed(admin: User) -> User:
    _, secret = Token.objects.make(admin, "laptop", [Scope.READ])
    return access_of(secret).user


def is_admin(user: User) -> bool:
    return User.objects.filter(pk=user.pk, is_staff=True, is_superuser=True).exists()


def test_an_admin_has_no_rights_by_a_token_without_the_scope_admin(admin: User) -> None:
    user = narrowed(admin)
    assert not (user.is_staff or user.is_superuser or user.has_perm("auth.change_user"))
    assert user == admin
    assert user._meta.model is User


def test_saving_them_stores_all_but_their_rights(admin: User) -> None:
    user = narrowed(admin)
    user.first_name = "Countess"
    user.save()
    admin.refresh_from_db()
    assert admin.first_name == "Countess"
    assert is_admin(admin)


def test_saving_named_columns_stores_these(admin: User) -> None:
    user = narrowed(admin)
    user.first_name, user.last_name = "Countess", "Lovelace"
    user.save(update_fields=["last_name"])
    admin.refresh_from_db()
    assert (admin.first_name, admin.last_name) == ("Ada", "Lovelace")


def test_their_rights_cannot_be_stored_by_name(admin: User) -> None:
    with pytest.raises(RightsNotStored, match="is_staff"):
        narrowed(admin).save(update_fields=["is_staff"])
    assert is_admin(admin)


def test_a_new_password_leaves_their_rights(admin: User) -> None:
    user = narrowed(admin)
    user.set_password("a better one than before")
    user.save()
    assert is_admin(admin)
    assert User.objects.get(pk=admin.pk).check_password("a better one than before")


def test_reading_them_anew_gives_no_rights(admin: User) -> None:
    user = narrowed(admin)
    user.refresh_from_db()
    assert not (user.is_staff or user.is_superuser)


def test_the_scope_admin_leaves_them_as_they_are(admin: User) -> None:
    _, secret = Token.objects.make(admin, "laptop", [Scope.ADMIN])
    user = access_of(secret).user
    user.save()
    assert user.is_superuser
    assert is_admin(admin)


@pytest.mark.parametrize("copied", [copy, lambda user: pickle.loads(pickle.dumps(user))])
def test_a_copy_cannot_store_rights_either(admin: User, copied: Callable[[User], User]) -> None:
    user = copied(narrowed(admin))
    user.save()
    assert not user.is_superuser
    assert is_admin(admin)
