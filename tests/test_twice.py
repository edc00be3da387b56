"""What failed beside other tests runs once more, alone (`tests.twice`)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twice import MAX_UNSTABLE

ROOT = Path(__file__).resolve().parent.parent
UNSTABLE = """
from pathlib import Path

def test_it():
    tried = Path("tried")
    seen = tried.exists()
    tried.touch()
    assert seen
"""
BROKEN = "def test_it{}(): assert False\n"


def run(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_some.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "tests.twice", "test_some.py"]
    # Not the options of the run that this test is a part of.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


def test_what_passes_alone_is_named_as_unstable(tmp_path: Path) -> None:
    done = run(tmp_path, UNSTABLE)
    assert done.returncode == 0
    assert "UNSTABLE" in done.stdout


@pytest.mark.parametrize("number", [1, MAX_UNSTABLE + 1])
def test_what_fails_alone_too_has_failed(tmp_path: Path, number: int) -> None:
    done = run(tmp_path, "".join(map(BROKEN.format, range(number))))
    assert done.returncode == 1
    assert "UNSTABLE" not in done.stdout


def test_more_failures_than_that_are_not_run_again(tmp_path: Path) -> None:
    done = run(tmp_path, "".join(map(BROKEN.format, range(MAX_UNSTABLE + 1))))
    assert "Run again" not in done.stdout


def test_a_run_that_passes_is_run_once(tmp_path: Path) -> None:
    done = run(tmp_path, "def test_it(): pass\n")
    assert (done.returncode, "again" in done.stdout) == (0, False)
