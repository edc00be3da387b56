"""The language of pages: what a person chose, on each device, else what the browser asks for."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from chat.models import PersonalSettings
from config.accounts.links import path_for

pytestmark = pytest.mark.django_db

CHINESE = "zh-CN,zh;q=0.9,en;q=0.8"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The test client leaves the language of its last request to this thread."""
    yield
    translation.deactivate()


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner", password="correct horse battery")


def sign_in_page(client: Client, accepted: str = "") -> str:
    return client.get("/accounts/login/", headers={"accept-language": accepted}).content.decode()


def test_a_page_is_in_the_language_of_the_browser(client: Client) -> None:
    assert '<html lang="zh-Hans"' in sign_in_page(client, CHINESE)
    assert '<html lang="en"' in sign_in_page(client, "de-DE,de;q=0.9")


def test_the_texts_of_scripts_come_before_the_modules_and_not_for_english(client: Client) -> None:
    assert (
        0
        < sign_in_page(client, CHINESE).find("zh-hans.js")
        < sign_in_page(client, CHINESE).find('type="module"')
    )
    assert "js/locale" not in sign_in_page(client, "en")


def test_what_was_chosen_counts_before_the_browser(client: Client) -> None:
    answer = client.post(
        "/language/", {"language": "zh-hans"}, headers={"referer": "https://other.example/"}
    )
    assert answer.headers["location"] == "/"  # another site is no way back
    assert '<html lang="zh-Hans"' in sign_in_page(client, "en")


def test_a_language_that_there_is_not_changes_nothing(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post("/language/", {"language": "xx"})
    assert '<html lang="en"' in client.get("/skills/").content.decode()
    assert not PersonalSettings.objects.exists()


def test_another_device_gets_it_when_somebody_signs_in(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post("/language/", {"language": "zh-hans"})
    by_link, by_password = Client(), Client()
    by_link.get(path_for(owner))
    by_password.post("/accounts/login/", {"login": "owner", "password": "correct horse battery"})
    for other in (by_link, by_password):
        assert other.cookies[settings.LANGUAGE_COOKIE_NAME].value == "zh-hans"


def test_an_error_of_allauth_is_in_the_language_of_the_page(client: Client, owner: User) -> None:
    wrong = {"login": "owner", "password": "wrong"}
    page = client.post("/accounts/login/", wrong, headers={"accept-language": CHINESE})
    assert "不正确" in page.content.decode()
