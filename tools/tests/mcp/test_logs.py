"""What sessions write to stderr can be read while they live, by another process."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from tests.signing_in import signed_in
from tools import loop
from tools.mcp import logs
from tools.models import Server
from tools.tests.calling import Caller, odd
from tools.tests.mcp.test_stdio_servers import wait_until

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "PAUSE_S", 0.01)


def texts() -> list[str]:
    return [log.text for log in logs.of_server("odd")]


def test_the_log_of_a_live_session_can_be_read(caller: Caller) -> None:
    caller.call(odd(), "garbage")
    wait_until(lambda: texts() == ["hello from print()\n{ not json\n\n[1, 2]\n"])


def test_the_last_words_of_a_session_are_in_it(caller: Caller) -> None:
    caller.call(odd(), "die")
    wait_until(lambda: texts() == ["about to die\n"])


def test_a_session_that_could_not_be_opened_has_one_too(caller: Caller) -> None:
    caller.call(odd("--broken"), "echo")
    wait_until(lambda: texts() == ["no license found\n"])


def test_known_secrets_are_not_in_it(caller: Caller) -> None:
    caller.call(odd(env=(("TOKEN", "canary-123"), ("MODE", "x"))), "leak")
    wait_until(lambda: texts() == ["[secret] x\n"])


def test_a_session_that_writes_nothing_has_no_file(caller: Caller) -> None:
    caller.call(odd(), "echo")
    loop.close()
    assert texts() == []


def test_the_newest_comes_first_and_old_ones_go(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_LOG_FILES", 2)
    for _ in range(3):
        caller.call(odd(), "die")
    wait_until(lambda: len(texts()) == 2)
    newest, older = logs.of_server("odd")
    assert newest.started > older.started


def test_nobody_else_on_the_machine_may_read_it(caller: Caller, settings: Settings) -> None:
    caller.call(odd(), "garbage")
    wait_until(lambda: bool(texts()))
    (file,) = (settings.HOME / "stderr" / "odd").glob("[0-9]*")
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


def test_what_is_old_is_swept_away(settings: Settings, tmp_path: Path) -> None:
    settings.HOME = tmp_path
    folder = tmp_path / "stderr" / "gone"
    folder.mkdir(parents=True)
    (folder / "1-a").write_text("old")
    os.utime(folder / "1-a", (1, 1))
    logs.sweep()
    assert not folder.exists()


def test_the_logs_of_many_starts_have_one_heading(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    settings.HOME = tmp_path
    server = Server.objects.create(name="odd", command="true")
    folder = tmp_path / "stderr" / "odd"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"170000000000{number}-a").write_text(f"start {number}")
    client = signed_in(User.objects.create_user("admin", is_staff=True, is_superuser=True))
    page = client.get(server.get_absolute_url()).content.decode()
    assert page.count("Stderr of its programs") == 1
    assert "3 starts" in page
    assert all(f"start {number}" in page for number in range(3))


def test_who_may_change_a_server_reads_them_on_its_page(
    db: None, settings: Settings, tmp_path: Path
) -> None:
    settings.HOME = tmp_path
    server = Server.objects.create(name="odd", command="true")
    folder = tmp_path / "stderr" / "odd"
    folder.mkdir(parents=True)
    (folder / "1700000000000-a").write_text("the disk is <full>\n")
    for user, expected in (("admin", True), ("user", False)):
        client = signed_in(User.objects.create_user(user, is_superuser=user == "admin"))
        page = client.get(server.get_absolute_url()).content.decode()
        assert ("the disk is &lt;full&gt;" in page) is expected
