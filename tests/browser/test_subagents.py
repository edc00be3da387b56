"""Subagents as they are seen: cards that move, open, ask, are stopped."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from benchmarks.product import Product
from benchmarks.stub import stub_process
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat, opened

pytestmark = pytest.mark.browser

MODELS = {"Delegator": "stub-r60-n60-d300-ask", "Slow": "stub-r10-n4000-d300-ask"}
STEPS = 'call new-steps {"count": 2}'
SUMS = 'call calculate {"expr": "6*7"}\nthen\ncall calculate {"expr": "1+1"}'


@pytest.fixture(scope="module")
def seeded(product: Product) -> Iterator[None]:
    with stub_process() as stub:
        product.run(
            "tests.browser.delegating_server", {"base_url": stub.base_url, "models": MODELS}
        )
        yield


@pytest.fixture
def chat(seeded: None, chat: Chat) -> Chat:
    chat.page.get_by_label("Model", exact=True).select_option(label="Delegator")
    return chat


def delegate(chat: Chat, *prompts: str) -> list[Locator]:
    """Sends a message that makes these subagents; answers their cards."""
    lines = [
        "call task " + json.dumps({"prompt": prompt, "description": f"Part {number}"})
        for number, prompt in enumerate(prompts, 1)
    ]
    chat.ask("\n".join(lines))
    places = chat.page.locator("[data-subagent]")
    expect(places).to_have_count(len(prompts))
    cards = chat.page.locator("#thread > .turn > .answer > .rounds > .round > .calls > .call-item")
    return [cards.nth(number) for number in range(len(prompts))]


def open_card(card: Locator) -> Locator:
    """What is within, once the card is open."""
    card.locator("> .call > summary").click()
    inside = card.locator(".nested-turn")
    expect(inside).to_be_visible()
    return inside


def over(chat: Chat, state: str = "done") -> None:
    answer = chat.page.locator(f"#thread > .turn > .answer[data-state={state}]")
    expect(answer).to_be_visible()


def test_two_are_at_work_one_asks_and_both_end(chat: Chat) -> None:
    sums, steps = delegate(chat, SUMS, STEPS)
    # The one that needs the person opens itself, and says so wherever the person looks.
    ask = steps.locator(".ask")
    expect(ask).to_be_visible()
    expect(steps.locator("> .call > summary")).to_contain_text("waits for you")
    status = chat.page.locator("#thread > .turn > .answer > [data-status]")
    expect(status).to_contain_text("waits for you: new-steps of a subagent")
    expect(chat.page.locator(".conversation-waits")).to_have_count(1)
    rounds = open_card(sums)
    expect(rounds.locator(".call-item").first).to_contain_text("42")
    assert accessibility_problems(chat.page) == []
    ask.get_by_role("button", name="Allow once", exact=True).click()
    over(chat)
    expect(chat.page.locator(".conversation-waits")).to_have_count(0)
    for card in (sums, steps):
        expect(card).to_have_attribute("data-state", "succeeded")
        expect(card.locator(".nested-turn > .answer")).to_have_attribute("data-state", "done")
    figures = chat.page.locator("#thread > .turn > .answer > .answer-foot")
    expect(figures).to_contain_text(re.compile(r"2 rounds.*2 subagents \(5 rounds\)", re.DOTALL))


def test_a_reload_keeps_what_is_under_way(chat: Chat) -> None:
    delegate(chat, STEPS)
    expect(chat.page.locator(".ask")).to_be_visible()
    chat.reload()
    ask = chat.page.locator(".ask")
    expect(ask).to_be_visible()
    ask.get_by_role("button", name="Allow once", exact=True).click()
    over(chat)


def test_another_tab_decides(chat: Chat, context: BrowserContext) -> None:
    delegate(chat, STEPS)
    other = context.new_page()
    opened(other, lambda: other.goto(chat.page.url))
    other.get_by_role("button", name="Allow for this conversation").click()
    over(chat)
    expect(chat.page.locator(".ask")).to_have_count(0)


def test_the_text_grows_while_the_card_is_open_and_stop_ends_the_tree(chat: Chat) -> None:
    chat.page.get_by_label("Model", exact=True).select_option(label="Slow")
    cards = delegate(chat, "one", "two")
    insides = [open_card(card) for card in cards]
    for inside in insides:
        expect(inside.locator("[data-live-content]")).to_contain_text("9:")
    chat.stop.click()
    over(chat, "stopped")
    for inside in insides:
        answer = inside.locator("> .answer")
        expect(answer).to_have_attribute("data-state", "stopped")
        expect(answer.locator(".prose")).to_contain_text("9:")


def test_one_is_stopped_and_the_others_go_on(chat: Chat) -> None:
    first, second = delegate(chat, STEPS, SUMS)
    inside = first.locator(".nested-turn")
    inside.get_by_role("button", name="Stop this subagent").click()
    over(chat)
    expect(first.locator("> .call > summary")).to_contain_text("The user stopped the subagent")
    expect(second).to_have_attribute("data-state", "succeeded")


def test_a_card_that_is_opened_after_the_end_has_everything(chat: Chat) -> None:
    (card,) = delegate(chat, SUMS)
    over(chat)
    chat.page.reload()
    inside = open_card(card)
    expect(inside.locator(".call-item")).to_have_count(2)
    expect(inside.locator(".prose")).to_contain_text("59:")
    expect(inside.get_by_role("link", name="Trace", exact=True)).to_be_visible()


def test_its_own_address_leads_to_its_open_card(chat: Chat) -> None:
    (card,) = delegate(chat, SUMS)
    over(chat)
    conversation = card.locator("[data-subagent]").get_attribute("data-subagent")
    chat.page.goto(f"/c/{conversation}/")
    expect(card.locator(".nested-turn")).to_be_visible()
