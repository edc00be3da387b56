"""The page of settings: what it keeps, for whom, and what it costs."""

from datetime import timedelta

import pytest
from django.conf import LazySettings, settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Fact, PersonalSettings, Preset
from chat.personal import sessions
from chat.session_use import SINCE
from chat.tests.builders import a_model, a_user
from tracing.models import Metric

pytestmark = pytest.mark.django_db

PAGE = "/settings/"


@pytest.fixture
def user(client: Client) -> User:
    user = a_user()
    client.force_login(user)
    return user


def stored(user: User) -> PersonalSettings:
    return PersonalSettings.objects.get(user=user)


def test_the_version_is_under_about(client: Client, user: User) -> None:
    page = client.get(PAGE).content.decode()
    assert f"Roundtrip {settings.VERSION}" in page.partition('id="about"')[2]


def test_nothing_is_stored_until_something_changes(client: Client, user: User) -> None:
    assert client.get(PAGE).status_code == 200
    assert not PersonalSettings.objects.exists()


def test_a_section_keeps_its_own_columns(client: Client, user: User) -> None:
    PersonalSettings.change(user, theme="dark")
    body = {"general-sending_key": "ctrl_enter", "general-time_zone": "Asia/Shanghai"}
    response = client.post("/settings/keep/general", body)
    assert response.headers["Location"] == "/settings/#general"
    row = stored(user)
    assert (row.sending_key, row.time_zone, row.theme) == ("ctrl_enter", "Asia/Shanghai", "dark")


def test_a_refused_form_says_why_and_keeps_what_was_written(client: Client, user: User) -> None:
    body = {"chats-instructions": "x" * 4_001}
    response = client.post("/settings/keep/chats", body)
    assert response.status_code == 422
    assert "at most 4000 characters" in response.content.decode()
    assert not PersonalSettings.objects.exists()


def test_an_unknown_zone_or_section_is_refused(client: Client, user: User) -> None:
    body = {"general-sending_key": "enter", "general-time_zone": "Moon/Base"}
    assert client.post("/settings/keep/general", body).status_code == 422
    assert client.post("/settings/keep/nothing", body).status_code == 404


def test_an_assistant_of_somebody_else_cannot_be_chosen(client: Client, user: User) -> None:
    other = Preset.objects.create(name="Theirs", owner=a_user("other"))
    assert client.post("/settings/keep/chats", {"chats-preset": other.pk}).status_code == 422


def test_new_conversations_begin_with_the_default_assistant(client: Client, user: User) -> None:
    a_model()
    mine = Preset.objects.create(name="Mine", owner=user)
    PersonalSettings.change(user, preset=mine)
    option = f'<option value="{mine.public_id}" selected'
    assert option in client.get("/").content.decode()


def test_the_theme_of_the_account_is_in_the_first_bytes(client: Client, user: User) -> None:
    assert client.post("/settings/theme", {"theme": "dark"}).status_code == 204
    head = client.get(PAGE).content[:300].decode()
    assert 'data-theme="dark"' in head and "data-account-theme" in head
    assert client.post("/settings/theme", {"theme": "pink"}).status_code == 400


def test_signed_out_the_browser_s_theme_counts(client: Client) -> None:
    assert "data-account-theme" not in client.get("/accounts/login/").content.decode()


def test_settings_cost_a_page_no_statement(client: Client, user: User) -> None:
    with CaptureQueriesContext(connection) as without:
        client.get("/assistants/")
    PersonalSettings.change(user, theme="dark", density="compact")
    with CaptureQueriesContext(connection) as with_settings:
        client.get("/assistants/")
    assert len(with_settings) == len(without)


def test_a_person_edits_and_erases_facts(client: Client, user: User) -> None:
    client.post("/settings/memory", {"enabled": "on"})
    client.post("/settings/facts", {"text": "Likes tea."})
    fact = Fact.objects.get()
    client.post(f"/settings/facts/{fact.public_id}", {"text": "Likes coffee."})
    assert "Likes coffee." in client.get(PAGE).content.decode()
    client.post(f"/settings/facts/{fact.public_id}/erase")
    assert not Fact.objects.exists()


def test_other_browsers_are_listed_and_signed_out(client: Client, user: User) -> None:
    other = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
    other.force_login(user)
    page = client.get(PAGE).content.decode()
    assert page.count("/settings/sessions") == 2
    client.post("/settings/sessions")
    assert other.get(PAGE).status_code == 302
    assert client.get(PAGE).status_code == 200


def test_browsers_beyond_those_of_the_list_are_signed_out_too(
    client: Client, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_READ_SESSIONS", 1)
    others = [Client() for _ in range(3)]
    for other in others:
        other.force_login(user)
    client.post("/settings/sessions")
    assert [other.get(PAGE).status_code for other in others] == [302] * 3


def test_a_session_that_is_older_than_the_settings_goes_on(client: Client, user: User) -> None:
    client.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    assert client.get(PAGE).status_code == 200


def test_a_browser_says_when_it_was_last_used(client: Client, user: User) -> None:
    began = timezone.now() - timedelta(days=2)
    session = client.session
    session[SINCE] = began.isoformat()
    session.save()
    ends = Session.objects.get().expire_date
    client.get("/")
    (one,) = sessions.of(user, session.session_key)
    assert one.since == began
    assert one.used is not None and timezone.now() - one.used < timedelta(minutes=1)
    assert Session.objects.get().expire_date == ends
    with CaptureQueriesContext(connection) as again:
        client.get("/")
    assert not any("UPDATE" in query["sql"] for query in again)
    assert client.get(PAGE).content.decode().count("Last used") == 1


def used(user: User, kind: str, ago: timedelta, **fields: object) -> None:
    """Counters as they are written when traces end."""
    hour = (timezone.now() - ago).replace(minute=0, second=0, microsecond=0)
    for period, begin in (("hour", hour), ("day", hour.replace(hour=0))):
        Metric.objects.create(period=period, hour=begin, kind=kind, **fields)


def test_usage_is_that_of_the_day_and_the_month_by_model(
    client: Client, user: User, settings: LazySettings
) -> None:
    settings.TIME_ZONE = "UTC"
    key = str(user.pk)
    figures = {"tokens_in": 1_200, "tokens_out": 34, "cost": "0.25"}
    used(user, "user", timedelta(), name=key, count=3, **figures)
    used(user, "user_model", timedelta(), group=key, name="qwen-max", **figures)
    used(user, "user_model", timedelta(), group="0", name="not-mine", **figures)
    used(user, "user", timedelta(days=40), name=key, count=9, **figures)
    page = client.get(PAGE).content.decode()
    assert page.count("1,200") == 3
    assert "qwen-max" in page and "not-mine" not in page
    assert page.count("$0.25") == 3


def test_without_usage_the_page_says_so(client: Client, user: User) -> None:
    assert "Nothing was used this month." in client.get(PAGE).content.decode()
