"""Export, import, feedback and the data of a person, in the real product."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from chat.tests.transfer import files
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
SHOTS = os.environ.get("TRANSFER_SHOTS", "")


def shot(page: Page, name: str) -> None:
    """A picture for people, in both themes, if somebody wants to look."""
    if not SHOTS:
        return
    width = page.viewport_size["width"] if page.viewport_size else 0
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.screenshot(path=f"{SHOTS}/{name}-{width}-{theme}.png", full_page=True)
    page.emulate_media(color_scheme="light")


def upload(page: Page, tmp_path: Path, *conversations: Any) -> None:
    """Chooses a file in the settings and opens its preview."""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations, ensure_ascii=False))
    page.goto("/settings/#data")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Upload and preview").click()
    expect(page.get_by_role("heading", name="Import", exact=True)).to_be_visible()


def test_a_file_is_previewed_and_imported_with_its_branches(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size(PHONE)
    upload(page, tmp_path, files.chatgpt(title="数据库 390", conversation_id="390"))
    begin = page.get_by_role("button", name="Import 1 conversation")
    expect(begin).to_be_visible()
    expect(page.get_by_text("数据库 390")).to_be_visible()
    shot(page, "preview")
    assert accessibility_problems(page) == []
    begin.click()
    expect(page.get_by_text("1 conversation is imported.")).to_be_visible()
    shot(page, "imported")
    page.get_by_role("link", name="Open the chat").click()
    conversation = page.locator("a", has_text="数据库 390").first
    page.goto(str(conversation.get_attribute("href")))
    expect(page.get_by_text("These.")).to_be_visible()
    shot(page, "conversation")


def test_a_broken_file_says_what_is_wrong(page: Page, tmp_path: Path) -> None:
    upload(page, tmp_path, files.claude(uuid="b1"), {"mapping": {"a": 5}})
    expect(page.get_by_text("Conversation 2: The node “a” is no object.")).to_be_visible()
    expect(page.get_by_label("Leave the broken ones out and import the others")).to_be_visible()
    shot(page, "broken")
    page.get_by_role("button", name="Remove the file").click()
    expect(page.get_by_text("The uploaded file is removed. Nothing was imported.")).to_be_visible()


def test_a_conversation_is_exported_from_its_menu(page: Page) -> None:
    page.goto("/")
    chat = Chat(page)
    chat.ask("数据库有几张表")
    chat.ended(1)
    page.get_by_label("This conversation", exact=True).click()
    page.locator("summary", has_text="Export").click()
    shot(page, "menu")
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON (everything)").click()
    document = json.loads(Path(started.value.path()).read_text())
    assert document["format"] == "roundtrip-conversations"
    assert document["conversations"][0]["id"] == chat.conversation


def test_chosen_conversations_are_exported(page: Page) -> None:
    page.goto("/")
    chat = Chat(page)
    chat.ask("数据库有几张表")
    chat.ended(1)
    page.goto("/search")
    page.get_by_role("checkbox", name="Choose “数据库有几张表”").first.check()
    page.locator("summary", has_text="Export").click()
    shot(page, "chosen")
    with page.expect_download() as started:
        page.get_by_role("button", name="JSON (everything)").click()
    document = json.loads(Path(started.value.path()).read_text())
    assert len(document["conversations"]) == 1


def test_an_answer_is_rated_with_a_note_by_keyboard(page: Page) -> None:
    page.goto("/")
    chat = Chat(page)
    chat.ask("数据库有几张表")
    answer = chat.ended(1)
    answer.get_by_role("button", name="Good answer").press("Enter")
    note = answer.get_by_label("What was good or bad?")
    expect(note).to_be_focused()
    shot(page, "note")
    note.fill("很好")
    note.press("Enter")
    expect(answer.locator("summary", has_text="很好")).to_be_focused()
    chat.reload()
    expect(answer.get_by_role("button", name="Good answer")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.goto("/traces/?feedback=up")
    expect(page.get_by_role("link", name="数据库有几张表").first).to_be_visible()
    page.get_by_role("link", name="数据库有几张表").first.click()
    expect(page.locator(".trace-head .badge", has_text="很好")).to_be_visible()
    shot(page, "trace")


def test_everything_of_a_person_is_downloaded(page: Page) -> None:
    page.goto("/settings/#data")
    page.get_by_role("button", name="Make an archive").click()
    link = page.get_by_role("link", name="Download the archive")
    expect(link).to_be_visible()
    shot(page, "data")
    assert accessibility_problems(page) == []
    with page.expect_download() as started:
        link.click()
    assert started.value.suggested_filename.endswith(".zip")


def test_the_page_of_deletion_asks_for_proof(page: Page, problems: list[str]) -> None:
    page.goto("/settings/#data")
    page.get_by_role("link", name="Delete the account").click()
    page.get_by_label("To confirm, type your user name").fill("somebody")
    page.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_text("This is not your user name.")).to_be_visible()
    shot(page, "delete")
    assert accessibility_problems(page) == []
    assert [one for one in problems if "422" not in one] == []
    problems.clear()  # the console names the status of the refusal
