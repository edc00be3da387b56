"""What tools answer, by its type, in a card and in the trace; what servers offer a message."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def seeded(product: Product) -> Iterator[None]:
    with stub_process() as stub:
        product.run("tests.browser.rich_server", {"base_url": stub.base_url})
        yield


@pytest.fixture
def chat(seeded: None, chat: Chat) -> Chat:
    chat.page.get_by_label("Model", exact=True).select_option(label="Caller")
    return chat


def called(chat: Chat, tool: str) -> Locator:
    """The open card of a call."""
    chat.ask(f"call rich-{tool} {{}}")
    chat.ended(1)
    card = chat.page.locator("details.call").first
    card.locator("summary").first.click()
    return card


def test_an_image_is_shown_in_the_card_and_in_the_trace(chat: Chat) -> None:
    image = called(chat, "picture").locator("img.content-image")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 160
    assert accessibility_problems(chat.page) == []
    chat.page.get_by_role("link", name="Trace of this call").click()
    expect(chat.page.locator("img.content-image")).to_be_visible()


def test_the_frames_of_a_call_are_listed_in_its_trace(chat: Chat) -> None:
    called(chat, "tree")
    chat.page.get_by_role("link", name="Trace of this call").click()
    chat.page.get_by_text("Protocol frames").click()
    frames = chat.page.locator(".frame")
    expect(frames.filter(has_text="tools/call").first).to_be_visible()
    frames.filter(has_text="tools/call").first.click()
    expect(chat.page.locator(".frame pre").filter(has_text='"tree"').first).to_be_visible()
    assert accessibility_problems(chat.page) == []


@pytest.mark.parametrize(
    ("tool", "place"),
    [
        ("table", "table.value-table"),
        ("structured", "table.value-table"),
        ("tree", "dl.tree"),
        ("sound", "audio"),
    ],
)
def test_a_result_is_shown_by_its_type(chat: Chat, tool: str, place: str) -> None:
    expect(called(chat, tool).locator(place).first).to_be_visible()


def test_a_link_is_text_with_its_whole_address(chat: Chat) -> None:
    card = called(chat, "links")
    expect(card.locator(".content-address")).to_have_text("https://example.org/a?b=<c>")
    expect(card.locator(".content a")).to_have_attribute("download", "")


def test_a_prompt_is_chosen_with_a_slash_and_filled_in(chat: Chat) -> None:
    field = chat.page.get_by_role("textbox", name="Message")
    field.press("/")
    chat.page.locator("#suggestions").get_by_role("option", name="/review").click()
    dialog = chat.page.get_by_role("dialog", name="Prompts and resources")
    dialog.get_by_label("code").fill("main.py")
    dialog.get_by_role("button", name="Insert into the message").click()
    expect(field).to_have_value("Please review main.py.")


def test_a_resource_is_attached(chat: Chat) -> None:
    chat.page.get_by_role("button", name="Prompts and resources").click()
    dialog = chat.page.get_by_role("dialog", name="Prompts and resources")
    assert accessibility_problems(chat.page) == []
    dialog.get_by_role("button", name="notes").click()
    expect(chat.page.locator(".chip-name")).to_have_text("notes")
