"""The trace of a turn that delegated and made room: subagents, a summary, a reminder."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.product import Product
from benchmarks.stub import StubProcess, stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

CALCULATE = 'call calculate {"expr": "6*7"}'
TODO = {"items": [{"id": "1", "text": "Find the bug", "status": "in_progress"}]}


def task(prompt: str, title: str) -> str:
    return f"call task {json.dumps({'prompt': prompt, 'description': title})}"


FIRST = f"call todo {json.dumps(TODO)}"
# In one round: whatever comes after a summary is all that the stub knows of.
SECOND = "\n".join(
    [task(CALCULATE, "Find the bug"), task(CALCULATE, "读取日志"), "call compact {}"]
)


@pytest.fixture(scope="module")
def stub(product: Product) -> Iterator[StubProcess]:
    with stub_process() as stub:
        wanted = {"base_url": stub.base_url, "models": {"Agent": "stub-r0-ask-n5"}}
        product.run("tests.browser.agent_trace_server", wanted)
        yield stub


@pytest.fixture(scope="module")
def made() -> list[str]:
    """The address of the trace, once there is one."""
    return []


@pytest.fixture
def trace(page: Page, stub: StubProcess, made: list[str]) -> Page:
    """The page of a turn with two subagents, a summary after them, and a reminder."""
    if not made:
        made.append(asked(page))
    page.goto(made[0])
    return page


def asked(page: Page) -> str:
    page.goto("/")
    page.get_by_label("Model", exact=True).select_option(label="Agent")
    chat = Chat(page)
    chat.ask(FIRST)
    chat.ended(1)
    chat.ask(SECOND)
    link = chat.ended(2).get_by_role("link", name="Trace", exact=True)
    return link.get_attribute("href") or ""


def tree(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Rounds")


def test_two_subagents_overlap_below_their_round(trace: Page) -> None:
    nested = tree(trace).locator(".nested")
    expect(nested).to_have_count(2)
    expect(nested.first.get_by_role("link", name=re.compile("Round 1"))).to_be_visible()
    expect(nested.last).to_contain_text("calculate")
    expect(trace.locator(".trace-head")).to_contain_text("with 2 subagents")


def test_a_subagent_s_trace_leads_back_to_its_call(trace: Page) -> None:
    tree(trace).locator(".nested").first.get_by_role("link", name=re.compile("Round 2")).click()
    expect(trace.get_by_role("heading", name="Round 2", exact=True)).to_be_visible()
    trace.get_by_role("link", name="task: Find the bug").click()
    expect(trace.get_by_role("heading", name="The chosen call")).to_be_visible()
    expect(trace.locator("#chosen")).to_contain_text("Trace of the subagent")


def test_what_was_left_out_stands_between_the_rounds_and_opens(trace: Page) -> None:
    tree(trace).get_by_role("link", name=re.compile("Context: summarised")).click()
    expect(trace.get_by_role("heading", name="Before round 2")).to_be_visible()
    expect(trace.get_by_role("heading", name="The summary")).to_be_visible()
    expect(trace.locator("#stage-request")).to_contain_text("You write the summary")
    trace.go_back()
    expect(trace.get_by_role("heading", name="Round 1", exact=True)).to_be_visible()


def test_the_round_after_it_names_it_and_marks_what_gave_way(trace: Page) -> None:
    tree(trace).get_by_role("link", name=re.compile("Round 2")).last.click()
    expect(trace.locator("#round")).to_contain_text("context summarised on demand")
    expect(trace.locator("#stage-request [data-change=compacted]")).to_contain_text("replaces")


def test_keys_walk_over_subagents_without_leaving_the_page(trace: Page) -> None:
    here = trace.url
    tree(trace).get_by_role("link", name=re.compile("^done task")).first.focus()
    for _ in range(3):
        trace.keyboard.press("j")
    expect(tree(trace).locator(".nested a:focus")).to_contain_text("calculate")
    assert trace.url == here
    trace.keyboard.press("k")
    trace.keyboard.press("Enter")
    expect(trace.locator(".trace-above")).to_be_visible()


def test_a_step_from_a_compaction_leads_into_the_round(trace: Page) -> None:
    tree(trace).get_by_role("link", name=re.compile("Context: summarised")).click()
    expect(trace.get_by_role("heading", name="Before round 2")).to_be_visible()
    trace.keyboard.press("ArrowRight")
    expect(trace).to_have_url(re.compile(r"round=2&step=input"))
    expect(trace.get_by_role("heading", name="Round 2", exact=True)).to_be_visible()


def test_each_task_is_one_step_and_leads_into_the_replay_of_its_subagent(trace: Page) -> None:
    trace.goto(f"{trace.url}?round=1&step=call-1-started")
    trace.get_by_role("link", name="Replay it").first.click()
    expect(trace).to_have_url(re.compile(r"round=1&step=input"))
    expect(trace.locator(".trace-above")).to_contain_text("Find the bug")


def test_a_nested_round_leads_to_its_call_in_the_chat(trace: Page) -> None:
    tree(trace).get_by_role("link", name="Trace of the subagent").first.click()
    trace.get_by_role("link", name="In the chat").first.click()
    expect(trace.get_by_role("textbox", name="Message")).to_be_visible()
    assert "#call-" in trace.url


def test_the_pages_have_no_known_barriers(trace: Page) -> None:
    assert accessibility_problems(trace) == []
    tree(trace).get_by_role("link", name=re.compile("Context: summarised")).click()
    expect(trace.get_by_role("heading", name="The summary")).to_be_visible()
    assert accessibility_problems(trace) == []
    tree(trace).get_by_role("link", name="Trace of the subagent").first.click()
    expect(trace.locator(".trace-above")).to_be_visible()
    assert accessibility_problems(trace) == []
