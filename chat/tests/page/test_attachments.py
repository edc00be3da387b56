"""Attaching on the page: chips, uploads and their faults, drafts, and what the thread shows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from chat.attachments import uploads
from chat.attachments.references import content_with
from chat.files.image_headers import read_header
from chat.models import Attachment, LanguageModel
from chat.tests.builders import AConversation, a_model
from chat.tests.images import png
from chat.tests.page.conftest import Frame, Wire

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
BLIND = "Walkthrough does not read images: choose another model or remove it."
NAME = '"><img src=x>.py'


@pytest.fixture
def seeing(owner: User) -> LanguageModel:
    return a_model("seeing", label="Seeing", takes_images=True)


def _files(*files: tuple[str, str, bytes]) -> list[Any]:
    return [{"name": name, "mimeType": kind, "buffer": body} for name, kind, body in files]


PICTURE = ("shot.png", "image/png", png())
SIZES = {"wide": (300, 100), "tall": (100, 300)}
TEXT = ("a.py", "text/x-python", b"print(1)")


def _attach(page: Page, *files: tuple[str, str, bytes]) -> Locator:
    """Chooses files; answers the chips."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files(_files(*files))
    return _chips(page)


def _uploaded(page: Page, *files: tuple[str, str, bytes]) -> Locator:
    """Chooses files; answers the chips once all of them are on the server."""
    chips = _attach(page, *files)
    expect(chips).to_have_count(len(files))
    for place in range(len(files)):
        expect(chips.nth(place)).to_have_attribute("data-state", "ready")
    return chips


def _chips(page: Page) -> Locator:
    return page.get_by_role("list", name="Attachments").get_by_role("listitem")


def _sent(wire: Wire) -> Frame:
    frame = wire.heard("send")
    return {key: frame.get(key) for key in ("text", "attachments")}


def _ids(*names: str) -> list[str]:
    """Of files with these names. Uploads may end in another order than they began."""
    return [str(Attachment.objects.get(name=name).public_id) for name in names or ["a.py"]]


def test_files_are_uploaded_when_they_are_chosen_and_sent_with_the_message(
    page: Page, wire: Wire, seeing: LanguageModel
) -> None:
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option("Seeing")
    chips = _uploaded(page, PICTURE, TEXT)
    expect(chips).to_contain_text(["shot.png", "a.py"])
    expect(chips.nth(1)).to_contain_text("8 B")
    page.get_by_role("textbox", name="Message").fill("What is this?")
    page.keyboard.press("Enter")
    assert _sent(wire) == {
        "text": "What is this?",
        "attachments": _ids("shot.png", "a.py"),
    }
    expect(_chips(page).filter(visible=True).locator("img[alt='shot.png']")).to_be_visible()
    expect(page.locator(".chip")).to_have_count(0)


