"""User names that could be taken for another's are refused, where people sign up and in the admin.

The letters of other scripts are written by their names, as they cannot be told apart by eye.
"""

import unicodedata
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from pytest_django.fixtures import Settings

from config.accounts import names

pytestmark = pytest.mark.django_db

PASSWORD = "a long pass phrase"
A = "\N{CYRILLIC SMALL LETTER A}"


@pytest.fixture(autouse=True)
def mallory() -> User:
    return User.objects.create_user("mallory")


def problem(name: str) -> str:
    try:
        names.check(name)
    except ValidationError as error:
        return str(error.message)
    return ""


@pytest.mark.parametrize(
    "name",
    [
        *(
            "韩梅梅",
            "韩梅梅2",
            "李Lei",
            "さくら",
            "田中タロウ",
            "佐々木",
            "김철수",
            "김Kim",
            "ㄅㄆㄇ",
        ),
        *("анна", "Αθηνά", "ñandú", "zoë.müller", "o-brien", "محمد", "דוד", "สมชาย"),
        *("mallory2", "mallorys", "a_b@c.d+e-f", "ian", "10"),
    ],
)
def test_names_of_people_are_taken(name: str) -> None:
    assert problem(name) == ""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (f"m{A}rk", names.SEVERAL_SCRIPTS),
        ("p\N{GREEK SMALL LETTER ALPHA}ul", names.SEVERAL_SCRIPTS),
        (f"{A}韩", names.SEVERAL_SCRIPTS),
        ("김ひ", names.SEVERAL_SCRIPTS),
        ("mark\N{ZERO WIDTH JOINER}", names.INVISIBLE),
        ("mark\N{RIGHT-TO-LEFT OVERRIDE}", names.INVISIBLE),
        ("mark\N{HANGUL FILLER}", names.INVISIBLE),
        ("mark\N{HALFWIDTH HANGUL FILLER}", names.INVISIBLE),
        ("\N{CHEROKEE LETTER GO}", names.UNCOMMON_SCRIPT),
        ("mark\N{MODIFIER LETTER APOSTROPHE}", names.UNCOMMON_SCRIPT),
        ("MALLORY", names.TOO_SIMILAR),
        ("maIlory", names.TOO_SIMILAR),
        ("ma11ory", names.TOO_SIMILAR),
        ("mall0ry", names.TOO_SIMILAR),
        ("\N{FULLWIDTH LATIN SMALL LETTER M}allory", names.TOO_SIMILAR),
        ("\N{MATHEMATICAL BOLD SMALL M}allory", names.TOO_SIMILAR),
    ],
)
def test_names_that_mislead_are_refused_with_a_sentence(name: str, sentence: str) -> None:
    assert problem(name) == sentence


def test_a_name_wholly_of_another_script_that_looks_the_same_is_refused() -> None:
    User.objects.create_user("cocoa")
    twin = "".join(unicodedata.lookup(f"CYRILLIC SMALL LETTER {one}") for one in ("ES", "O"))
    assert problem(twin * 2 + A) == names.TOO_SIMILAR


def test_a_name_that_only_folds_to_another_is_refused() -> None:
    User.objects.create_user("strasse")
    assert problem("stra\N{LATIN SMALL LETTER SHARP S}e") == names.TOO_SIMILAR


@pytest.mark.parametrize(("name", "is_made"), [(f"m{A}llory", False), ("韩梅梅", True)])
def test_sign_up_refuses_and_takes_them(
    client: Client, settings: Settings, name: str, is_made: bool
) -> None:
    settings.SIGNUP = "open"
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    page = client.post("/accounts/signup/", form).content.decode()
    assert User.objects.filter(username=name).exists() is is_made
    assert (str(names.SEVERAL_SCRIPTS) in page) is not is_made


@pytest.mark.parametrize("name", ["MALLORY", f"m{A}llory", "ma11ory"])
def test_an_admin_makes_none_either_nor_by_a_change(admin_client: Client, name: str) -> None:
    other = User.objects.create_user("other")
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    response = admin_client.post("/admin/auth/user/add/", {**form, "usable_password": "true"})
    changed = admin_client.post(f"/admin/auth/user/{other.pk}/change/", _changed(other, name))
    assert (response.status_code, changed.status_code) == (200, 200)
    assert set(User.objects.values_list("username", flat=True)) == {"mallory", "other", "admin"}


def test_a_user_who_has_an_odd_name_can_be_changed_by_an_admin(admin_client: Client) -> None:
    odd = User.objects.create_user(f"m{A}llory")
    form = _changed(odd, odd.username) | {"first_name": "Mal"}
    assert admin_client.post(f"/admin/auth/user/{odd.pk}/change/", form).status_code == 302
    odd.refresh_from_db()
    assert odd.first_name == "Mal"


def _changed(user: User, name: str) -> dict[str, Any]:
    joined = user.date_joined
    return {
        "username": name,
        "is_active": "on",
        "date_joined_0": f"{joined:%Y-%m-%d}",
        "date_joined_1": f"{joined:%H:%M:%S}",
    }
