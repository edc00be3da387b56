"""Where keys come from, and what a process without them says."""

import subprocess
import sys
from pathlib import Path

import pytest

from config import keys
from config.home import BASE_DIR

ELSEWHERE = "postgres://nobody@127.0.0.1:1/nothing"
LONG = "k" * 40


@pytest.fixture(autouse=True)
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDTRIP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_key_of_the_environment_is_used_and_none_is_made(
    fresh_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTRIP_SECRET_KEY", LONG)

    assert keys.read(keys.SIGNING, is_made=True) == LONG
    assert not (fresh_home / "keys").exists()


def test_a_key_is_read_from_a_mounted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted = tmp_path / "secret"
    mounted.write_text(f"{LONG}\n")
    monkeypatch.setenv("ROUNDTRIP_ENCRYPTION_KEY_FILE", str(mounted))

    assert keys.read(keys.ENCRYPTION, is_made=False) == LONG


def test_a_key_of_the_home_is_used_where_none_is_made() -> None:
    made = keys.read(keys.SIGNING, is_made=True)

    assert keys.read(keys.SIGNING, is_made=False) == made


def test_a_missing_key_is_named() -> None:
    with pytest.raises(keys.UnusableKey, match="ROUNDTRIP_ENCRYPTION_KEY is missing"):
        keys.read(keys.ENCRYPTION, is_made=False)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "cannot be read"), ("\n", "is empty"), (b"\xff", "cannot be")],
)
def test_a_file_without_a_key_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes | None, reason: str
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setenv("REDIS_URL_FILE", str(file))
    monkeypatch.delenv("REDIS_URL", raising=False)

    with pytest.raises(keys.UnusableKey, match=rf"{file}, which {reason}"):
        keys.text("REDIS_URL")


def test_a_value_and_a_file_are_not_both_taken() -> None:
    with pytest.raises(keys.UnusableKey, match="both set"):
        keys.text("NAME", {"NAME": "value", "NAME_FILE": "/run/secrets/name"})


def test_a_guessable_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTRIP_SECRET_KEY", "secret")

    with pytest.raises(keys.UnusableKey, match="at least 32 characters"):
        keys.read(keys.SIGNING, is_made=True)


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "config.web"],
        ["-m", "config.work", "turns", "4"],
        ["-m", "celery", "-A", "config", "worker", "-Q", "tools"],
        ["manage.py", "sign_in_link"],
    ],
    ids=["web", "worker", "celery", "command"],
)
def test_no_process_of_a_shared_database_makes_a_key_of_its_own(
    fresh_home: Path, arguments: list[str]
) -> None:
    environment = {"ROUNDTRIP_HOME": str(fresh_home), "DATABASE_URL": ELSEWHERE}
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=BASE_DIR,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ended.returncode != 0
    assert ended.stderr.strip().splitlines()[-1].startswith("The key ROUNDTRIP_SECRET_KEY is miss")
    assert "Traceback" not in ended.stderr
    assert not (fresh_home / "keys").exists()
