from pathlib import Path

import pytest

from config import bootstrap

pytestmark = pytest.mark.process


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