def test_attachments_are_sent_without_a_text(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    send = page.get_by_role("button", name="Send")
    expect(send).to_be_disabled()
    _attach(page, TEXT)
    send.click()
    assert _sent(wire) == {"text": "", "attachments": _ids()}


def test_an_image_for_a_model_that_reads_none_is_refused_at_its_chip(
    page: Page, wire: Wire, seeing: LanguageModel
) -> None:
    page.goto("/")
    chips = _attach(page, PICTURE)
    expect(chips).to_contain_text(BLIND)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_role("textbox", name="Message").press("Enter")
    expect(page.locator("#toasts")).to_have_text(BLIND)
    page.get_by_label("Model", exact=True).select_option("Seeing")
    expect(chips).not_to_contain_text(BLIND)
    page.get_by_role("button", name="Send").click()
    wire.heard("send")


def test_a_chip_is_removed_by_keyboard_and_its_upload_with_it(page: Page, owner: User) -> None:
    page.goto("/")
    chips = _uploaded(page, TEXT, ("b.py", "text/x-python", b"2"))
    remove = page.get_by_role("button", name="Remove a.py")
    with page.expect_response("**/remove"):
        remove.focus()
        page.keyboard.press("Enter")
    expect(chips).to_contain_text(["b.py"])
    expect(page.get_by_role("button", name="Remove b.py")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_what_the_server_refuses_says_why(page: Page, owner: User) -> None:
    page.goto("/")
    chips = _attach(page, ("a.bin", "application/octet-stream", b"\x7fELF\0"))
    expect(chips).to_contain_text(
        "Supported: PNG, JPEG, GIF and WebP images, PDF, DOCX and text files."
    )
    expect(chips.get_by_role("button", name="again")).to_have_count(0)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()


def test_a_failed_upload_is_tried_again(page: Page, owner: User) -> None:
    page.goto("/")
    page.route("**/attachments/", lambda route: route.abort())
    chips = _attach(page, TEXT)
    expect(chips).to_contain_text("The server cannot be reached.")
    page.unroute("**/attachments/")
    page.get_by_role("button", name="Upload a.py again").click()
    expect(chips).to_contain_text("8 B")


def test_a_failed_upload_is_tried_again_when_the_connection_is_back(
    page: Page, wire: Wire, owner: User
) -> None:
    page.goto("/")
    page.route("**/attachments/", lambda route: route.abort())
    chips = _attach(page, TEXT)
    expect(chips).to_contain_text("The server cannot be reached.")
    page.unroute("**/attachments/")
    wire.cut()
    expect(chips).to_contain_text("8 B")


def test_who_is_signed_out_meanwhile_is_told_and_loses_nothing(page: Page, owner: User) -> None:
    page.goto("/")
    page.context.clear_cookies()
    expect(_attach(page, TEXT)).to_contain_text("You are signed out.")


def test_what_is_attached_survives_a_reload(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    _uploaded(page, TEXT)
    page.reload()
    expect(_chips(page)).to_contain_text("a.py")
    page.get_by_role("button", name="Send").click()
    assert _sent(wire)["attachments"] == _ids()


def test_a_draft_says_what_is_not_there_any_more(page: Page, owner: User) -> None:
    page.goto("/")
    expect(_uploaded(page, TEXT)).to_contain_text("8 B")
    Attachment.objects.all().delete()
    page.reload()
    expect(_chips(page)).to_contain_text("no longer exists")


def test_a_message_with_attachments_waits_for_the_connection(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    expect(_uploaded(page, TEXT)).to_contain_text("8 B")
    wire.refusing = True
    wire.cut()
    page.get_by_role("textbox", name="Message").fill("look")
    page.keyboard.press("Enter")
    page.reload()
    expect(page.locator(".unsent")).to_contain_text("a.py")
    wire.refusing = False
    assert _sent(wire) == {"text": "look", "attachments": _ids()}


def test_a_rejected_message_comes_back_with_its_attachments(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    expect(_uploaded(page, TEXT)).to_contain_text("8 B")
    page.get_by_role("textbox", name="Message").fill("look")
    page.keyboard.press("Enter")
    wire.say({"type": "rejected", "key": wire.heard("send")["key"], "error": "No."})
    page.get_by_role("button", name="Edit").click()
    expect(page.locator(".chip")).to_contain_text("a.py")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("look")


def _paste(page: Page, text: str = "") -> None:
    """A picture in the clipboard, beside a text if there is one."""
    page.get_by_role("textbox", name="Message").evaluate(
        """(field, [bytes, text]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], "image.png", { type: "image/png" }));
          if (text) data.setData("text/plain", text);
          const event = { clipboardData: data, bubbles: true, cancelable: true };
          field.dispatchEvent(new ClipboardEvent("paste", event));
        }""",
        [list(png()), text],
    )


def test_a_picture_is_pasted_unless_a_text_is(page: Page, owner: User) -> None:
    page.goto("/")
    _paste(page, "Dear Sir")
    _paste(page)
    expect(_chips(page)).to_contain_text(["image.png"])


DROP = """([type]) => {
  const data = new DataTransfer();
  data.items.add(new File(["print(1)"], "a.py", { type: "" }));
  const event = { dataTransfer: data, bubbles: true, cancelable: true };
  document.querySelector("#thread").dispatchEvent(new DragEvent(type, event));
}"""


def test_files_are_dropped_anywhere_on_the_thread(page: Page, owner: User) -> None:
    page.goto("/")
    page.evaluate(DROP, ["dragover"])
    expect(page.get_by_text("Drop images, PDF, Word and text files here")).to_be_visible()
    page.evaluate(DROP, ["drop"])
    expect(page.get_by_text("Drop images, PDF, Word and text files here")).to_be_hidden()
    expect(_chips(page)).to_contain_text("8 B")


LARGE = """async () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [4096, 3072];
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const data = new DataTransfer();
  data.items.add(new File([blob], "large.webp", { type: "image/webp" }));
  const event = { clipboardData: data, bubbles: true, cancelable: true };
  document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", event));
}"""


def test_a_large_image_is_made_smaller_and_says_so(page: Page, owner: User) -> None:
    page.goto("/")
    page.get_by_role("textbox", name="Message").wait_for()
    page.evaluate(LARGE)
    expect(page.locator("#announcer")).to_have_text("large.png is attached.")
    header = read_header(bytes(Attachment.objects.get().content))
    assert header is not None and (header.width, header.height) == (2048, 1536)


def test_more_than_ten_are_not_attached(page: Page, owner: User) -> None:
    page.goto("/")
    chips = _attach(page, *(TEXT for _ in range(12)))
    expect(chips).to_have_count(10)
    expect(page.locator(".toast")).to_have_text("10 attachments are the limit of a message.")


# In the thread


def _turn_with(conversation: AConversation, *files: tuple[str, str, bytes], **fields: Any) -> Any:
    turn = conversation.turn("look", **fields)
    kept = [uploads.upload(conversation.row.owner, name, body) for name, _, body in files]
    uploads.tie(kept, turn.question)
    turn.question.body["content"] = content_with("look", kept)
    turn.question.save()
    return turn


def test_the_thread_shows_images_and_opens_texts(
    page: Page, opened: Opened, conversation: AConversation
) -> None:
    _turn_with(conversation, PICTURE, (NAME, "", b"print('<b>')"), answer="Yes.")
    opened(conversation)
    picture = page.get_by_role("img", name="shot.png")
    expect(picture).to_have_js_property("naturalWidth", 1)
    link = page.get_by_role("link", name="shot.png")
    expect(link).to_have_attribute("target", "_blank")
    page.locator("summary", has_text=NAME).click()
    expect(page.locator(".attachment-code")).to_have_text("print('<b>')")
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_attachments_of_a_message_stand_in_a_grid(
    page: Page, opened: Opened, conversation: AConversation
) -> None:
    pictures = [(f"{name}.png", "image/png", png(*size)) for name, size in SIZES.items()]
    texts = [("a.py", "", b"1"), ("a-name-that-is-rather-long-for-its-place.txt", "", b"2")]
    _turn_with(conversation, *pictures[:1], texts[0], *pictures[1:], texts[1], answer="Yes.")
    opened(conversation)
    boxes = [one.bounding_box() for one in page.locator(".user-message .attachment").all()]
    shapes = {(box["width"], box["height"]) for box in boxes if box}
    assert len(shapes) == 2, "one of images, one of files"


def test_a_failed_message_is_sent_again_with_its_attachments(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation
) -> None:
    _turn_with(conversation, TEXT, status="failed", error="No.")
    opened(conversation)
    page.get_by_role("button", name="Try again").click()
    assert _sent(wire) == {"text": "look", "attachments": _ids()}
