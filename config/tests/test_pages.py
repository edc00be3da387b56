import pytest
from django.conf import settings
from django.test import Client
from django.test.utils import override_settings

from tests.redis_server import RedisServer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path", ["/accounts/login/", "/accounts/link/?key=x", "/nothing", "/admin/"]
)
def test_every_page_has_a_policy_without_inline_scripts(client: Client, path: str) -> None:
    policy = client.get(path)["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_pages_tell_browsers_to_be_careful(client: Client) -> None:
    response = client.get("/accounts/login/")

    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("path", ["login/", "signup/", "link/?key=x", "inactive/"])
def test_account_pages_have_no_inline_script_or_style(client: Client, path: str) -> None:
    page = client.get(f"/accounts/{path}").content

    assert b"<style" not in page
    assert b" style=" not in page
    assert b" onclick=" not in page


@pytest.mark.parametrize("path", ["/", "/traces/", "/health", "/nothing", "/servers/"])
def test_no_cache_keeps_what_a_page_shows(admin_client: Client, path: str) -> None:
    directives = admin_client.get(path)["Cache-Control"]

    assert "private" in directives
    assert "no-store" in directives


def test_what_is_not_there_has_a_page_of_ours(client: Client) -> None:
    response = client.get("/nothing")

    assert response.status_code == 404
    assert b"Page not found" in response.content


def test_other_host_names_are_refused(client: Client) -> None:
    assert client.get("/health", HTTP_HOST="evil.example").status_code == 400


def test_health_says_what_answers(client: Client, redis_server: RedisServer) -> None:
    response = client.get("/health")

    assert response.status_code == 200
    assert response.json() == {
        "ok": True,
        "version": settings.VERSION,
        "database": True,
        "redis": True,
    }


def test_health_is_honest_about_redis(client: Client) -> None:
    response = client.get("/health")

    assert response.status_code == 200
    assert response.json() | {"version": ""} == {
        "ok": False,
        "version": "",
        "database": True,
        "redis": False,
    }


def test_health_has_no_secrets(client: Client) -> None:
    page = client.get("/health").content.decode()

    assert settings.SECRET_KEY not in page
    assert set(client.get("/health").json()) == {"ok", "version", "database", "redis"}


@override_settings(SECURE_SSL_REDIRECT=True)
def test_only_this_machines_own_calls_go_without_https(client: Client) -> None:
    assert client.get("/accounts/login/").status_code == 301
    assert client.get("/health").status_code == 200
    assert client.post("/cassettes/walkthrough/v1/chat/completions").status_code != 301
