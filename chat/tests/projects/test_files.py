"""The files of projects: kept as attachments are, seen below `project/`, never written there."""

import os
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from chat import project_folders
from chat.commands import project_files, projects
from chat.commands.project_files import NameTaken
from chat.commands.projects import Details
from chat.errors import Rejected
from chat.models import Project, ProjectFile
from chat.tests.builders import AConversation, a_user
from limits.projects import MAX_PROJECT_FILES
from tools.errors import ToolError
from tools.values.call import CallContext
from tools.values.folders import Folder
from tools.workspace.files import edit_file, list_files, read_file, write_file

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folders(settings: Any, tmp_path: Any) -> None:
    settings.PROJECT_FOLDERS, settings.WORKSPACES = tmp_path / "projects", tmp_path / "workspaces"


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def project(owner: User) -> Project:
    return projects.create(owner, Details("数据"))


@pytest.fixture
def client(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def context(tmp_path: Any, project: Project) -> CallContext:
    """Of a call in a conversation of the project."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return CallContext(workspace=workspace, folders=[_lent(project)])


def _lent(project: Project) -> Folder:
    lent = project_folders.lent(project.pk)
    assert lent is not None
    return lent


def _add(project: Project, name: str, text: str, taken: Any = "") -> ProjectFile:
    return project_files.add(project.owner, project, name, text.encode(), taken).file


def test_tools_list_and_read_the_files(project: Project, context: CallContext) -> None:
    _add(project, "表 1.csv", "a,b\n1,2\n")
    context = CallContext(workspace=context.workspace, folders=[_lent(project)])
    (context.workspace / "own.txt").write_text("mine")
    assert list_files(context).split("\n") == ["own.txt (4 bytes)", "project/表 1.csv (8 bytes)"]
    assert "a,b" in read_file("project/表 1.csv", context)
    assert "a,b" in read_file("/workspace/project/表 1.csv", context)
    assert "a,b" in read_file("./x/../project/表 1.csv", _with_folder(context, "x"))


def _with_folder(context: CallContext, name: str) -> CallContext:
    (context.workspace / name).mkdir()
    return context


def test_a_link_of_the_workspace_leads_to_the_files(project: Project, context: CallContext) -> None:
    _add(project, "a.txt", "hello")
    context = CallContext(workspace=context.workspace, folders=[_lent(project)])
    (context.workspace / "link").symlink_to("project/a.txt")
    assert "hello" in read_file("link", context)
    (context.workspace / "up").symlink_to("/workspace/project/../project/a.txt")
    assert "hello" in read_file("up", context)


@pytest.mark.parametrize(
    "path", ["project/new.txt", "project", "./project/a/b", "/workspace/project/a.txt", "link/x"]
)
def test_a_write_below_project_is_refused_with_a_sentence(context: CallContext, path: str) -> None:
    (context.workspace / "link").symlink_to("project")
    with pytest.raises(ToolError, match="read-only"):
        write_file(path, "text", context)
    assert not (context.workspace / "project").exists()


def test_an_edit_below_project_is_refused(project: Project, context: CallContext) -> None:
    _add(project, "a.txt", "hello")
    context = CallContext(workspace=context.workspace, folders=[_lent(project)])
    with pytest.raises(ToolError, match="read-only"):
        edit_file("project/a.txt", "hello", "bye", context)
    assert "hello" in read_file("project/a.txt", context)


def test_a_changed_file_is_seen_by_the_next_call(project: Project, context: CallContext) -> None:
    _add(project, "a.txt", "old")
    running = CallContext(workspace=context.workspace, folders=[_lent(project)])
    _add(project, "a.txt", "new", "replace")
    later = CallContext(workspace=context.workspace, folders=[_lent(project)])
    assert "new" in read_file("project/a.txt", later)
    assert "old" in read_file("project/a.txt", running)


def test_only_two_states_of_the_files_are_kept(project: Project) -> None:
    for number in range(5):
        _add(project, "a.txt", f"text {number}", "replace")
        project_folders.lent(project.pk)
    kept = sorted(one.name for one in project_folders.folder_of(project.public_id).iterdir())
    assert kept == ["4", "5"]


def test_what_a_killed_process_was_writing_is_removed(project: Project) -> None:
    _add(project, "a.txt", "text")
    folder = project_folders.folder_of(project.public_id)
    for name in (".writing-old", ".writing-new"):
        (folder / name).mkdir(parents=True)
    os.utime(folder / ".writing-old", (0, 0))
    project_folders.lent(project.pk)
    assert sorted(one.name for one in folder.iterdir()) == [".writing-new", "1"]


def test_the_folder_of_a_project_without_changes_takes_one_statement(
    project: Project, django_assert_num_queries: Any
) -> None:
    _add(project, "a.txt", "text")
    project_folders.lent(project.pk)
    with django_assert_num_queries(1):
        project_folders.lent(project.pk)


@pytest.mark.django_db(transaction=True)
def test_the_folder_goes_with_the_project(project: Project) -> None:
    _add(project, "a.txt", "text")
    folder = _lent(project).path
    projects.delete(project, with_conversations=False)
    assert not folder.exists()
    assert project_folders.lent(project.pk) is None


def test_a_taken_name_is_asked_about(project: Project) -> None:
    _add(project, "a.txt", "one")
    with pytest.raises(NameTaken) as raised:
        _add(project, "a.txt", "two")
    assert raised.value.free == "a (2).txt"
    assert _add(project, "a.txt", "two", "both").name == "a (2).txt"
    assert _add(project, "a.txt", "three", "replace").revision == 1


def test_names_lose_their_folders_and_what_a_file_system_cannot_take(project: Project) -> None:
    assert _add(project, "../../数据.txt", "x").name == "数据.txt"
    assert len(_add(project, "长" * 300 + ".txt", "x").name.encode()) <= 251


def test_the_number_of_files_is_limited(project: Project) -> None:
    ProjectFile.objects.bulk_create(
        ProjectFile(project=project, name=f"{n}", media_type="text/plain", size=1, content=b"x")
        for n in range(MAX_PROJECT_FILES)
    )
    with pytest.raises(Rejected, match="200 files, which is the limit"):
        _add(project, "one more", "x")


def test_their_size_together_is_limited(project: Project) -> None:
    big = {"media_type": "text/plain", "size": 50_000_000, "content": b"x"}
    ProjectFile.objects.create(project=project, name="big", **big)
    with pytest.raises(Rejected, match="together; the limit is"):
        _add(project, "one more", "x")


def test_a_huge_and_a_binary_file_are_refused_clearly(client: Client, project: Project) -> None:
    address = f"{project.get_absolute_url()}files/upload"
    for name, content, why in (
        ("huge.txt", b"x" * 21_000_000, "the limit is"),
        ("program", b"\x7fELF\0\0", "Unsupported file type"),
        ("empty.txt", b"", "empty"),
    ):
        answer = client.post(address, {"file": SimpleUploadedFile(name, content), "name": name})
        assert answer.status_code == 400 and why in answer.json()["error"], name
    assert not ProjectFile.objects.exists()


def test_a_file_is_uploaded_shown_replaced_and_removed(client: Client, project: Project) -> None:
    upload = f"{project.get_absolute_url()}files/upload"
    sent = {"file": SimpleUploadedFile("表.csv", b"a,b\n1,2\n"), "name": "表.csv"}
    answer = client.post(upload, sent)
    assert answer.status_code == 201 and answer.json()["name"] == "表.csv"
    address = f"/projects/files/{answer.json()['id']}/"
    assert "<td" in client.get(f"{address}preview").content.decode()
    replaced = {"file": SimpleUploadedFile("other.csv", b"c,d\n3,4\n")}
    assert client.post(f"{address}replace", replaced).status_code == 201
    content = client.get(address)
    assert content.content == b"c,d\n3,4\n" and content["Content-Type"].startswith("text/plain")
    assert client.post(f"{address}remove").status_code == 204
    assert client.get(address).status_code == 404


def test_the_panel_of_a_conversation_shows_them_as_of_the_project(
    client: Client, owner: User, project: Project
) -> None:
    _add(project, "a.txt", "text")
    within, outside = AConversation(owner, project=project), AConversation(owner)
    page = client.get(f"{within.url}files/").content.decode()
    assert "a.txt" in page and "of the project “数据”, read-only" in page
    assert "a.txt" not in client.get(f"{outside.url}files/").content.decode()
    named = client.get(f"{within.url}mentions").json()["files"]
    assert named == ["project/a.txt"]
