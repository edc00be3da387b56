"""Requests and tools of a conversation in a project."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from chat.agent import own_settings
from chat.commands import project_files, projects
from chat.commands.new_message import NewMessage
from chat.commands.projects import Details
from chat.commands.send import send_message
from chat.errors import Rejected
from chat.models import (
    Conversation,
    LanguageModel,
    Message,
    PersonalSettings,
    Preset,
    Project,
    Turn,
)
from chat.tests.engine.conftest import answer_rings
from tools.catalogue import switches
from tools.workspace.availability import available
from tracing.models import Payload
from tracing.store import payloads

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]
TOOLS = ["bash", "list_files", "read_file", "write_file"]


@pytest.fixture
def project(owner: User, settings: Settings, tmp_path: Path) -> Project:
    settings.WORKSPACES, settings.PROJECT_FOLDERS = tmp_path / "workspaces", tmp_path / "projects"
    project = projects.create(owner, Details("数据"))
    projects.change_instructions(project, "Answer in rhymes.", 0)
    return project


@pytest.fixture
def talker(model: Model) -> LanguageModel:
    made = model("stub-r0-n5")
    made.preset = Preset.objects.create(name="Plain", system_prompt="You help.", tools=[])
    made.save()
    return made


@pytest.fixture
def coder(model: Model) -> LanguageModel:
    for name in TOOLS:
        switches.switch(name, enabled=True)
    made = model("stub-r0-ask-n5")
    policies = [["*", "allow"]]
    made.preset = Preset.objects.create(name="Coder", tools=TOOLS, policies=policies)
    made.save()
    return made


def within(turn: Turn, project: Project) -> Turn:
    Conversation.objects.filter(pk=turn.conversation_id).update(project=project)
    turn.refresh_from_db()
    return turn


def call(name: str, **arguments: Any) -> str:
    return f"call {name} {json.dumps(arguments)}"


def result(turn: Turn) -> str:
    return str(Message.objects.get(turn=turn, role=Message.Role.TOOL).body["content"])


def test_instructions_stand_between_those_of_the_person_and_of_the_conversation(
    talker: LanguageModel, send: Send, stub: Stub, owner: User, project: Project
) -> None:
    PersonalSettings.change(owner, instructions="Be brief.")
    turn = within(send(talker), project)
    Conversation.objects.update(instructions="Speak German.")
    answer_rings(turn)
    assert json.loads(stub.completions[-1].body)["messages"][0]["content"] == (
        "You help.\n\nCustom instructions of the user:\nBe brief.\n\n"
        "Instructions of the project “数据”, which this conversation belongs to:\n"
        "Answer in rhymes.\n\nInstructions for this conversation:\nSpeak German."
    )


def test_a_trace_tells_that_they_are_of_the_project(
    talker: LanguageModel, send: Send, project: Project
) -> None:
    turn = answer_rings(within(send(talker), project))
    row = Payload.objects.select_related("span__trace").get(
        span__trace=turn.trace, stage=Payload.Stage.INPUT
    )
    message = payloads.read_json(row)["messages"][0]
    assert message["project"].endswith("Answer in rhymes.")


def test_a_project_costs_one_statement_and_none_costs_nothing(
    talker: LanguageModel, send: Send, project: Project
) -> None:
    turn = send(talker)
    loaded = Turn.objects.select_related("conversation", "user__personal")
    with CaptureQueriesContext(connection) as without:
        own_settings.prompt_texts(loaded.get(pk=turn.pk))
    project_files.add(project.owner, project, "a.txt", b"x")
    within(turn, project)
    with CaptureQueriesContext(connection) as queries:
        own_settings.prompt_texts(loaded.get(pk=turn.pk))
    assert (len(without), len(queries)) == (1, 2)


def test_files_are_named_where_a_tool_reads_them(
    talker: LanguageModel, send: Send, project: Project
) -> None:
    project_files.add(project.owner, project, "表.csv", b"a,b\n")
    turn = within(send(talker), project)
    assert "表.csv" not in own_settings.prompt_texts(turn, ["calculate"])["project"]
    assert own_settings.prompt_texts(turn, ["read_file"])["project"].endswith(
        "in the folder project/ of the workspace, read-only: “表.csv”."
    )


@pytest.mark.skipif(bool(available()), reason="there is no sandbox")
def test_commands_see_the_files_and_cannot_change_them(
    coder: LanguageModel, send: Send, project: Project
) -> None:
    project_files.add(project.owner, project, "表.csv", b"a,b\n")
    command = "cat project/表.csv; echo no > project/表.csv; touch project/x; ls project"
    turn = answer_rings(within(send(coder, call("bash", command=command)), project))
    said = result(turn)
    assert "a,b" in said and said.count("Read-only file system") == 2
    assert said.rstrip().endswith("表.csv")


@pytest.mark.skipif(bool(available()), reason="there is no sandbox")
def test_a_file_named_project_is_moved_aside(
    coder: LanguageModel, send: Send, project: Project
) -> None:
    turn = answer_rings(send(coder, call("bash", command="echo mine > project")))
    within(turn, project)
    later = send(coder, call("bash", command="ls -d project*; cat project-*"), turn.conversation)
    assert result(answer_rings(later)).endswith("mine")


def test_a_write_is_refused_with_a_sentence(
    coder: LanguageModel, send: Send, project: Project
) -> None:
    asked = call("write_file", path="project/a.txt", content="x")
    said = result(answer_rings(within(send(coder, asked), project)))
    assert "project/ is read-only" in said and "Write a copy elsewhere" in said


def test_a_new_conversation_is_in_its_project_with_its_assistant(
    talker: LanguageModel, owner: User, project: Project
) -> None:
    rhymer = Preset.objects.create(name="Rhymer", owner=owner)
    projects.change_details(project, Details(project.name, preset=rhymer))
    turn = send_message(owner, NewMessage("k", "Hello?", project_id=project.public_id))
    assert (turn.conversation.project, turn.conversation.preset) == (project, rhymer)


def test_a_temporary_conversation_cannot_be_in_a_project(
    talker: LanguageModel, owner: User, project: Project
) -> None:
    message = NewMessage("k", "Hello?", project_id=project.public_id, temporary=True)
    with pytest.raises(Rejected, match="temporary"):
        send_message(owner, message)


def test_a_project_of_others_is_refused(
    talker: LanguageModel, owner: User, project: Project
) -> None:
    other = User.objects.create_user("other")
    with pytest.raises(Rejected, match="no longer exists"):
        send_message(other, NewMessage("k", "Hello?", project_id=project.public_id))
