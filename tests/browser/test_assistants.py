"""Assistants as a person meets them: made, chosen, changed, taken out and in again."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.stub import StubProcess
from tests.browser import accessibility
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

MODELS = [
    {"label": "First", "name": "stub-n8"},
    {"label": "Second", "name": "stub-n9"},
]
KIND = "你是一个友好的助手。\nBe kind."


def make(page: Page, name: str, prompt: str, model: str = "") -> None:
    """Fills in the form and saves: the page of the new assistant."""
    page.goto("/assistants/new")
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("textbox", name="Description").fill(f"{name} helps.")
    page.get_by_role("textbox", name="System prompt").fill(prompt)
    page.get_by_role("textbox", name="Starters").fill("Say hello\nSay more")
    if model:
        page.get_by_role("combobox", name="Model").select_option(label=model)
    page.get_by_role("radio", name="Only these").first.check()
    page.get_by_role("checkbox", name="calculate", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def read(stub: StubProcess) -> Any:
    """What the model read last."""
    return json.loads(stub.completions[-1].body)


def test_an_assistant_is_made_chosen_and_changed_within_the_conversation(
    page: Page, stub: StubProcess
) -> None:
    make(page, "Kind one", KIND, "Second")
    page.get_by_role("link", name="Start a conversation").click()
    expect(page.get_by_role("combobox", name="Assistant")).to_contain_text("Kind one")
    page.wait_for_load_state()
    chat = Chat(page)
    page.get_by_role("button", name="Say hello").click()
    chat.ended(1)
    sent = read(stub)
    assert (sent["model"], sent["messages"][0]["content"]) == ("stub-n9", KIND)
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["calculate"]

    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Assistant: Kind one").click()
    page.get_by_role("radio", name="Database assistant").check()
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("Database assistant answers from the next message on.")).to_be_visible()
    chat.ask("And now?")
    chat.ended(2)
    messages = read(stub)["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert messages[0]["content"] == "你扮演一个数据库助手,你具有查询数据库的能力"
    page.reload()
    page.get_by_label("This conversation", exact=True).click()
    expect(page.get_by_role("button", name="Assistant: Database assistant")).to_be_visible()


def test_the_picker_shows_what_is_chosen_and_what_is_off(page: Page, stub: StubProcess) -> None:
    page.goto("/")
    page.get_by_role("combobox", name="Assistant").select_option(label="Coding assistant")
    expect(page.get_by_text("Plans, writes and runs code")).to_be_visible()
    expect(page.get_by_text("Not available")).to_contain_text("bash")
    expect(page.get_by_role("button", name="Write a Python script")).to_be_visible()
    expect(page.get_by_role("button", name="数据库有几张表")).to_be_hidden()
    page.get_by_role("combobox", name="Assistant").select_option(label="None")
    expect(page.get_by_text("Not available")).to_be_hidden()


def test_limits_of_a_conversation_are_refused_with_a_reason_and_kept(
    page: Page, stub: StubProcess, problems: list[str]
) -> None:
    page.goto("/")
    chat = Chat(page)
    page.locator("#model").select_option(label="First")
    chat.ask("Hello")
    chat.ended(1)
    open_limits(page)
    page.get_by_role("textbox", name="Rounds of a turn").fill("500")
    page.get_by_role("textbox", name="Items of the todo list").fill("7")
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("50 is the limit here")).to_be_visible()
    expect(page.get_by_role("textbox", name="Items of the todo list")).to_have_value("7")
    problems.clear()  # the browser tells of the refusal
    page.get_by_role("textbox", name="Rounds of a turn").fill("")
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_text("The limits of this conversation are saved.")).to_be_visible()
    page.reload()
    open_limits(page)
    expect(page.get_by_role("textbox", name="Items of the todo list")).to_have_value("7")


def open_limits(page: Page) -> None:
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Limits", exact=True).click()
    expect(page.get_by_role("textbox", name="Rounds of a turn")).to_be_visible()


def test_an_assistant_is_exported_and_imported(
    page: Page, stub: StubProcess, tmp_path: Path
) -> None:
    make(page, "Traveller", KIND)
    page.get_by_text("More", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export JSON").click()
    file = tmp_path / "assistant.json"
    download.value.save_as(file)
    assert json.loads(file.read_text("utf-8"))["system_prompt"] == KIND
    page.goto("/assistants/import")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="Traveller 2", level=1)).to_be_visible()
    expect(page.get_by_text("The name is taken")).to_be_visible()


def test_a_chosen_assistant_is_accessible(page: Page, stub: StubProcess) -> None:
    page.goto("/")
    page.get_by_role("combobox", name="Assistant").select_option(label="Coding assistant")
    assert accessibility.problems(page) == []
