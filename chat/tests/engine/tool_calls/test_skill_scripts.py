"""Files and scripts of skills: read and run by the tools of the workspace once they are loaded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chat import workspaces
from chat.agent import skill_folders
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from tools.catalogue import switches
from tools.workspace.availability import available

pytestmark = pytest.mark.skipif(bool(available()), reason=available() or "there is a sandbox")

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
TOOLS = ["load_skill", "bash", "read_file", "write_file", "list_files"]
LINES = "Hello, world!\nThis file was written as the skill hello-world says.\n"
CHECK = "sh /skills/hello-world/scripts/check.sh hello.txt"


@pytest.fixture
def coder(model: Model, settings: Any, tmp_path: Path) -> LanguageModel:
    """A model whose preset offers the tools, where an admin has switched them on."""
    settings.WORKSPACES, settings.HOME = tmp_path / "workspaces", tmp_path / "home"
    settings.SKILLS_DIR = ""
    skill_folders.refresh()
    for name in TOOLS[1:]:
        switches.switch(name, enabled=True)
    made = model("stub-r0-ask-n5")
    policies = [["*", "allow"]]
    made.preset = Preset.objects.create(name="Coder", tools=TOOLS, policies=policies)
    made.save()
    return made


def call(tool: str, **arguments: Any) -> str:
    return f"call {tool} {json.dumps(arguments)}"


LOAD = call("load_skill", name="hello-world")


def results(turn: Turn) -> list[str]:
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in told]


def run(coder: LanguageModel, send: Send, *rounds: str) -> list[str]:
    return results(answer_rings(send(coder, "\nthen\n".join(rounds))))


def test_the_example_does_what_its_instructions_say(coder: LanguageModel, send: Send) -> None:
    write = call("write_file", path="hello.txt", content=LINES)
    turn = answer_rings(send(coder, "\nthen\n".join([LOAD, write, call("bash", command=CHECK)])))
    assert all(line in results(turn)[0] for line in LINES.splitlines())
    assert results(turn)[-1] == "hello.txt has the two lines."
    assert (workspaces.folder(turn.conversation.public_id) / "hello.txt").read_text() == LINES


def test_its_script_says_what_is_wrong(coder: LanguageModel, send: Send) -> None:
    wrong = call("write_file", path="hello.txt", content="Hello")
    assert "exit code 1" in run(coder, send, LOAD, wrong, call("bash", command=CHECK))[-1]


def test_files_of_a_loaded_skill_are_listed_and_read(coder: LanguageModel, send: Send) -> None:
    listed = call("list_files", path="/skills/hello-world")
    read = call("read_file", path="/skills/hello-world/scripts/check.sh", limit=1)
    found = run(coder, send, LOAD, f"{listed}\n{read}")
    assert "scripts/check.sh" in found[1]
    assert "#!/bin/sh" in found[2]


def test_nothing_is_seen_of_a_skill_that_was_not_loaded(coder: LanguageModel, send: Send) -> None:
    read = call("read_file", path="/skills/hello-world/SKILL.md")
    found = run(coder, send, f"{read}\n{call('bash', command='ls /skills')}")
    assert "is outside of the workspace" in found[0]
    assert "No such file or directory" in found[1]


def test_a_loaded_skill_is_there_in_the_next_turn(coder: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(coder, LOAD))
    following = send(coder, call("bash", command="ls /skills"), turn.conversation)
    assert results(answer_rings(following)) == ["hello-world"]


def test_no_path_leads_out_of_a_skill(coder: LanguageModel, send: Send) -> None:
    outside = "/skills/hello-world/../../skills.py"
    found = run(coder, send, LOAD, call("read_file", path=outside))
    assert found[1].startswith("Error")


def test_a_link_in_a_skill_leads_nowhere(
    coder: LanguageModel, send: Send, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("the secret")
    folder = tmp_path / "own" / "linked"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: linked\ndescription: d\n---\n")
    (folder / "link").symlink_to(tmp_path / "secret")
    settings.SKILLS_DIR = str(tmp_path / "own")
    skill_folders.refresh()
    load = call("load_skill", name="linked")
    read = call("read_file", path="/skills/linked/link")
    found = run(coder, send, load, f"{read}\n{call('bash', command='cat /skills/linked/link')}")
    assert not any("the secret" in one for one in found)


def test_nothing_is_written_into_a_skill(coder: LanguageModel, send: Send) -> None:
    by_shell = call("bash", command="echo x > /skills/hello-world/new")
    by_tool = call("write_file", path="/skills/hello-world/new", content="x")
    found = run(coder, send, LOAD, f"{by_shell}\n{by_tool}")
    assert "Read-only file system" in found[1]
    assert found[2].startswith("Error")
    assert not (skill_folders.bundled() / "hello-world" / "new").exists()
