"""The panel of a conversation's files, as a person uses it while a model writes some."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, ViewportSize, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def seeded(product: Product) -> Iterator[None]:
    with stub_process() as stub:
        product.run("tests.browser.files_seeding", {"base_url": stub.base_url})
        yield


@pytest.fixture
def chat(seeded: None, chat: Chat) -> Chat:
    """A conversation that has begun, and has no files."""
    chat.page.get_by_label("Model", exact=True).select_option(label="Writer")
    chat.ask("Hello")
    chat.ended(1)
    return chat


@pytest.fixture
def workspace(product: Product, chat: Chat) -> Path:
    folder = product.home / "workspaces" / chat.conversation
    folder.mkdir(parents=True)
    return folder


def panel(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Files")


def opener(page: Page) -> Locator:
    return page.locator("#files-open")


def row(page: Page, name: str) -> Locator:
    return panel(page).locator(".files-row").filter(has_text=name).last


def show(page: Page, name: str) -> Locator:
    """Opens a file, and answers what is shown of it."""
    panel(page).locator(".files-name", has_text=name).click()
    shown = panel(page).get_by_role("region", name="Content of the file")
    expect(shown).to_be_visible()
    return shown


def upload(page: Page, name: str, content: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content}
    panel(page).locator("[data-files-input]").set_input_files(file)


def test_a_file_that_a_model_writes_is_there_at_once(chat: Chat) -> None:
    page = chat.page
    opener(page).click()
    expect(panel(page)).to_contain_text("No files yet.")
    assert accessibility_problems(page) == []
    chat.ask('call write_file {"path": "报告.md", "content": "# 你好"}')
    expect(row(page, "报告.md")).to_have_attribute("data-changed", "")
    expect(opener(page)).to_have_text("Files 1")
    chat.ended(2)
    expect(show(page, "报告.md").get_by_role("heading")).to_have_text("你好")
    chat.ask('call write_file {"path": "报告.md", "content": "# 再见"}')
    expect(panel(page).get_by_role("heading", level=3)).to_have_text("再见")


def test_a_closed_panel_counts_files(chat: Chat) -> None:
    chat.ask('call write_file {"path": "src/a.py", "content": "1"}')
    expect(opener(chat.page)).to_have_text("Files 1")
    expect(panel(chat.page)).to_be_hidden()


def test_a_file_is_uploaded_mentioned_and_deleted(chat: Chat, workspace: Path) -> None:
    page = chat.page
    opener(page).click()
    upload(page, "my data.csv", "姓名,年龄\n韩梅梅,18\n".encode())
    expect(row(page, "my data.csv")).to_be_visible()
    assert (workspace / "my data.csv").read_text() == "姓名,年龄\n韩梅梅,18\n"
    expect(show(page, "my data.csv").get_by_role("cell", name="韩梅梅")).to_be_visible()
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    chat.composer.fill("Read  now")
    chat.composer.evaluate("field => field.setSelectionRange(5, 5)")
    panel(page).get_by_role("button", name="Mention my data.csv").click()
    expect(chat.composer).to_have_value('Read "my data.csv" now')
    expect(chat.composer).to_be_focused()
    panel(page).get_by_role("button", name="Delete my data.csv").click()
    expect(panel(page).get_by_role("button", name="Keep")).to_be_focused()
    assert accessibility_problems(page) == []
    panel(page).get_by_role("button", name="Delete", exact=True).click()
    expect(panel(page)).to_contain_text("No files yet.")
    assert list(workspace.iterdir()) == []


def test_a_name_that_is_taken_is_asked_about(
    chat: Chat, workspace: Path, problems: list[str]
) -> None:
    page = chat.page
    (workspace / "a.txt").write_text("old")
    opener(page).click()
    upload(page, "a.txt", b"new")
    choice = panel(page).get_by_role("list", name="Uploads")
    expect(choice).to_contain_text("There is a file a.txt already.")
    assert accessibility_problems(page) == []
    assert [said for said in problems if "409" not in said] == []
    problems.clear()  # the browser tells of every answer that is no success
    choice.get_by_role("button", name="Keep as a (2).txt").click()
    expect(row(page, "a (2).txt")).to_be_visible()
    expect(choice.get_by_role("listitem")).to_have_count(0)
    assert (workspace / "a.txt").read_text() == "old"


def test_what_is_too_large_is_said_before_it_is_sent(chat: Chat) -> None:
    page = chat.page
    opener(page).click()
    page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File([new Uint8Array(100_000_001)], "big.bin"));
          const dropped = { bubbles: true, cancelable: true, dataTransfer: files };
          document.getElementById("files-panel").dispatchEvent(new DragEvent("drop", dropped));
        }"""
    )
    expect(panel(page)).to_contain_text("It has 100.0 MB; the limit is 100.0 MB.")


