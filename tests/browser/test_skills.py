"""Skills: an admin adds one as a folder and as an archive; a conversation chooses and loads one."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as problems_of
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

BODY = "# How\n\n1. Read the *figures*.\n2. Write the report.\n"


@pytest.fixture(scope="module", autouse=True)
def model(product: Product) -> Iterator[None]:
    """A model that loads what it is told to."""
    with stub_process() as stub:
        product.run("tests.browser.skills_seeding", {"base_url": stub.base_url})
        yield


def write(folder: Path, name: str) -> Path:
    """A skill with a script."""
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does: {name}\n---\n{BODY}")
    (folder / "scripts" / "run.sh").write_text("echo 报表\n")
    return folder


def add_folder(page: Page, folder: Path) -> None:
    page.goto("/skills/")
    page.get_by_role("link", name="Add a skill").click()
    page.get_by_label("A folder").set_input_files(folder)
    page.get_by_role("button", name="Add the folder").click()


def test_a_folder_becomes_a_skill_that_can_be_looked_at(page: Page, tmp_path: Path) -> None:
    add_folder(page, write(tmp_path / "reports", "报表"))
    expect(page.get_by_role("heading", level=1)).to_have_text("报表")
    expect(page.get_by_text("split at the first colon").last).to_be_visible()
    expect(page.get_by_role("listitem").get_by_text("Write the report.")).to_be_visible()
    page.get_by_role("link", name="scripts/run.sh").click()
    expect(page.get_by_role("region", name="scripts/run.sh")).to_contain_text("echo 报表")
    assert problems_of(page) == []


def test_an_archive_is_added_switched_and_removed(page: Page, tmp_path: Path) -> None:
    folder = write(tmp_path / "sums", "sums")
    with zipfile.ZipFile(tmp_path / "sums.zip", "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    page.goto("/skills/add")
    page.get_by_label("A zip archive").set_input_files(tmp_path / "sums.zip")
    page.get_by_role("button", name="Add the archive").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("sums")
    page.get_by_role("button", name="Switch off sums").click()
    expect(page.get_by_role("button", name="Switch on sums")).to_be_visible()
    page.get_by_text("Remove", exact=True).click()
    page.get_by_role("button", name="Remove sums").click()
    expect(page.get_by_text("The skill sums and its files were removed.")).to_be_visible()
    expect(page.get_by_role("link", name="sums")).to_have_count(0)
    assert problems_of(page) == []


def test_what_is_no_skill_is_told_before_it_is_sent(page: Page, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "readme.md").write_text("Nothing.")
    page.goto("/skills/add")
    page.get_by_label("A folder").set_input_files(tmp_path / "notes")
    expect(page.get_by_text("SKILL.md is missing.")).to_be_visible()
    page.get_by_role("button", name="Add the folder").click()
    expect(page).to_have_url("/skills/add")
    assert problems_of(page) == []


def test_an_archive_that_leads_outside_is_refused(
    page: Page, tmp_path: Path, problems: list[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../outside", "x")
    page.goto("/skills/add")
    page.get_by_label("A zip archive").set_input_files(tmp_path / "bad.zip")
    page.get_by_role("button", name="Add the archive").click()
    expect(
        page.get_by_role("alert").get_by_text("is outside of the skill's folder")
    ).to_be_visible()
    assert problems_of(page) == []
    problems.clear()  # the browser writes down every answer that is not 2xx


def test_a_conversation_begins_with_the_skills_that_were_chosen(chat: Chat, tmp_path: Path) -> None:
    page = chat.page
    add_folder(page, write(tmp_path / "chosen", "chosen"))
    add_folder(page, write(tmp_path / "left", "left"))
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label="Apprentice")
    skills = open_skills(page)
    skills.get_by_role("checkbox", name="left").uncheck()
    page.keyboard.press("Escape")
    chat.ask('call load_skill {"name": "chosen"}\ncall load_skill {"name": "left"}')
    answer = chat.ended(1)
    expect(answer.get_by_text("unknown skill 'left'").first).to_be_visible()
    answer.get_by_text("Skill: chosen").click()
    expect(answer.get_by_role("region", name="Instructions")).to_contain_text("Write the report.")
    assert problems_of(page) == []
    page.reload()
    expect(open_skills(page).get_by_role("checkbox", name="left")).not_to_be_checked()


def test_a_choice_counts_from_the_next_message(chat: Chat, tmp_path: Path) -> None:
    page = chat.page
    add_folder(page, write(tmp_path / "later", "later"))
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label="Apprentice")
    chat.ask("hello")
    chat.ended(1)
    skills = open_skills(page)
    with page.expect_response("**/skills/choice/*"):
        skills.get_by_role("checkbox", name="later").uncheck()
    assert problems_of(page) == []
    page.keyboard.press("Escape")
    chat.ask('call load_skill {"name": "later"}')
    expect(chat.ended(2).get_by_text("unknown skill 'later'").first).to_be_visible()


def open_skills(page: Page) -> Locator:
    """The part of the menu of tools that lists skills."""
    page.locator("#tools-menu > summary").click()
    skills = page.get_by_role("group", name="Skills")
    skills.locator("summary").click()
    return skills
