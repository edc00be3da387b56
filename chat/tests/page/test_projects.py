"""Projects as a person uses them: in the sidebar, on their pages, by mouse and by keyboard."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FilePayload, Locator, Page, expect
from pytest_django.fixtures import Settings

from chat.commands import projects
from chat.commands.projects import Details
from chat.models import Conversation, Project, ProjectFile
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests.browser.accessibility import problems

pytestmark = pytest.mark.browser

SIZES = [(1440, 900), (390, 844)]
CHOOSE_HUGE = """(input) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new Uint8Array(21e6)], "huge.txt"));
  input.files = transfer.files;
  input.dispatchEvent(new Event("change"));
}"""


@pytest.fixture(params=SIZES, ids=["desktop", "phone"])
def sized(page: Page, request: pytest.FixtureRequest) -> Page:
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    return page


@pytest.fixture
def project(owner: User) -> Project:
    return projects.create(owner, Details("数据库 项目", "blue"))


@pytest.fixture(autouse=True)
def _folders(settings: Settings, tmp_path: Path) -> None:
    settings.PROJECT_FOLDERS = tmp_path / "projects"


def open_sidebar(page: Page) -> None:
    opener = page.locator("[data-sidebar-open]")
    if opener.is_visible():
        opener.click()


def drag(row: Locator, target: Locator) -> None:
    """As a person does, who lets go when the target is marked."""
    page, box = row.page, target.bounding_box()
    assert box is not None
    row.hover()
    page.mouse.down()
    for step in range(100):
        page.mouse.move(box["x"] + 20 + step % 5, box["y"] + 10)
        if target.get_attribute("data-drop-target") is not None:
            break
        page.wait_for_timeout(50)
    page.mouse.up()


def test_a_project_is_made_and_gets_instructions(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/projects/")
    expect(page.get_by_text("No projects yet.")).to_be_visible()
    assert problems(page) == []
    page.get_by_role("textbox", name="Name of the new project").fill("论文 2026")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("论文 2026")
    page.get_by_role("textbox", name="Instructions").fill("Answer in rhymes.")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("The next messages have these instructions.")).to_be_visible()
    assert Project.objects.get().instructions == "Answer in rhymes."
    assert problems(page) == []


def test_two_tabs_that_edit_instructions_lose_nothing(
    page: Page, wire: Wire, project: Project
) -> None:
    second = page.context.new_page()
    for tab in (page, second):
        tab.goto(project.get_absolute_url())
    for tab, text in ((page, "first"), (second, "second")):
        tab.get_by_role("textbox", name="Instructions").fill(text)
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("The next messages have these instructions.")).to_be_visible()
    second.get_by_role("button", name="Save").first.click()
    expect(second.get_by_role("alert")).to_contain_text("changed in another tab")
    expect(second.get_by_role("textbox", name="Instructions")).to_have_value("second")
    expect(second.locator(".project-saved")).to_have_text("first")
    second.get_by_role("button", name="Save mine instead").click()
    expect(second.get_by_text("The next messages have these instructions.")).to_be_visible()
    assert Project.objects.get().instructions == "second"


def test_files_are_uploaded_previewed_replaced_and_removed(
    page: Page, wire: Wire, project: Project
) -> None:
    page.goto(project.get_absolute_url())
    file: FilePayload = {"name": "报告.md", "mimeType": "text/plain", "buffer": b"# Hello"}
    page.locator("[data-files-input]").set_input_files(file)
    row = page.locator("[data-file]")
    expect(row).to_contain_text("报告.md")
    row.get_by_role("button", name="报告.md").click()
    preview = page.get_by_role("dialog")
    expect(preview.get_by_role("heading", name="Hello")).to_be_visible()
    assert problems(page) == []
    page.keyboard.press("Escape")
    page.locator("[data-files-input]").set_input_files({**file, "buffer": b"# Bye"})
    expect(page.get_by_text("The project has a file 报告.md already.").first).to_be_visible()
    page.get_by_role("button", name="Replace", exact=True).first.click()
    expect(page.locator(".files-one")).to_have_count(0)
    assert bytes(ProjectFile.objects.get().content) == b"# Bye"
    page.on("dialog", lambda dialog: dialog.accept())
    row.locator("summary").click()
    row.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No files yet.")).to_be_visible()


def test_a_huge_file_is_refused_before_it_is_sent(page: Page, wire: Wire, project: Project) -> None:
    page.goto(project.get_absolute_url())
    page.locator("[data-files-input]").evaluate(CHOOSE_HUGE)
    expect(page.locator(".files-one[data-bad]")).to_contain_text("the limit is")


def test_a_conversation_is_moved_by_the_menu_of_its_row_and_back(
    sized: Page, wire: Wire, owner: User, project: Project
) -> None:
    moved = AConversation(owner, "要移动的对话")
    sized.goto(moved.url)
    open_sidebar(sized)
    link = sized.locator("#conversations [data-conversation-link]")
    link.focus()
    sized.keyboard.press("ArrowRight")
    sized.keyboard.press("Enter")
    sized.get_by_role("button", name="Move to a project").last.click()
    dialog = sized.get_by_role("dialog", name="Move to a project")
    expect(dialog.get_by_role("button", name="数据库 项目")).to_be_focused()
    sized.keyboard.press("Enter")
    expect(link).to_have_count(0)
    expect(sized.locator("#head-project")).to_have_attribute("href", project.get_absolute_url())
    assert Conversation.objects.get().project == project
    sized.get_by_role("button", name="Undo").click()
    expect(link).to_have_count(1)
    expect(sized.locator("#head-project")).to_be_hidden()


def test_a_conversation_is_dragged_onto_a_project_and_back(
    page: Page, wire: Wire, owner: User, project: Project
) -> None:
    AConversation(owner, "Dragged")
    page.goto("/")
    row = page.locator("#conversations [data-row]")
    drag(row, page.locator("[data-project-row]"))
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Conversations of “数据库 项目”").click()
    within = page.locator("[data-project-conversations] [data-row]")
    expect(within).to_have_count(1)
    assert problems(page) == []
    AConversation(owner, "Other")
    drag(within, page.locator("#conversations"))
    expect(within).to_have_count(0)
    assert not Conversation.objects.filter(project=project).exists()


def test_a_new_conversation_begins_in_the_chosen_project(
    page: Page, wire: Wire, project: Project
) -> None:
    page.goto("/")
    page.locator("#project").select_option(label="数据库 项目")
    page.get_by_role("textbox", name="Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    assert wire.heard("send")["project"] == str(project.public_id)


def test_the_section_stays_folded_on_the_next_page(
    page: Page, wire: Wire, project: Project
) -> None:
    page.goto("/")
    section = page.locator("#projects")
    expect(section.get_by_text("数据库 项目")).to_be_visible()
    section.locator("summary").click()
    expect(section.get_by_text("数据库 项目")).to_be_hidden()
    page.reload()
    expect(section.get_by_text("数据库 项目")).to_be_hidden()


def test_chosen_conversations_are_moved_from_the_page_of_all(
    sized: Page, wire: Wire, owner: User, project: Project
) -> None:
    for number in range(3):
        AConversation(owner, f"Conversation {number}")
    sized.goto("/search")
    sized.get_by_label("Choose all shown").check()
    sized.locator("#selection").get_by_role("button", name="Move", exact=True).click()
    sized.get_by_role("dialog").get_by_role("button", name="数据库 项目").click()
    expect(sized.get_by_text("3 conversations moved to “数据库 项目”.")).to_be_visible()
    assert Conversation.objects.filter(project=project).count() == 3


def test_a_project_is_deleted_and_its_conversations_stay(
    page: Page, wire: Wire, owner: User, project: Project
) -> None:
    AConversation(owner, "Kept", project=project)
    page.goto(project.get_absolute_url())
    page.get_by_text("Delete this project").click()
    assert problems(page) == []
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Its 1 conversation is in the list.")).to_be_visible()
    assert Conversation.objects.get().project_id is None
