"""`manage.py replay` and `manage.py cassette`, as they are typed."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from chat.models import LanguageModel, Message, Turn
from chat.tests.cassettes.builders import (
    HELLO,
    document,
    generation,
    response,
    stream,
    written,
)
from host.processes import parent_death_signal

pytestmark = [pytest.mark.process, pytest.mark.long]

HI = stream("Hi")


@pytest.fixture
def turn(stub_model: Callable[..., LanguageModel], ask: Callable[..., Turn]) -> Turn:
    return ask(stub_model("stub-t1-k1-n20"), "hello")


def replay(recorded: Any, *options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        call_command("replay", str(recorded), *options)
    return int(str(ended.value.code))


def test_a_trace_that_replays_equal_exits_with_0(turn: Turn, capfd: Any) -> None:
    assert turn.trace is not None
    messages = Message.objects.count()
    assert replay(turn.trace.public_id) == 0
    assert "2 requests equal." in capfd.readouterr().out
    assert Message.objects.count() == messages


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the test's database is a file's")
def test_a_trace_of_another_database_is_read_there(turn: Turn, capfd: Any) -> None:
    assert turn.trace is not None
    file = connection.settings_dict["NAME"]
    assert replay(turn.trace.public_id, "--database", f"sqlite:///{file}") == 0
    assert capfd.readouterr().out == "2 requests equal.\n"


def test_a_file_that_differs_exits_with_1_and_says_where(
    turn: Turn, tmp_path: Path, capfd: Any
) -> None:
    assert turn.trace is not None
    file = tmp_path / "turn.cassette.json"
    call_command("cassette", "export", str(turn.trace.public_id), "--output", str(file))
    recorded = json.loads(file.read_text())
    request = recorded["turns"][0]["rounds"][1]["generations"][0]["request"]
    request["body"] = request["body"].replace('"hello"', '"good morning"')
    file.write_text(json.dumps(recorded))
    assert replay(file) == 1
    said = capfd.readouterr().out
    assert "request 2 of 2 (round 2, attempt 1) differs at messages[0].content:" in said
    assert "  -good morning\n  +hello" in said
    assert "1 request equal." in said


def test_what_cannot_be_replayed_is_said(tmp_path: Path, transactional_db: None) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{}")
    with pytest.raises(CommandError, match="This is no cassette"):
        call_command("replay", str(file))
    with pytest.raises(CommandError, match=r"nothing.json cannot be read"):
        call_command("replay", str(tmp_path / "nothing.json"))
    with pytest.raises(CommandError, match="There is no trace"):
        call_command("replay", "00000000-0000-0000-0000-000000000000")
    file.write_bytes(written(document([generation(HELLO, response(HI))])))
    assert replay(file) == 2


def test_no_other_database_is_ever_used(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Use `manage"):
        call_command("replay_here", str(tmp_path))


def test_a_cassette_is_served_without_a_database(tmp_path: Path) -> None:
    file = tmp_path / "hi.cassette.json"
    file.write_bytes(written(document([generation(HELLO, response(HI))])))
    command = [sys.executable, "manage.py", "cassette", "serve", str(file), "--port", "0"]
    nowhere = {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "ROUNDTRIP_HOME": str(tmp_path),
    }
    with subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env=nowhere,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=parent_death_signal(),
    ) as served:
        assert served.stdout is not None
        told = served.stdout.readline()
        try:
            url = next(word for word in told.split() if word.startswith("http"))
            body = {"messages": HELLO, "stream": True}
            answer = httpx2.post(f"{url}/chat/completions", json=body, timeout=5)
        finally:
            served.terminate()
    assert told.startswith("1 recorded answers at http://127.0.0.1:")
    assert answer.content == HI.encode()
