"""The settings as processes get them, from an environment of their own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config.home import BASE_DIR

pytestmark = pytest.mark.process

HTTPS = {"ROUNDTRIP_URL": "https://chat.example"}
ASK = (
    "import json, sys, django.conf; s = django.conf.settings;"
    "print(json.dumps({name: getattr(s, name) for name in sys.argv[1:]}, default=str))"
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"ROUNDTRIP_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}


def _run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
    )


def _settings(environment: dict[str, str], *names: str) -> dict[str, Any]:
    answer = _run(environment, "-c", ASK, *names)
    assert answer.returncode == 0, answer.stderr
    return dict(json.loads(answer.stdout))


def test_the_defaults_are_for_production_on_this_machine(environment: dict[str, str]) -> None:
    values = _settings(environment, "DEBUG", "ALLOWED_HOSTS", "SECURE_SSL_REDIRECT")

    assert values == {
        "DEBUG": False,
        "ALLOWED_HOSTS": ["localhost", "127.0.0.1", "[::1]"],
        "SECURE_SSL_REDIRECT": False,
    }


def test_a_public_https_address_switches_everything_for_it_on(
    environment: dict[str, str],
) -> None:
    values = _settings(
        environment | HTTPS,
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        "SESSION_COOKIE_NAME",
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_SSL_REDIRECT",
    )

    assert values == {
        "ALLOWED_HOSTS": ["localhost", "127.0.0.1", "[::1]", "chat.example"],
        "CSRF_TRUSTED_ORIGINS": ["https://chat.example"],
        "SESSION_COOKIE_NAME": "__Host-roundtrip",
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
    }


def test_session_cookies_are_out_of_reach_of_scripts_and_other_sites(
    environment: dict[str, str],
) -> None:
    values = _settings(environment, "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE")

    assert values == {"SESSION_COOKIE_HTTPONLY": True, "SESSION_COOKIE_SAMESITE": "Lax"}


def test_instances_on_two_ports_do_not_sign_each_other_out(environment: dict[str, str]) -> None:
    first = _settings(environment | {"PORT": "8001"}, "SESSION_COOKIE_NAME")
    second = _settings(environment | {"PORT": "8002"}, "SESSION_COOKIE_NAME")

    assert first != second


def test_postgresql_gets_a_bounded_pool(environment: dict[str, str]) -> None:
    url = "postgres://someone@127.0.0.1:5432/roundtrip"
    values = _settings(environment | {"DATABASE_URL": url}, "DATABASES")["DATABASES"]["default"]

    assert values["OPTIONS"]["pool"]["max_size"] == 20
    assert values["CONN_MAX_AGE"] == 0


def test_an_address_to_listen_on_is_one_to_be_called_by(environment: dict[str, str]) -> None:
    values = _settings(
        environment | {"HOST": "192.0.2.7", "PORT": "81"}, "ALLOWED_HOSTS", "INTERNAL_URL"
    )

    assert "192.0.2.7" in values["ALLOWED_HOSTS"]
    assert values["INTERNAL_URL"] == "http://192.0.2.7:81"


def test_listening_everywhere_opens_no_name(environment: dict[str, str]) -> None:
    values = _settings(environment | {"HOST": "0.0.0.0"}, "ALLOWED_HOSTS", "INTERNAL_URL")

    assert values["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert values["INTERNAL_URL"] == "http://127.0.0.1:8000"


@pytest.mark.parametrize("module", ["openai", "mcp", "celery.worker", "anthropic"])
def test_the_web_process_is_light(environment: dict[str, str], module: str) -> None:
    look = (
        "import sys, config.asgi; from django.urls import get_resolver;"
        "get_resolver().url_patterns; sys.exit(sys.argv[1] in sys.modules)"
    )

    assert _run(environment, "-c", look, module).returncode == 0


def test_the_supervisor_is_standard_library_only(environment: dict[str, str]) -> None:
    look = (
        "import sys, runpy; sys.path[:0] = ['.'];"
        "import config.supervisor.__main__, config.bootstrap;"
        "sys.exit(bool({'django', 'celery', 'redis', 'uvicorn'} & set(sys.modules)))"
    )

    assert _run(environment, "-S", "-c", look).returncode == 0
