import os
import subprocess
from pathlib import Path

import pytest

from config import bootstrap


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("Django>=5\n")
    more = tmp_path / "requirements-dev.txt"
    more.write_text("-r requirements.txt\nruff\n")
    return more


@pytest.fixture(scope="module")
def empty_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty") / "venv"
    bootstrap.make(folder)
    return folder


@pytest.fixture
def venv(empty_venv: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty virtual environment to install into."""
    monkeypatch.setenv("VENV", str(empty_venv))
    return empty_venv


@pytest.fixture
def impossible(tmp_path: Path) -> str:
    """A requirements file whose package does not exist."""
    file = tmp_path / "requirements.txt"
    file.write_text("./none-such-package\n")
    return str(file)


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
    venv: Path, impossible: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(impossible) == 1
    assert "could not be installed" in capsys.readouterr().err
    assert not (venv / bootstrap.STAMP).exists()


def test_where_no_local_model_can_be_installed_that_is_said_and_the_rest_goes_on(
    venv: Path,
    impossible: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    nothing = Path(impossible).with_name("nothing.txt")
    nothing.touch()
    monkeypatch.setenv("LOCAL_MODEL", "1")
    monkeypatch.setattr(bootstrap, "LOCAL_MODEL", impossible)

    assert bootstrap.main(str(nothing)) == 0
    assert "A local model cannot run here" in capsys.readouterr().out
    assert not (venv / bootstrap.LOCAL_MODEL_STAMP).exists()


def test_a_model_that_is_none_is_said_before_anything_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VENV", str(tmp_path / "venv"))
    monkeypatch.setenv("LOCAL_MODEL", str(tmp_path / "none.gguf"))

    assert bootstrap.main() == 1
    assert "none.gguf" in capsys.readouterr().err
    assert not (tmp_path / "venv").exists()


def test_the_environment_has_no_setuptools(empty_venv: Path) -> None:
    assert not list(empty_venv.glob("lib/python*/site-packages/setuptools"))


def test_the_environment_has_the_command_on_this_checkout(
    venv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.write_command(venv)
    monkeypatch.chdir(tmp_path)
    printed = subprocess.run(
        [venv / "bin" / "roundtrip", "version"], capture_output=True, text=True, check=True
    ).stdout

    assert str(bootstrap.FOLDER) in printed


@pytest.fixture
def recording_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `uv` that notes its arguments and its registry in a file, which is returned."""
    notes = tmp_path / "notes"
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$UV_DEFAULT_INDEX" "$@" >> {notes}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return notes


def test_uv_installs_where_it_is_on_the_path(
    recording_uv: Path, requirements: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    bootstrap.install(tmp_path / "venv", requirements)

    noted = recording_uv.read_text()
    assert noted.startswith("https://mirror.example/simple pip install --python ")
    assert f"-r {requirements}" in noted
    assert not list((tmp_path / "venv").glob("lib/python*/site-packages/pip"))


def test_what_uv_is_told_counts_more_than_pips_configuration(
    recording_uv: Path, requirements: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://other.example/simple")
    bootstrap.install(tmp_path / "venv", requirements)

    assert recording_uv.read_text().startswith("https://other.example/simple pip install")


def test_an_install_that_uv_fails_is_a_sentence_and_not_taken_for_done(
    recording_uv: Path, requirements: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "uv").write_text("#!/bin/sh\nexit 2\n")

    with pytest.raises(bootstrap.BootstrapError, match="could not be installed"):
        bootstrap.install(tmp_path / "venv", requirements)
    assert not (tmp_path / "venv" / bootstrap.STAMP).exists()
