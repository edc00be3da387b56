"""The tools of the workspace in a turn: switched on, asked for, stopped, traced."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from chat import turn_facts, workspaces
from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.events.log import client, log_key
from chat.files import workspace_sizes
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import calls, wait_for
from tests import patience
from tests.redis_server import RedisServer
from tools.catalogue import switches
from tools.workspace.availability import available
from tracing.models import Span

pytestmark = pytest.mark.skipif(bool(available()), reason=available() or "there is a sandbox")
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
TOOLS = ["bash", "read_file", "write_file"]


@pytest.fixture
def coder(model: Model, settings: Settings, tmp_path: Path) -> LanguageModel:
    """A model whose preset offers the tools, where an admin has switched them on."""
    settings.WORKSPACES = tmp_path / "workspaces"
    for name in TOOLS:
        switches.switch(name, enabled=True)
    made = model("stub-r0-ask-n5")
    policies = [["*", "allow"]]
    made.preset = Preset.objects.create(name="Coder", tools=TOOLS, policies=policies)
    made.save()
    return made


def call(name: str, **arguments: Any) -> str:
    return f"call {name} {json.dumps(arguments)}"


def result(turn: Turn) -> str:
    told = Message.objects.get(turn=turn, role=Message.Role.TOOL)
    return str(told.body["content"])


def test_a_command_runs_in_the_workspace_of_its_conversation(
    coder: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(coder, call("bash", command="echo hi > made; pwd")))
    assert result(turn) == "/workspace"
    assert (workspaces.folder(turn.conversation.public_id) / "made").read_text() == "hi\n"


def test_what_was_written_is_there_in_the_next_turn(coder: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(coder, call("write_file", path="说明.md", content="你好")))
    following = send(coder, call("bash", command="cat 说明.md"), turn.conversation)
    assert result(answer_rings(following)) == "你好"


def test_what_was_written_is_counted_for_its_conversation(coder: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(coder, call("write_file", path="a", content="1" * 9_000)))
    workspace_sizes.count_touched()
    turn.conversation.refresh_from_db()
    assert turn.conversation.workspace_bytes == 12_288


def test_nothing_is_written_for_a_user_who_keeps_too_much(
    coder: LanguageModel, send: Send, settings: Settings
) -> None:
    turn = send(coder, call("write_file", path="a", content="1"))
    settings.USER_STORAGE_BYTES = 10
    assert "Your storage is full. You keep " in result(answer_rings(turn))
    assert not (workspaces.folder(turn.conversation.public_id) / "a").exists()


def test_without_a_word_of_a_preset_a_person_is_asked(coder: LanguageModel, send: Send) -> None:
    Preset.objects.update(policies=[])
    turn = answer_rings(send(coder, call("bash", command="true")))
    (asked,) = calls(turn)
    assert asked.status == Span.Status.AWAITING_APPROVAL


def test_switched_off_it_is_not_run(coder: LanguageModel, send: Send) -> None:
    turn = send(coder, call("bash", command="echo hi > made"))
    advance(turn.pk)
    switches.switch("bash", enabled=False)
    answer_rings(turn)
    assert not (workspaces.folder(turn.conversation.public_id) / "made").exists()


def test_the_span_says_which_limit_was_hit(
    coder: LanguageModel, send: Send, settings: Settings
) -> None:
    settings.SANDBOX_LIMITS = {"output_bytes": 1_000}
    turn = answer_rings(send(coder, call("bash", command="yes")))
    (span,) = calls(turn)
    sandbox = span.attributes["sandbox"]
    assert (span.status, sandbox["limit"]) == (Span.Status.FAILED, "output_bytes")
    assert sandbox["limits"]["output_bytes"] == 1_000
    assert result(turn).startswith("[ended: it wrote more than 1,000 bytes of output]")


def test_stop_ends_a_running_command(coder: LanguageModel, send: Send) -> None:
    turn = send(coder, call("bash", command="touch began; sleep 300; touch ended"))
    advance(turn.pk)
    (span,) = calls(turn)
    worker = threading.Thread(target=_execute, args=(span.pk,))
    worker.start()
    folder = workspaces.folder(turn.conversation.public_id)
    wait_for((folder / "began").exists)
    turn_facts.stop(turn)
    execute(span.pk)  # the ring that the worker gets
    worker.join(patience.SECONDS)
    assert not worker.is_alive()
    assert answer_rings(turn).status == Turn.Status.STOPPED
    wait_for(lambda: not _commands_in(folder))


def test_the_page_is_told_what_a_long_command_writes(
    coder: LanguageModel, send: Send, redis_server: RedisServer
) -> None:
    command = "echo first; until [ -e go ]; do sleep 0.01; done"
    turn = send(coder, call("bash", command=command))
    advance(turn.pk)
    (span,) = calls(turn)
    worker = threading.Thread(target=_execute, args=(span.pk,))
    worker.start()
    wait_for(lambda: "first" in _progress(turn))
    (workspaces.folder(turn.conversation.public_id) / "go").touch()
    worker.join(patience.SECONDS)
    assert result(answer_rings(turn)) == "first"


def _execute(call_id: int) -> None:
    try:
        execute(call_id)
    finally:
        connection.close()


def _progress(turn: Turn) -> list[str]:
    """The messages that were told of the turn's calls."""
    log: Any = client().xrange(log_key(turn.conversation.public_id))
    events = [json.loads(next(iter(fields.values()))) for _, fields in log]
    return [event["message"] for event in events if event["type"] == "progress"]


def _commands_in(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [process.parent.name] if str(folder) in process.read_text() else []
        except OSError:
            continue
    return found
