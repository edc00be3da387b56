"""The trace page on answers of every dialect: which text became what, and what the model read."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.product import Product
from benchmarks.stub import StubProcess
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

QUESTION = "What is 6 * 7?"
MODELS = [
    {"label": "nous", "dialect": "nous", "name": "stub-nous-t3-p5-n8-think-z9"},
    {"label": "native", "name": "stub-t2-z9-n8"},
    {"label": "functions", "dialect": "functions", "name": "stub-t1-n8"},
    {
        "label": "anthropic",
        "kind": "anthropic",
        "dialect": "anthropic",
        "name": "stub-t2-z9-n8-p5",
    },
    {"label": "again", "name": "stub-n8-f429-x1-w1"},
]
LOUD = "{% for message in messages %}{{ message.role | upper }}! {% endfor %}"


@pytest.fixture(scope="module")
def traces(chromium: Browser, product: Product, signed_in: Any, stub: StubProcess) -> Any:
    """The address of a trace, by the model that answered."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in)
    found = {}
    for label in (model["label"] for model in MODELS):
        chat = Chat(context.new_page())
        chat.page.goto("/")
        chat.page.get_by_label("Model", exact=True).select_option(label=label)
        chat.ask(QUESTION)
        link = chat.ended(1).get_by_role("link", name="Trace", exact=True)
        found[label] = str(link.get_attribute("href")).partition("?")[0]
        chat.page.close()
    context.close()
    return found


def test_pointing_at_a_text_lights_up_the_call_that_it_became(
    page: Page, traces: dict[str, str]
) -> None:
    page.goto(traces["nous"])
    response, output = page.locator("#stage-response"), page.locator("#stage-output")
    block = response.locator("[data-became=tool_call]").nth(1)
    block.hover()
    call = output.locator(".message-call").nth(1)
    expect(call).to_have_attribute("data-lit", "")
    expect(page.locator("[data-lit]")).to_have_count(2)
    output.locator(".message-call").nth(2).hover()
    expect(response.locator("[data-became=tool_call]").nth(2)).to_have_attribute("data-lit", "")
    expect(block).not_to_have_attribute("data-lit", "")


def test_the_keyboard_goes_from_a_text_to_its_call_and_back(
    page: Page, traces: dict[str, str]
) -> None:
    page.goto(traces["nous"])
    number = page.locator("#stage-response [data-became=tool_call] a").first
    number.focus()
    call = page.locator("#stage-output .message-call").first
    expect(call).to_have_attribute("data-lit", "")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"#became-\d+$"))
    call.locator("a").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"#from-\d+$"))


def test_reasoning_is_told_from_content_in_both_columns(page: Page, traces: dict[str, str]) -> None:
    page.goto(traces["nous"])
    thought = page.locator("#stage-response [data-became=reasoning]").first
    thought.hover()
    expect(page.locator("#stage-output .message-reasoning")).to_have_attribute("data-lit", "")


@pytest.mark.parametrize(
    ("label", "calls"), [("nous", 3), ("native", 2), ("functions", 1), ("anthropic", 2)]
)
def test_every_call_of_every_dialect_is_linked(
    page: Page, traces: dict[str, str], label: str, calls: int
) -> None:
    page.goto(traces[label])
    numbers = page.locator("#stage-output .message-call a.origin-number")
    expect(numbers).to_have_count(calls)
    for number in numbers.all():
        origin = page.locator(str(number.get_attribute("href")))
        expect(origin).to_contain_text("calculate")


def test_a_request_is_shown_as_the_prompt_that_the_model_reads(
    page: Page, traces: dict[str, str]
) -> None:
    page.goto(traces["nous"])
    page.get_by_role("link", name="as prompt").click()
    prompt = page.locator("#stage-request .prompt-text")
    expect(prompt.first).to_contain_text("<|im_start|>system")
    page.get_by_role("button", name="Next round").click()
    new = page.locator("#stage-request .prompt-text[data-new]")
    expect(new).to_contain_text("<tool_response>")
    expect(new).not_to_contain_text("# Tools")


def test_an_admin_looks_through_another_template(
    page: Page, traces: dict[str, str], problems: list[str]
) -> None:
    page.goto(f"{traces['native']}?request=prompt")
    page.get_by_role("link", name=re.compile("full page")).click()
    page.get_by_text("Chat template:").click()
    template = page.get_by_role("textbox", name="Chat template")
    template.fill(LOUD)
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".prompt-text").first).to_have_text("USER! ")
    template.fill("{{ messages")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("in line 1")
    assert "422" in problems.pop()  # Chromium notes every refused form


def test_chunks_are_shown_by_their_arrival(page: Page, traces: dict[str, str]) -> None:
    page.goto(traces["anthropic"])
    page.get_by_role("link", name="chunks").click()
    events = page.locator(".arrivals > li")
    expect(events.first).to_contain_text("message_start")
    expect(events.first.locator(".number")).to_have_text(re.compile(r"^[\d,.]+ ms$"))


def test_failed_attempts_say_what_happened_and_how_long_the_wait_was(
    page: Page, traces: dict[str, str]
) -> None:
    page.goto(traces["again"])
    failed = page.locator(".lane-error")
    expect(failed).to_contain_text("HTTP 429")
    expect(failed).to_contain_text("tried again after 1.0 s")
    failed.get_by_role("link", name="what came back").click()
    expect(page.locator("body")).to_contain_text("rate_limit")


@pytest.mark.parametrize(
    "place",
    [
        ("nous", ""),
        ("nous", "?round=2&request=prompt"),
        ("nous", "rounds/2/prompt"),
        ("native", "?view=json"),
        ("anthropic", "?response=chunks"),
        ("anthropic", "?round=2"),
        ("again", "?attempt=1"),
    ],
)
def test_everybody_can_use_it(page: Page, traces: dict[str, str], place: tuple[str, str]) -> None:
    label, rest = place
    page.goto(traces[label] + rest)
    page.wait_for_load_state("networkidle")
    assert accessibility_problems(page) == []
