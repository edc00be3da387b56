"""Who is shown a sign-in link when the product starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import readiness
from config.home import BASE_DIR
from config.supervisor.__main__ import say_how_to_sign_in

pytestmark = pytest.mark.process


def prepared(home: Path, **variables: str) -> str:
    """The line that `config.prepare` writes to the supervisor's pipe."""
    reads, writes = os.pipe()
    try:
        prepare(home, {readiness.VARIABLE: str(writes), **variables}, writes).check_returncode()
    finally:
        os.close(writes)
    with os.fdopen(reads) as answer:
        return answer.read()


def prepare(
    home: Path, variables: dict[str, str], *inherited: int
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"ROUNDTRIP_HOME": str(home), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.run(
        [sys.executable, "-m", "config.prepare"],
        cwd=BASE_DIR,
        env={**environment, **variables},
        pass_fds=inherited,
        capture_output=True,
        text=True,
        timeout=180,
    )


def test_a_link_is_made_on_the_first_start_and_later_for_a_terminal_only(tmp_path: Path) -> None:
    assert "?key=" in prepared(tmp_path)
    assert prepared(tmp_path) == ""
    assert "?key=" in prepared(tmp_path, **{readiness.TERMINAL: "1"})


def test_what_a_service_prints_says_how_to_get_a_link(capsys: pytest.CaptureFixture[str]) -> None:
    say_how_to_sign_in("http://127.0.0.1:8000", "")
    printed = capsys.readouterr().out
    assert "manage.py sign_in_link" in printed
    assert "key=" not in printed


def test_a_database_of_another_key_is_refused_in_one_sentence(tmp_path: Path) -> None:
    prepared(tmp_path, OPENAI_API_KEY="sk-of-the-first-home")
    (tmp_path / "keys" / "encryption").write_text("another-key\n")

    result = prepare(tmp_path, {})

    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "keys/encryption from the home" in result.stderr.splitlines()[-1]
