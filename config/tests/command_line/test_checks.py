import pytest
from django.conf import LazySettings
from django.db import connection

from config.command_line import checks
from tests.redis_server import RedisServer


@pytest.mark.django_db
def test_a_database_that_is_up_to_date_is_good() -> None:
    assert checks.check_database() == (True, f"{connection.display_name} answers")
    assert checks.check_migrations() == (True, "all are applied")


@pytest.mark.django_db
def test_a_migration_that_is_missing_is_counted() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'audit' AND name LIKE '0001%'")
    assert checks.check_migrations() == (False, "1 missing: roundtrip migrate")


@pytest.mark.django_db
def test_the_keys_of_this_database_are_good() -> None:
    assert checks.check_keys().is_good


def test_a_redis_that_answers_is_good(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_server.url)
    assert checks.check_redis() == (True, "answers")


def test_a_redis_that_is_not_there_is_said(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setenv("REDIS_URL", settings.REDIS_URL)
    found = checks.check_redis()

    assert not found.is_good
    assert found.sentence.startswith("does not answer: ")


def test_a_disk_with_less_than_is_needed_is_said(settings: LazySettings) -> None:
    assert checks.check_disk().is_good
    settings.SANDBOX_LIMITS = {"disk_free_bytes": 2**60}
    assert not checks.check_disk().is_good


@pytest.mark.django_db
def test_one_bad_line_is_exit_code_1(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setenv("REDIS_URL", settings.REDIS_URL)

    assert checks.COMMANDS["check"].main("check", []) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line[:16].split() for line in lines if line.startswith("FAIL")] == [["FAIL", "Redis"]]
    assert len(lines) == 6
