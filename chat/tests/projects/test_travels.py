"""Projects in forks, exports, imports, and in the data of a person."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.commands import project_files, projects
from chat.commands.fork import fork
from chat.commands.projects import Details
from chat.models import Conversation, Project
from chat.own_data import archive_writer
from chat.tests.builders import AConversation, a_model, a_user
from chat.transfer import own_json
from chat.transfer.origins import roundtrip
from chat.transfer.storing import Known, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(settings: Any, tmp_path: Any) -> User:
    settings.WORKSPACES, settings.PROJECT_FOLDERS = tmp_path / "workspaces", tmp_path / "projects"
    return a_user()


@pytest.fixture
def project(owner: User) -> Project:
    return projects.create(owner, Details("数据"))


def in_project(owner: User, project: Project) -> AConversation:
    conversation = AConversation(owner, project=project)
    conversation.turn("Hello?", "Hi.", model=a_model())
    return conversation


def exported(conversation: Conversation) -> Any:
    text = "".join(own_json.export([conversation.pk]))
    return json.loads(text)["conversations"][0]


def test_a_fork_stays_in_the_project(owner: User, project: Project) -> None:
    turn = in_project(owner, project).row.turns.get()
    assert turn.trace is not None
    assert fork(owner, turn.trace, 1).conversation.project == project


def test_an_import_goes_into_the_project_of_the_name(owner: User, project: Project) -> None:
    document = exported(in_project(owner, project).row)
    assert document["project"] == "数据"
    other = a_user("other")
    for _ in range(2):
        plan = roundtrip.read({**document, "id": f"{len(Conversation.objects.all())}"})
        stored = store(other, plan, Known.to(other), lambda key: None)
        assert stored is not None and stored.project is not None
        assert (stored.project.owner, stored.project.name) == (other, "数据")
    assert Project.objects.for_user(other).count() == 1


def test_the_archive_of_a_person_has_the_files(owner: User, project: Project) -> None:
    projects.change_instructions(project, "Answer in rhymes.", 0)
    project_files.add(owner, project, "表.csv", b"a,b\n")
    written = io.BytesIO()
    archive_writer.write(owner, written, lambda done: None)
    with zipfile.ZipFile(written) as archive:
        [name] = [one for one in archive.namelist() if one.startswith("projects/")]
        assert name.endswith("/表.csv") and archive.read(name) == b"a,b\n"
        assert b"Answer in rhymes." in archive.read("tables/chat.project.owner.jsonl")
