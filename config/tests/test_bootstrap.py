from pathlib import Path

import pytest

from config import bootstrap


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("Django>=5\n")
    more = tmp_path / "requirements-dev.txt"
    more.write_text("-r requirements.txt\nruff\n")
    return more


def test_a_change_in_an_included_file_is_noticed(requirements: Path) -> None:
    before = bootstrap.fingerprint(requirements)
    requirements.with_name("requirements.txt").write_text("Django>=6\n")

    assert bootstrap.fingerprint(requirements) != before


def test_another_python_is_noticed(requirements: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bootstrap.fingerprint(requirements)
    monkeypatch.setattr("sys.version", "3.99")

    assert bootstrap.fingerprint(requirements) != before


def test_what_was_installed_is_not_installed_again(requirements: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").touch()
    (venv / bootstrap.STAMP).write_text(bootstrap.fingerprint(requirements))

    bootstrap.install(venv, requirements)
    assert (venv / "bin" / "python").read_bytes() == b""


def test_an_old_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.version_info", (3, 10, 0))

    assert bootstrap.main() == 1
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


def test_a_package_that_is_not_there_is_a_sentence_and_not_taken_for_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = tmp_path / "requirements.txt"
    wanted.write_text("./none-such-package\n")
    monkeypatch.setenv("VENV", str(tmp_path / "venv"))

    assert bootstrap.main(str(wanted)) == 1
    assert "could not be installed" in capsys.readouterr().err
    assert not (tmp_path / "venv" / bootstrap.STAMP).exists()
