"""Who is shown a sign-in link when the product starts."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from chat.models import Provider
from config import prepare, readiness
from config.supervisor.__main__ import say_how_to_sign_in

pytestmark = pytest.mark.django_db

Announced = Callable[[], str]


@pytest.fixture
def announced(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Announced:
    """Runs `config.prepare`; answers the line that it writes to the supervisor's pipe."""
    settings.HOME = tmp_path
    monkeypatch.delenv(readiness.TERMINAL, raising=False)

    def announced() -> str:
        reads, writes = os.pipe()
        with os.fdopen(reads) as answer:
            monkeypatch.setenv(readiness.VARIABLE, str(writes))
            prepare.main()
            if readiness.VARIABLE in os.environ:
                os.close(writes)  # nothing was announced
            return answer.read()

    return announced


def test_a_link_is_made_on_the_first_start_and_later_for_a_terminal_only(
    announced: Announced, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "?key=" in announced()
    assert announced() == ""
    monkeypatch.setenv(readiness.TERMINAL, "1")
    assert "?key=" in announced()


def test_what_a_service_prints_says_how_to_get_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    say_how_to_sign_in("http://127.0.0.1:8000", "")
    printed = capsys.readouterr().out
    assert "manage.py sign_in_link" in printed
    assert "key=" not in printed


def test_a_database_of_another_key_is_refused_in_one_sentence(settings: Settings) -> None:
    Provider.objects.create(name="Kept", base_url="http://x.example/v1", api_key="sk-of-the-first")
    settings.ENCRYPTION_KEYS = ["another-key"]

    with pytest.raises(SystemExit) as refusal:
        prepare.main()

    (line,) = str(refusal.value.code).splitlines()
    assert "keys/encryption from the home" in line
