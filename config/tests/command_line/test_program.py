import subprocess
import sys

import pytest

from config import release
from config.command_line import main, program
from config.command_line.table import COMMANDS, GROUPS
from config.home import BASE_DIR

OURS = [name for name, row in COMMANDS.items() if row.module != "delegated"]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_line_of_the_list_is_a_command(name: str) -> None:
    assert callable(program.find(name).run)


@pytest.mark.parametrize("name", OURS)
def test_the_help_of_a_command_says_what_it_does_and_how_it_ends(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert printed.startswith(f"usage: roundtrip {name}")
    assert "examples:\n  " in printed
    assert "exit codes:" in printed or name == "version"


@pytest.mark.parametrize("name", ["mcp", "cassette", "replay", "transcode"])
def test_a_command_of_djangos_is_called_by_our_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"usage: roundtrip {name} " in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]])
def test_the_list_names_every_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert all(f"\n  {name} " in printed for rows in GROUPS.values() for name in rows)


def test_without_a_command_the_list_is_shown_as_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2
    assert "usage: roundtrip COMMAND" in capsys.readouterr().err


def test_a_command_that_does_not_exist_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sign_in_lnk"]) == 2
    assert "Did you mean sign-in-link?" in capsys.readouterr().err


def test_wrong_options_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["worker", "everything"])

    assert ended.value.code == 2
    assert "'everything'" in capsys.readouterr().err


def test_the_list_is_there_without_django() -> None:
    """Imports are what takes time: none of a package that is installed."""
    program = (
        "import sys; from config.command_line import main; main(['--help']);"
        "print({name.partition('.')[0] for name in sys.modules} & {'django', 'celery', 'redis'},"
        " file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=BASE_DIR, capture_output=True, text=True, check=True
    )
    assert ended.stderr == "set()\n"


@pytest.mark.parametrize("arguments", [["version"], ["--version"]])
def test_the_version_is_the_one_of_pyproject(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith(f"roundtrip {release.version()}\n")
    assert f'\nversion = "{release.version()}"\n' in (BASE_DIR / "pyproject.toml").read_text()
