import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from audit.models import Event
from config.accounts import proxies

PASSWORD = "a long pass phrase"

pytestmark = [pytest.mark.django_db, pytest.mark.long]


@pytest.fixture(autouse=True)
def people() -> None:
    cache.clear()
    User.objects.create_user("owner", password=PASSWORD, is_staff=True, is_superuser=True)
    User.objects.create_user("teammate", password=PASSWORD)


def _sign_in(client: Client, username: str, password: str = PASSWORD) -> bool:
    client.post("/accounts/login/", {"login": username, "password": password})
    return "_auth_user_id" in client.session


def test_the_right_password_signs_in(client: Client) -> None:
    assert _sign_in(client, "owner")
    assert Event.objects.get().action == "signed_in"


def test_a_wrong_password_does_not_and_is_written_down(client: Client) -> None:
    assert not _sign_in(client, "owner", "wrong")
    assert Event.objects.get().action == "sign_in_failed"


def test_fifty_wrong_passwords_are_throttled(client: Client) -> None:
    for _ in range(50):
        _sign_in(client, "owner", "wrong")

    assert not _sign_in(client, "owner")
    assert Event.objects.filter(action="sign_in_failed").count() < 10
    assert Event.objects.filter(action="sign_in_throttled").exists()


def test_wrong_passwords_of_one_do_not_lock_another_out(client: Client) -> None:
    for _ in range(50):
        client.post("/accounts/login/", {"login": "owner", "password": "x"}, REMOTE_ADDR="10.0.0.9")

    assert _sign_in(client, "teammate")


def test_wrong_passwords_from_an_address_do_not_refuse_the_others_there(client: Client) -> None:
    for number in range(30):
        _sign_in(client, f"guess{number}", "wrong")

    assert _sign_in(client, "teammate")


@pytest.mark.long
def test_guesses_of_strangers_do_not_lock_out_a_known_device(client: Client) -> None:
    _sign_in(client, "owner")
    client.post("/accounts/logout/")
    for number in range(120):
        _sign_in(Client(), "owner" if number % 2 else f"guess{number}", "wrong")

    assert not _sign_in(Client(), "owner")
    assert _sign_in(client, "owner")


def test_a_known_device_does_not_guess_without_end(client: Client) -> None:
    _sign_in(client, "owner")
    client.post("/accounts/logout/")
    for _ in range(40):
        _sign_in(client, "owner", "wrong")

    assert Event.objects.filter(action="sign_in_failed").count() == 20


def test_a_device_is_known_for_its_user_only(client: Client) -> None:
    _sign_in(client, "teammate")
    client.post("/accounts/logout/")
    for _ in range(10):
        _sign_in(client, "owner", "wrong")

    assert Event.objects.filter(action="sign_in_failed", actor_name="owner").count() == 5


def test_a_forged_device_is_none(client: Client) -> None:
    client.cookies[f"{settings.SESSION_COOKIE_NAME}_device"] = "abc:owner:forged"
    for _ in range(10):
        _sign_in(client, "owner", "wrong")

    assert Event.objects.filter(action="sign_in_failed").count() == 5


def test_a_proxy_that_nobody_told_of_is_warned_of_once(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    proxies._warn.cache_clear()
    for _ in range(3):
        _sign_in(client, "owner", "wrong")
        client.post(
            "/accounts/login/", {"login": "x", "password": "y"}, HTTP_X_FORWARDED_FOR="1.2.3.4"
        )

    assert [record.name for record in caplog.records].count("config.accounts.proxies") == 1


def test_sign_up_is_closed(client: Client) -> None:
    response = client.post(
        "/accounts/signup/",
        {"username": "outsider", "password1": PASSWORD, "password2": PASSWORD},
    )

    assert b"Sign-up is closed" in response.content
    assert not User.objects.filter(username="outsider").exists()


def test_sign_up_opens_by_a_setting(client: Client, settings: Settings) -> None:
    settings.SIGNUP = "open"
    client.post(
        "/accounts/signup/",
        {"username": "outsider", "password1": PASSWORD, "password2": PASSWORD},
    )

    assert User.objects.filter(username="outsider", is_staff=False).exists()


def test_a_user_changes_the_password(client: Client) -> None:
    _sign_in(client, "teammate")
    client.post(
        "/accounts/password/change/",
        {"oldpassword": PASSWORD, "password1": "another phrase", "password2": "another phrase"},
    )

    assert _sign_in(Client(), "teammate", "another phrase")


def test_the_owner_who_came_by_a_link_sets_a_password(client: Client) -> None:
    owner = User.objects.get(username="owner")
    owner.set_unusable_password()
    owner.save()
    client.force_login(owner)
    client.post(
        "/accounts/password/set/", {"password1": "another phrase", "password2": "another phrase"}
    )

    assert _sign_in(Client(), "owner", "another phrase")


def test_signing_out_ends_the_session(client: Client) -> None:
    _sign_in(client, "owner")
    client.post("/accounts/logout/")

    assert "_auth_user_id" not in client.session
    assert Event.objects.values_list("action", flat=True).first() == "signed_out"


def test_a_sign_in_does_not_lead_to_another_site(client: Client) -> None:
    response = client.post(
        "/accounts/login/?next=https://evil.example/",
        {"login": "owner", "password": PASSWORD, "next": "https://evil.example/"},
    )

    assert response["Location"] == "/"


def test_the_admin_asks_for_the_same_sign_in(client: Client) -> None:
    response = client.get("/admin/login/")

    assert response["Location"].startswith("/accounts/login/")


def test_the_admin_is_closed_to_users(client: Client) -> None:
    _sign_in(client, "teammate")

    assert client.get("/admin/").status_code in (302, 403)
    assert client.get("/admin/login/").status_code == 403


def test_the_audit_cannot_be_changed_by_an_admin(client: Client) -> None:
    _sign_in(client, "owner")
    entry = Event.objects.get()

    assert client.get("/admin/audit/event/").status_code == 200
    for action in ("change", "delete"):
        page = f"/admin/audit/event/{entry.pk}/{action}/"
        client.post(page, {"username": "someone else", "post": "yes"})
    assert Event.objects.filter(actor_name="owner").count() == 1


def test_forms_from_elsewhere_are_refused() -> None:
    careful = Client(enforce_csrf_checks=True)
    response = careful.post("/accounts/login/", {"login": "owner", "password": PASSWORD})

    assert response.status_code == 403
    assert b"out of date" in response.content


@pytest.mark.parametrize(("has_mail", "links"), [(False, 0), (True, 1)])
def test_a_password_is_reset_only_where_mail_is_sent(
    client: Client, settings: Settings, has_mail: bool, links: int
) -> None:
    settings.HAS_MAIL = has_mail

    page = client.get("/accounts/login/").content.decode()

    assert page.count("/accounts/password/reset/") == links
