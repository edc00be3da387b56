"""Who is shown a sign-in link when the product starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import readiness
from config.home import BASE_DIR
from config.supervisor.__main__ import say_how_to_sign_in


def prepared(home: Path, **variables: str) -> str:
    """The line that `config.prepare` writes to the supervisor's pipe."""
    reads, writes = os.pipe()
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment = {
        "ROUNDTRIP_HOME": str(home),
        readiness.VARIABLE: str(writes),
        **variables,
    }
    command = [sys.executable, "-m", "config.prepare"]
    try:
        subprocess.run(
            command,
            cwd=BASE_DIR,
            env={**inherited, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
            pass_fds=[writes],
            check=True,
            timeout=60,
        )
    finally:
        os.close(writes)
    with os.fdopen(reads) as answer:
        return answer.read()


def test_a_link_is_made_on_the_first_start_and_later_for_a_terminal_only(tmp_path: Path) -> None:
    assert "?key=" in prepared(tmp_path)
    assert prepared(tmp_path) == ""
    assert "?key=" in prepared(tmp_path, **{readiness.TERMINAL: "1"})


def test_what_a_service_prints_says_how_to_get_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    say_how_to_sign_in("http://127.0.0.1:8000", "")
    printed = capsys.readouterr().out
    assert "manage.py sign_in_link" in printed
    assert "key=" not in printed