def test_the_keyboard_goes_through_files_and_back(chat: Chat, workspace: Path) -> None:
    page = chat.page
    (workspace / "src").mkdir()
    (workspace / "src" / "main.py").write_text("def main(): pass\n")
    (workspace / "z.txt").touch()
    opener(page).focus()
    page.keyboard.press("Enter")
    expect(panel(page)).to_be_focused()
    folder = panel(page).get_by_role("button", name="src", exact=True)
    folder.focus()
    page.keyboard.press("Enter")
    expect(folder).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(panel(page).locator(".file-code .k").first).to_have_text("def")
    expect(panel(page).locator("[data-preview-title]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel(page).get_by_role("button", name="main.py", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    expect(opener(page)).to_be_focused()


def test_what_is_in_a_file_never_runs(chat: Chat, workspace: Path) -> None:
    page = chat.page
    attack = "<script>document.title = 'run'</script><img src=x onerror=alert(1)>"
    for name in ("page.html", "drawing.svg", "notes.md"):
        (workspace / name).write_text(attack)
    opener(page).click()
    for name in ("page.html", "drawing.svg", "notes.md"):
        expect(show(page, name)).to_contain_text(attack)
        page.keyboard.press("Escape")
    url = f"/c/{chat.conversation}/files/download?path=page.html"
    with page.expect_download() as kept:
        page.evaluate("url => { location.href = url; }", url)
    assert kept.value.suggested_filename == "page.html"
    assert page.title() != "run"


def test_a_file_that_is_gone_is_said_so(chat: Chat, workspace: Path) -> None:
    page = chat.page
    (workspace / "a.txt").write_text("here")
    opener(page).click()
    expect(row(page, "a.txt")).to_be_visible()
    (workspace / "a.txt").unlink()
    panel(page).get_by_role("button", name="a.txt", exact=True).click()
    expect(panel(page)).to_contain_text("This file no longer exists.")


def test_a_large_folder_comes_by_pages(chat: Chat, workspace: Path) -> None:
    page = chat.page
    for number in range(250):
        (workspace / f"{number:03}.txt").touch()
    opener(page).click()
    rows = panel(page).locator(".files-row")
    expect(rows).to_have_count(100)
    panel(page).get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(200)
    with page.expect_download() as kept:
        panel(page).get_by_role("link", name="Download all").click()
    assert kept.value.suggested_filename == "files.zip"


def test_without_a_connection_the_panel_says_so(
    chat: Chat, workspace: Path, problems: list[str]
) -> None:
    page = chat.page
    (workspace / "src").mkdir()
    opener(page).click()
    folder = panel(page).get_by_role("button", name="src", exact=True)
    expect(folder).to_be_visible()
    page.context.set_offline(True)
    folder.click()
    expect(panel(page)).to_contain_text("The files could not be loaded.")
    page.context.set_offline(False)
    panel(page).get_by_role("button", name="Try again").click()
    expect(panel(page)).to_contain_text("This folder is empty.")
    problems.clear()


def test_on_a_phone_it_is_a_sheet(chat: Chat, workspace: Path) -> None:
    page = chat.page
    (workspace / ("一个很长的名字" * 5 + ".txt")).write_text("内容")
    page.set_viewport_size(PHONE)
    opener(page).click()
    expect(panel(page)).to_have_js_property("open", True)
    expect(show(page, "一个很长的名字")).to_contain_text("内容")
    page.keyboard.press("Escape")
    panel(page).get_by_role("button", name="Mention").click()
    expect(panel(page)).to_be_hidden()
    expect(chat.composer).to_be_focused()


def test_before_the_first_message_the_panel_says_when_files_can_come(
    seeded: None, page: Page
) -> None:
    page.goto("/")
    opener(page).click()
    expect(panel(page)).to_contain_text("after your first message, you can upload files here")
    expect(panel(page).get_by_role("button", name="Upload")).to_be_hidden()
    assert accessibility_problems(page) == []
    page.get_by_label("Model", exact=True).select_option(label="Writer")
    chat = Chat(page)
    chat.ask("Hello")
    chat.ended(1)
    upload(page, "a.txt", b"new")
    expect(row(page, "a.txt")).to_be_visible()
    expect(opener(page)).to_have_text("Files 1")
