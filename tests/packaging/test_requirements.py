from pathlib import Path

import pytest

from tests.packaging.requirements import HEAD, MAIN, ROOT, digest, problems_of, read_lists

WANTED = {MAIN: ["Django>=5.2,<5.3"]}
PIN = "django==5.2.15 \\\n    --hash=sha256:00ff\n    # via pyproject.toml\n"


def write(folder: Path, pins: str, wanted: list[str] = WANTED[MAIN]) -> None:
    (folder / MAIN).write_text(f"{HEAD}{digest(MAIN, wanted)}\n{pins}")


@pytest.mark.parametrize("file", read_lists(ROOT / "pyproject.toml"))
def test_the_files_are_those_of_pyproject(file: str) -> None:
    assert problems_of(ROOT, file, read_lists(ROOT / "pyproject.toml")) == []


def test_a_file_that_fulfils_its_list_is_good(tmp_path: Path) -> None:
    write(tmp_path, PIN)
    assert problems_of(tmp_path, MAIN, WANTED) == []


def test_a_requirement_that_is_new_in_pyproject_is_missed(tmp_path: Path) -> None:
    write(tmp_path, PIN)
    wanted = {MAIN: [*WANTED[MAIN], "boto3>=1"]}

    assert problems_of(tmp_path, MAIN, wanted) == [
        f"{MAIN} was made of other lists than pyproject.toml has.",
        f"{MAIN}: boto3>=1 is not fulfilled.",
    ]


def test_a_requirement_that_is_gone_from_pyproject_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, PIN, [*WANTED[MAIN], "boto3>=1"])
    assert problems_of(tmp_path, MAIN, WANTED) == [
        f"{MAIN} was made of other lists than pyproject.toml has."
    ]


def test_a_version_out_of_bounds_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, PIN.replace("5.2.15", "6.0"))
    assert problems_of(tmp_path, MAIN, WANTED) == [f"{MAIN}: Django>=5.2,<5.3 is not fulfilled."]


def test_a_pin_without_a_hash_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, "django==5.2.15\n")
    assert problems_of(tmp_path, MAIN, WANTED) == [f"{MAIN}: django has no hash."]


def test_no_registry_is_named(tmp_path: Path) -> None:
    write(tmp_path, "--index-url https://registry.example/simple\n" + PIN)
    assert problems_of(tmp_path, MAIN, WANTED) == [
        f"{MAIN} names an address, of a registry or of a file."
    ]


def test_what_make_run_installs_has_the_extras_of_today() -> None:
    named = " ".join(read_lists(ROOT / "pyproject.toml")[MAIN])
    assert "psycopg" in named
    assert "opentelemetry-sdk" in named


def test_nothing_of_the_product_needs_setuptools() -> None:
    # What needs it would fail: `make run` removes it.
    assert "\nsetuptools==" not in (ROOT / MAIN).read_text()
