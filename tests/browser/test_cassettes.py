"""A turn is saved as a cassette, uploaded as a provider, and answers again."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chat.cassettes.walkthrough import questions
from tests.browser.accessibility import problems as problems_of
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

TABLES = questions()[0]


@pytest.fixture
def recording(chat: Chat, tmp_path: Path) -> Path:
    """A turn of the walkthrough, as its trace's page saves it."""
    chat.ask(TABLES)
    chat.ended(1).get_by_role("link", name="Trace", exact=True).click()
    with chat.page.expect_download() as saved:
        chat.page.get_by_role("link", name="Cassette", exact=True).click()
    assert saved.value.suggested_filename.endswith(".cassette.json")
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    return file


def upload(page: Page, file: Path, name: str) -> None:
    page.goto("/providers/")
    page.get_by_role("link", name="Add a provider").first.click()
    page.get_by_role("link", name="A cassette", exact=True).click()
    assert problems_of(page) == []
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add it").click()


def test_a_saved_turn_is_uploaded_and_answers_again(
    page: Page, chat: Chat, recording: Path
) -> None:
    upload(page, recording, "My recording")
    expect(page.get_by_role("heading", level=1)).to_have_text("My recording")
    expect(page.get_by_text("2 recorded answers")).to_be_visible()
    assert problems_of(page) == []
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label="walkthrough (My recording)")
    chat.ask(TABLES)
    page.get_by_role("button", name="Allow once").click()
    answer = chat.ended(1)
    expect(answer).to_contain_text("students")
    assert len(chat.trace(answer)["rounds"]) == 2


def test_a_broken_file_is_refused_with_the_place(
    page: Page, tmp_path: Path, problems: list[str]
) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"format": "roundtrip-cassette", "version": 1, "turns": [{}]}')
    upload(page, file, "")
    expect(page.get_by_text("turns[0].rounds has to be a list, and is missing.")).to_be_visible()
    problems.clear()  # the browser itself says that a form was refused
