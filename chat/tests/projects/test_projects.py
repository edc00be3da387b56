"""Projects: made, changed, archived, deleted, with conversations moved in and out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from chat.commands import project_files, projects
from chat.commands.organising import organise
from chat.commands.projects import Details, InstructionsChanged
from chat.errors import Rejected
from chat.models import Conversation, Project, ProjectFile
from chat.tests.builders import AConversation, a_model, a_user
from limits.chat import MAX_ROWS_A_PAGE
from limits.projects import MAX_PROJECT_NAME, MAX_PROJECTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return a_user()


@pytest.fixture
def client(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def project(owner: User) -> Project:
    return projects.create(owner, Details("数据库 项目", "blue"))


def test_a_project_has_a_name_on_one_line(owner: User) -> None:
    assert projects.create(owner, Details("  a \n b ")).name == "a b"
    for name in ("", " \n", "x" * (MAX_PROJECT_NAME + 1)):
        with pytest.raises(Rejected):
            projects.create(owner, Details(name))


def test_there_is_a_limit_of_projects(owner: User) -> None:
    rows = [Project(owner=owner, name=str(n)) for n in range(MAX_PROJECTS)]
    Project.objects.bulk_create(rows)
    with pytest.raises(Rejected, match="limit"):
        projects.create(owner, Details("one more"))


def test_instructions_of_another_tab_are_not_overwritten(project: Project) -> None:
    projects.change_instructions(project, "first", 0)
    with pytest.raises(InstructionsChanged) as raised:
        projects.change_instructions(project, "second", 0)
    assert raised.value.current.instructions == "first"
    projects.change_instructions(project, "second", raised.value.current.revision)
    assert Project.objects.get().instructions == "second"


def test_the_same_text_from_two_tabs_is_no_conflict(project: Project) -> None:
    projects.change_instructions(project, "same", 0)
    projects.change_instructions(project, "same", 0)
    assert Project.objects.get().revision == 1


def test_deletion_keeps_the_conversations(owner: User, project: Project) -> None:
    kept = AConversation(owner, project=project)
    assert projects.delete(project, with_conversations=False) == 1
    kept.row.refresh_from_db()
    assert kept.row.project_id is None


def test_deletion_takes_the_conversations_if_wanted(owner: User, project: Project) -> None:
    AConversation(owner, project=project)
    other = AConversation(owner)
    assert projects.delete(project, with_conversations=True) == 1
    assert list(Conversation.objects.all()) == [other.row]


def test_conversations_are_moved_in_and_out_and_back(owner: User, project: Project) -> None:
    one, two = AConversation(owner), AConversation(owner, project=project)
    outcome = organise(
        owner, "move", [one.row.public_id, two.row.public_id], str(project.public_id)
    )
    assert outcome.sentence == "1 conversation moved to “数据库 项目”."
    assert (outcome.undo, outcome.tag, list(outcome.ids)) == ("move", "", [one.row.public_id])
    outcome = organise(owner, outcome.undo, list(outcome.ids), outcome.tag or "")
    assert outcome.tag == str(project.public_id)
    assert list(project.conversations.all()) == [two.row]


def test_nobody_moves_into_a_project_of_others(owner: User) -> None:
    foreign = projects.create(a_user("other"), Details("theirs"))
    one = AConversation(owner)
    with pytest.raises(Rejected):
        organise(owner, "move", [one.row.public_id], str(foreign.public_id))


def test_a_temporary_conversation_is_not_moved(owner: User, project: Project) -> None:
    one = AConversation(owner, is_temporary=True)
    with pytest.raises(Rejected, match="temporary"):
        organise(owner, "move", [one.row.public_id], str(project.public_id))


def test_a_conversation_in_which_others_write_is_not_moved(owner: User, project: Project) -> None:
    one = AConversation(owner, is_shared_to_write=True)
    with pytest.raises(Rejected, match="Others write"):
        organise(owner, "move", [one.row.public_id], str(project.public_id))


def test_the_page_says_what_a_conflict_is_and_keeps_both_texts(
    client: Client, project: Project
) -> None:
    address = f"{project.get_absolute_url()}instructions"
    client.post(address, {"instructions": "first tab", "revision": "0"})
    response = client.post(address, {"instructions": "second tab", "revision": "0"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "another tab" in page
    assert "second tab</textarea>" in page and "first tab</pre>" in page
    assert 'name="revision" value="1"' in page


def test_the_pages_show_an_empty_project_and_one_with_a_thousand(
    client: Client,
    owner: User,
    project: Project,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    assert "No conversations yet." in client.get(project.get_absolute_url()).content.decode()
    for number in range(1000):
        AConversation(owner, f"对话 {number}", project=project)
    ProjectFile.objects.bulk_create(
        ProjectFile(project=project, name=f"{n}.txt", media_type="text/plain", size=1, content=b"x")
        for n in range(100)
    )
    with django_assert_max_num_queries(9):
        page = client.get(project.get_absolute_url()).content.decode()
    assert page.count('<li><a href="/c/') == MAX_ROWS_A_PAGE and page.count("data-file=") == 100
    assert "1,000" in page
    more = page.split("conversations?before=")[1][:36]
    rest = client.get(f"{project.get_absolute_url()}conversations?before={more}").content.decode()
    assert rest.count('<li><a href="/c/') == MAX_ROWS_A_PAGE
    assert "1,000 conversations" in client.get("/projects/").content.decode()


def test_others_do_not_find_it(client: Client, project: Project) -> None:
    file = project_files.add(project.owner, project, "a.txt", b"secret").file
    client.force_login(a_user("other", is_superuser=True, is_staff=True))
    assert client.get(project.get_absolute_url()).status_code == 404
    assert client.get(f"/projects/files/{file.public_id}/").status_code == 404
    assert "数据库 项目" not in client.get("/projects/").content.decode()


def test_the_sidebar_lists_projects_without_a_query_of_their_own(
    client: Client, owner: User, project: Project, django_assert_num_queries: object
) -> None:
    a_model()
    inside, outside = AConversation(owner, "within", project=project), AConversation(owner, "out")
    page = client.get("/").content.decode()
    assert "数据库 项目" in page
    assert outside.url in page and inside.url not in page
    page = client.get(inside.url).content.decode()
    assert inside.url in page and 'aria-current="true"' in page


def test_a_new_conversation_begins_with_the_project_of_the_address(
    client: Client, project: Project
) -> None:
    a_model()
    page = client.get(f"/?project={project.public_id}").content.decode()
    assert f'value="{project.public_id}" data-colour="blue" selected' in page


def test_lists_and_searches_are_filtered_by_project(
    client: Client, owner: User, project: Project
) -> None:
    AConversation(owner, "needle inside", project=project)
    AConversation(owner, "needle outside")
    page = client.get(f"/search?project={project.public_id}").content.decode()
    assert "needle inside" in page and "needle outside" not in page
    page = client.get("/search?project=none").content.decode()
    assert "needle inside" not in page and "needle outside" in page
