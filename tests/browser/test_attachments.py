"""Images and text files from the browser to the model: what the person chose is what the model got,
in each dialect's form, and a model that reads no images can go on with the conversation."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.stub import StubProcess
from tests.browser.chat import Chat

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("stub")]

MODELS = [
    {
        "label": "Seeing",
        "name": "stub-n6",
        "takes_images": True,
    },
    {
        "label": "Claude sees",
        "kind": "anthropic",
        "dialect": "anthropic",
        "name": "stub-n7",
        "takes_images": True,
    },
    {"label": "Reads only", "dialect": "nous", "name": "stub-nous-n8"},
]
# A canvas is the only thing here that draws; the picture is larger than what is uploaded.
PICTURE = """async () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [3000, 1500];
  canvas.getContext("2d").fillRect(100, 100, 1000, 1000);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
}"""
CODE = "print('数据库')\n"


def _choose(page: Page, *files: tuple[str, bytes]) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    given: list[Any] = [
        {"name": name, "mimeType": _kind(name), "buffer": body} for name, body in files
    ]
    chooser.value.set_files(given)
    expect(page.locator(".chip[data-state=ready]")).to_have_count(len(files))


def _kind(name: str) -> str:
    return "image/png" if name.endswith(".png") else "text/x-python"


def _contents(stub: StubProcess) -> list[Any]:
    """What the user's messages of the last request have."""
    body = json.loads(stub.completions[-1].body)
    return [message["content"] for message in body["messages"] if message["role"] == "user"]


def test_a_conversation_with_a_picture_and_a_file_goes_through_three_dialects(
    chat: Chat, stub: StubProcess
) -> None:
    page = chat.page
    page.get_by_label("Model", exact=True).select_option(label="Seeing")
    _choose(page, ("wide.png", b64decode(page.evaluate(PICTURE))), ("a.py", CODE.encode()))
    expect(page.locator(".chip").first).to_contain_text("from 3000 × 1500 to 2048 × 1024")
    chat.ask("What is this?")
    chat.ended(1)
    text, image, file = _contents(stub)[0]
    assert text == {"type": "text", "text": "What is this?"}
    assert file == {"type": "text", "text": f'<file name="a.py">\n{CODE}</file>'}
    shown = page.get_by_role("img", name="wide.png")
    expect(shown).to_have_js_property("naturalWidth", 2048)
    served = page.request.get(f"/attachments/{_attachment_id(page)}").body()
    encoded = b64encode(served).decode()
    assert image["image_url"]["url"] == f"data:image/png;base64,{encoded}"

    page.get_by_label("Model", exact=True).select_option(label="Claude sees")
    chat.ask("And now?")
    chat.ended(2)
    blocks = _contents(stub)[0]
    assert blocks[1]["source"] == {"type": "base64", "media_type": "image/png", "data": encoded}
    assert blocks[2]["source"]["data"] == CODE

    page.get_by_label("Model", exact=True).select_option(label="Reads only")
    chat.ask("And you?")
    answer = chat.ended(3)
    said = _contents(stub)[0]
    assert "[The image wide.png is left out: Reads only does not read images.]" in said
    assert CODE in said
    answer.get_by_role("link", name="Trace", exact=True).click()
    expect(page.get_by_text("The image wide.png is left out").last).to_be_visible()


def _attachment_id(page: Page) -> str:
    return page.locator("[data-attachment]").first.get_attribute("data-attachment") or ""


def test_a_deleted_conversation_takes_its_attachments_along(chat: Chat) -> None:
    page = chat.page
    _choose(page, ("a.py", CODE.encode()))
    chat.ask("Keep this")
    page.locator("[data-turn] [data-attachment]").wait_for()
    url = f"/attachments/{_attachment_id(page)}"
    assert page.request.get(url).text() == CODE
    page.get_by_label("This conversation", exact=True).click()
    page.locator("[data-delete-open]").click()
    page.locator("#delete").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("and its traces are deleted")).to_be_visible()
    assert page.request.get(url).status == 404
