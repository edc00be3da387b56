"""`/` and `@` in the composer, ↑, the sending key, long pastes, dictation."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from chat import workspaces
from chat.models import PersonalSettings, Preset, PromptTemplate
from chat.tests.builders import AConversation, a_model
from chat.tests.page.conftest import Wire
from tests import axe

pytestmark = pytest.mark.browser
PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const field = document.getElementById("message");
  const options = {clipboardData: data, bubbles: true, cancelable: true};
  field.dispatchEvent(new ClipboardEvent("paste", options));
}"""

# As Safari reports it: not composing any more.
ENDED = """field => {
  const press = {key: "Enter", keyCode: 229, bubbles: true, cancelable: true};
  field.dispatchEvent(new KeyboardEvent("keydown", press));
}"""


@pytest.fixture
def home(page: Page, wire: Wire) -> Page:
    page.goto("/")
    expect(_field(page)).to_be_focused()
    return page


def _field(page: Page) -> Any:
    return page.get_by_role("textbox", name="Message")


def _options(page: Page) -> Any:
    return page.locator("#suggestions [role=option]")


def test_a_prompt_is_inserted_after_its_variables_are_asked_for(
    owner: User, page: Page, wire: Wire
) -> None:
    text = "把{{原文: lines}}译成{{语言 = 英文}}"
    PromptTemplate.objects.create(owner=owner, name="翻译", text=text)
    page.goto("/")
    _field(page).press_sequentially("/翻")
    expect(_options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Prompts and resources")
    expect(dialog.get_by_label("语言")).to_have_value("英文")
    dialog.get_by_label("原文").fill("一行\n两行")
    page.keyboard.press("Control+Enter")
    expect(_field(page)).to_have_value("把一行\n两行译成英文")
    expect(_field(page)).to_be_focused()


def test_a_prompt_without_variables_is_inserted_at_once(
    owner: User, page: Page, wire: Wire
) -> None:
    PromptTemplate.objects.create(owner=None, name="summary", text="Summarise this.")
    page.goto("/")
    _field(page).press_sequentially("/sum")
    expect(_options(page)).to_have_count(1)
    page.keyboard.press("Tab")
    expect(_field(page)).to_have_value("Summarise this.")


def test_escape_leaves_the_text_and_enter_sends_it(
    owner: User, page: Page, wire: Wire, conversation: AConversation
) -> None:
    PromptTemplate.objects.create(owner=None, name="summary", text="Summarise this.")
    page.goto(conversation.url)
    _field(page).press_sequentially("/s")
    expect(_options(page)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#suggestions")).to_be_hidden()
    page.keyboard.press("Enter")
    assert wire.heard("send")["text"] == "/s"


def test_the_enter_that_ends_a_composition_chooses_nothing(
    page: Page, wire: Wire, owner: User
) -> None:
    PromptTemplate.objects.create(owner=None, name="summary", text="Summarise this.")
    page.goto("/")
    _field(page).press_sequentially("/sum")
    expect(_options(page)).to_have_count(1)
    _field(page).evaluate(ENDED)
    expect(_field(page)).to_have_value("/sum")
    expect(_options(page)).to_have_count(1)


def test_what_an_input_method_writes_is_found(page: Page, wire: Wire, owner: User) -> None:
    Preset.objects.create(owner=owner, name="研究员")
    page.goto("/")
    _field(page).press_sequentially("@")
    expect(_options(page).first).to_contain_text("Walkthrough")
    keyboard = page.context.new_cdp_session(page)
    keyboard.send(
        "Input.imeSetComposition", {"text": "yan", "selectionStart": 3, "selectionEnd": 3}
    )
    keyboard.send("Input.insertText", {"text": "研究"})
    expect(_options(page)).to_have_text(re.compile("研究员"))
    page.keyboard.press("Enter")
    expect(_field(page)).to_have_value("")


def test_a_model_is_chosen_by_its_name_for_one_message(page: Page, wire: Wire, owner: User) -> None:
    other = a_model("other", label="Another model")
    page.goto("/")
    _field(page).press_sequentially("Why? @another")
    expect(_options(page).first).to_contain_text("Another model")
    page.keyboard.press("Enter")
    expect(page.locator("#model")).to_have_value(str(other.public_id))
    expect(_field(page)).to_have_value("Why? ")
    page.keyboard.press("Enter")
    assert wire.heard("send")["model"] == str(other.public_id)
    expect(page.locator("#model option:checked")).to_have_text("Walkthrough")


def test_an_assistant_is_chosen_by_its_name_in_a_conversation_too(
    page: Page, wire: Wire, owner: User, conversation: AConversation
) -> None:
    Preset.objects.create(owner=owner, name="研究员")
    page.goto(conversation.url)
    _field(page).press_sequentially("问@研究")
    expect(_options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("研究员 answers from the next message on.")
    conversation.row.refresh_from_db()
    assert conversation.row.preset is not None


def test_a_file_and_a_tool_are_named_in_the_text(
    page: Page, wire: Wire, conversation: AConversation
) -> None:
    folder = workspaces.folder(conversation.row.public_id)
    folder.mkdir(parents=True)
    (folder / "quokka report.csv").write_text("a")
    page.goto(conversation.url)
    _field(page).press_sequentially("Read @quokka")
    expect(_options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(_field(page)).to_have_value('Read "quokka report.csv" ')
    _field(page).press_sequentially("with @calculate")
    expect(_options(page).first).to_contain_text("calculate")
    page.keyboard.press("Enter")
    expect(_field(page)).to_have_value(re.compile("with calculate $"))


def test_the_suggestions_move_nothing(page: Page, wire: Wire, owner: User) -> None:
    PromptTemplate.objects.create(owner=None, name="summary", text="Summarise this.")
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto("/")
    before = page.locator("#composer").bounding_box()
    _field(page).press_sequentially("/")
    expect(_options(page).first).to_be_visible()
    assert page.locator("#composer").bounding_box() == before
    box = page.locator("#suggestions").bounding_box()
    assert box is not None and box["y"] >= 0 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert axe.run(page, within=".below")["broken"] == []


def test_who_likes_ctrl_enter_sends_by_it(
    page: Page, wire: Wire, owner: User, conversation: AConversation
) -> None:
    PersonalSettings.change(owner, sending_key=PersonalSettings.SendingKey.CTRL_ENTER)
    page.goto(conversation.url)
    _field(page).press_sequentially("one")
    page.keyboard.press("Enter")
    _field(page).press_sequentially("two")
    page.keyboard.press("Control+Enter")
    assert wire.heard("send")["text"] == "one\ntwo"


def test_a_long_paste_becomes_a_file_that_can_be_inserted_as_text(home: Page) -> None:
    home.evaluate(PASTE, "数据\n" * 5_000)
    chip = home.locator(".chip")
    expect(chip).to_contain_text("Pasted text.txt")
    expect(chip).to_contain_text("long paste")
    expect(_field(home)).to_have_value("")
    chip.get_by_role("button", name="Insert as text").click()
    expect(_field(home)).to_have_value("数据\n" * 5_000)
    expect(chip).to_have_count(0)


def test_a_short_paste_is_text(home: Page) -> None:
    home.evaluate(PASTE, "short")
    expect(home.locator(".chip")).to_have_count(0)


def test_a_megabyte_of_text_can_be_typed_in(home: Page) -> None:
    assert home.locator("textarea[dir=auto]").count() == 0  # it would take half a minute
    length = home.evaluate(
        """() => {
          const field = document.getElementById("message");
          field.value = "line of text\\n".repeat(76_000);
          field.dispatchEvent(new Event("input", {bubbles: true}));
          field.focus();
          document.execCommand("insertText", false, "x");
          return field.value.length;
        }"""
    )
    assert length == 13 * 76_000 + 1
    expect(home.locator("#draft-note")).to_be_hidden()
    box = home.locator("#composer").bounding_box()
    assert box is not None and box["height"] < 500


def test_without_speech_recognition_there_is_no_button(page: Page, wire: Wire) -> None:
    page.add_init_script("delete window.webkitSpeechRecognition; delete window.SpeechRecognition;")
    page.goto("/")
    expect(_field(page)).to_be_focused()
    expect(page.locator("#dictate")).to_be_hidden()


def test_what_is_dictated_is_inserted_at_the_cursor(page: Page, wire: Wire) -> None:
    page.add_init_script(
        """window.SpeechRecognition = class extends EventTarget {
          start() { window.recognition = this; }
          stop() { this.dispatchEvent(new Event("end")); }
          hear(transcript) {
            const result = Object.assign([{transcript}], {isFinal: true});
            const heard = {results: [result], resultIndex: 0};
            this.dispatchEvent(Object.assign(new Event("result"), heard));
          }
        };"""
    )
    page.goto("/")
    button = page.get_by_role("button", name="Dictate")
    expect(button).to_have_attribute("title", re.compile("may send the sound to its vendor"))
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.evaluate("recognition.hear('hello'); recognition.hear('world')")
    expect(_field(page)).to_have_value("hello world")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(_field(page)).to_be_focused()
