"""From a round of a trace on: the request copied, run again in other words, and forked."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.stub import StubProcess
from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

TABLES, COUNTS, *_ = questions()
MODELS = [
    {"label": "Plain", "name": "stub-n12"},
    {"label": "Slow", "name": "stub-r20-n2000"},
    {"label": "Refused", "name": "stub-f401"},
]
PROMPT = "You are terse. 简短回答。"


@pytest.fixture
def trace(stub: StubProcess, chat: Chat) -> Page:
    """The trace of the walkthrough's first turn, at its first round."""
    chat.ask(TABLES)
    chat.ended(1).get_by_role("link", name="Trace", exact=True).click()
    expect(chat.page.get_by_role("navigation", name="Act on this round")).to_be_visible()
    chat.page.wait_for_load_state()  # its scripts have run
    return chat.page


@pytest.fixture
def playground(trace: Page) -> Page:
    trace.get_by_role("button", name="Open in the playground").click()
    expect(trace.get_by_label("Content of message 1")).not_to_be_empty()
    return trace


def run(page: Page, model: str, dialect: str = "") -> Locator:
    """Runs what is in the form; the outputs, which may be under way."""
    page.get_by_label("Model", exact=True).select_option(label=model)
    page.get_by_label("Dialect").select_option(dialect)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"run=\d+"))
    return page.locator("#outputs")


def ended(outputs: Locator) -> Locator:
    expect(outputs).to_have_attribute("data-open", "no")
    return outputs


def test_a_round_runs_again_in_another_dialect_beside_the_original(
    playground: Page, stub: StubProcess
) -> None:
    playground.get_by_label("Content of message 1").fill(PROMPT)
    outputs = ended(run(playground, "Plain", "nous"))
    expect(outputs.get_by_role("heading", level=2)).to_have_text("Original and run 1")
    expect(outputs.get_by_role("row", name="Dialect")).to_contain_text("nous")
    expect(outputs.get_by_role("region", name="call of original")).to_contain_text("list_tables")
    expect(outputs.get_by_role("region", name="content of run 1").locator("ins")).not_to_be_empty()
    body = json.loads(stub.completions[-1].body)
    assert body["messages"][0]["content"].startswith(PROMPT)
    assert "# Tools" in body["messages"][0]["content"]
    assert accessibility.problems(playground) == []
    outputs.get_by_role("link", name="Trace").last.click()
    expect(playground.get_by_role("link", name="Run 1 in the playground")).to_be_visible()


def test_what_is_typed_survives_a_failed_run_and_a_reload(
    playground: Page, problems: list[str]
) -> None:
    playground.get_by_label("Temperature").fill("hot")
    playground.get_by_role("button", name="Run", exact=True).click()
    expect(playground.get_by_text("Enter a number.")).to_be_visible()
    problems.clear()  # the 422
    playground.reload()
    expect(playground.get_by_label("Temperature")).to_have_value("hot")
    playground.get_by_label("Temperature").fill("0.5")
    outputs = ended(run(playground, "Refused"))
    expect(outputs).to_contain_text("rejected the API key")
    expect(outputs).to_contain_text("Check the key on the provider's page")
    playground.reload()
    expect(playground.get_by_label("Temperature")).to_have_value("0.5")
    assert accessibility.problems(playground) == []


def test_a_run_is_seen_while_it_speaks_and_stopped(playground: Page) -> None:
    outputs = run(playground, "Slow")
    said = outputs.get_by_role("region", name="content of run 1")
    expect(said).to_contain_text(":")
    assert outputs.get_attribute("data-open") == "yes"
    outputs.get_by_role("button", name="Stop").click()
    expect(ended(outputs)).to_contain_text("stopped")
    expect(said).not_to_be_empty()


def test_the_form_and_the_json_are_one_draft(playground: Page) -> None:
    playground.get_by_role("group", name="Add a message").get_by_text("assistant").click()
    playground.get_by_role("button", name="Call", exact=True).last.click()
    playground.get_by_label("Tool", exact=True).fill("count")
    playground.get_by_role("group", name="Add a message").get_by_text("tool").click()
    playground.get_by_role("listitem", name="Message 4, tool").get_by_label("Move up").click()
    playground.get_by_role("button", name="JSON", exact=True).click()
    field = playground.get_by_label("The draft as JSON")
    draft = json.loads(field.input_value())
    assert [one["role"] for one in draft["messages"]] == ["system", "user", "tool", "assistant"]
    assert draft["messages"][3]["tool_calls"][0]["function"]["name"] == "count"
    assert draft["messages"][2]["tool_call_id"] == draft["messages"][3]["tool_calls"][0]["id"]
    draft["messages"] = [{"role": "user", "content": "几张表?"}]
    field.fill(json.dumps(draft))
    playground.get_by_role("button", name="Form", exact=True).click()
    expect(playground.get_by_label("Content of message 1")).to_have_value("几张表?")


def test_a_key_copies_the_request_as_curl(trace: Page) -> None:
    trace.context.grant_permissions(["clipboard-read", "clipboard-write"])
    trace.keyboard.press("c")
    expect(trace.get_by_text("Copied")).to_be_visible()
    copied = trace.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("curl --no-buffer 'http://127.0.0.1:")
    assert TABLES in copied
    trace.get_by_role("link", name="See the Python program").click()
    expect(trace.get_by_label("The program")).to_contain_text("from openai import OpenAI")
    assert accessibility.problems(trace) == []


def test_a_fork_goes_on_as_a_conversation_of_its_own(trace: Page) -> None:
    place = trace.url
    trace.get_by_role("button", name="Fork before the question").click()
    chat = Chat(trace)
    expect(chat.composer).to_have_value(TABLES)
    chat.composer.press("Enter")
    chat.ended(1)
    chat.ask(COUNTS)  # the recording answers this behind the first question alone
    expect(chat.ended(2).locator(".call-name")).to_have_count(3)
    trace.goto(f"{place.partition('?')[0]}?round=2")
    trace.get_by_role("button", name="Fork after round 2").click()
    expect(trace.get_by_text("Forked after round 2 of")).to_be_visible()
    chat.ask(COUNTS)
    expect(chat.ended(2).locator(".call-name")).to_have_count(3)
    assert accessibility.problems(trace) == []
    trace.get_by_text("Forked after round 2 of").get_by_role("link").click()
    expect(trace).to_have_url(re.compile(r"/traces/.+round=2"))
