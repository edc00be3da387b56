"""The trace of the article's conversation, played step by step against what the article prints."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.product import Product
from benchmarks.stub import StubProcess
from chat.cassettes.walkthrough import article, questions
from tests.browser.accessibility import problems as accessibility_problems
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

CALLS = {(call["turn"], call["round"]): call for call in article()["calls"]}
STAGES = ["input", "request", "response", "output"]
MOMENTS = ["proposed", "started", "ended"]
ROUNDS = [2, 2, 2, 3]
CALLS_OF_A_TURN = [1, 3, 3, 2]
# In the middle of a stream, a page may be this much behind on a busy machine.
PLAYED_MS = 60_000
# An answer of two seconds.
MODELS = [{"label": "Paced", "name": "stub-r40-n80"}]


@pytest.fixture(scope="module")
def traces(chromium: Browser, product: Product, signed_in: Any) -> list[str]:
    """The addresses of the four turns' traces."""
    context = chromium.new_context(base_url=product.url, storage_state=signed_in)
    chat = Chat(context.new_page())
    chat.page.goto("/")
    for number, question in enumerate(questions(), 1):
        chat.ask(question)
        chat.ended(number)
    links = chat.page.get_by_role("link", name="Trace", exact=True)
    found = [str(link.get_attribute("href")) for link in links.all()]
    context.close()
    return found


class Stepper:
    """The player of one trace page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def place(self) -> tuple[int, str]:
        query = parse_qs(urlsplit(self.page.url).query)
        return int(query["round"][0]), query["step"][0]

    def on(self, key: str = "ArrowRight") -> tuple[int, str]:
        """One step; answers where it led, once the page shows it."""
        before = self.page.url
        self.page.keyboard.press(key)
        self.page.wait_for_function("before => location.href !== before", arg=before)
        self.settled()
        return self.place

    def settled(self) -> None:
        number, step = self.place
        expect(self.page.locator("#place")).to_have_text(re.compile(f"^Round {number} of"))
        words = "call" if step.startswith("call") else step
        expect(self.page.locator("#moment")).to_have_text(re.compile(f"^{words}"))

    def stage(self, name: str) -> Locator:
        return self.page.locator(f"#stage-{name} .stage-body")

    def tenses(self) -> list[str]:
        found = [self.page.locator(f"#stage-{name}").get_attribute("data-tense") for name in STAGES]
        return [str(tense) for tense in found]

    def shown_calls(self) -> list[str]:
        """What is seen of each tool call."""
        calls = self.page.locator("#round .call[data-moment]")
        return [str(call.get_attribute("data-moment")) for call in calls.all()]


@pytest.fixture
def stepper(page: Page) -> Iterator[Stepper]:
    yield Stepper(page)


def said(turn: int, round_: int) -> str:
    """What the article prints as the model's own words."""
    text: str = CALLS[turn, round_]["raw_output"][0]["content"]
    return text


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def expect_text(place: Locator, text: str) -> None:
    """In what is seen of it, whatever its lines and marks."""
    expect(place).to_be_visible()
    assert letters(text) in letters(place.inner_text()), place.inner_text()


def steps_of(stepper: Stepper, last: tuple[int, str]) -> list[tuple[int, str]]:
    found = [stepper.on()]
    while found[-1] != last:
        found.append(stepper.on())
    return found


@pytest.mark.parametrize("turn", [1, 2, 3, 4])
def test_each_turn_of_the_article_plays_in_the_order_in_which_it_happened(
    stepper: Stepper, traces: list[str], turn: int
) -> None:
    stepper.page.goto(traces[turn - 1])
    found = steps_of(stepper, (ROUNDS[turn - 1], "output"))
    for number in range(1, ROUNDS[turn - 1] + 1):
        steps = [step for round_, step in found if round_ == number]
        assert steps[:4] == STAGES
        assert all(step.startswith("call-") for step in steps[4:])
    ends = [step for _, step in found if step.endswith("ended")]
    assert len(ends) == CALLS_OF_A_TURN[turn - 1]


def test_turn_four_shows_at_each_step_what_the_article_prints(
    stepper: Stepper, traces: list[str]
) -> None:
    stepper.page.goto(traces[3])
    for number in (1, 2, 3):
        answer = said(4, number)
        for name in STAGES:
            assert stepper.on() == (number, name)
            reached = STAGES.index(name)
            assert stepper.tenses() == ["past"] * reached + ["now"] + ["future"] * (3 - reached)
            for later in STAGES[reached + 1 :]:
                expect(stepper.stage(later)).not_to_be_visible()
        assert stepper.shown_calls() in ([], ["future"])
        expect_text(stepper.stage("response"), answer)
        if number == 3:
            expect_text(stepper.stage("output"), answer)
            break
        call = json.loads(answer.split("<tool_call>")[1].split("</tool_call>")[0])
        expect_text(stepper.stage("output"), call["arguments"]["query"])
        card = stepper.page.locator("#round .call")
        result = card.locator('[data-stage="shown"]')
        for moment in MOMENTS:
            assert stepper.on() == (number, f"call-1-{moment}")
            assert stepper.shown_calls() == [moment]
            expect_text(card.locator('[data-stage="arguments"]'), call["arguments"]["query"])
            expect(result).to_be_visible(visible=moment == "ended")


def test_parallel_calls_overlap_in_the_replay(stepper: Stepper, traces: list[str]) -> None:
    stepper.page.goto(f"{traces[1]}?round=1&step=output")
    stepper.settled()
    names = [stepper.on()[1] for _ in range(9)]
    calls = [f"call-{place}-{moment}" for place in (1, 2, 3) for moment in MOMENTS]
    assert sorted(names) == sorted(calls)
    # The second is asked for before the first has its result.
    assert names.index("call-2-proposed") < names.index("call-1-ended")


def test_a_step_opened_again_shows_the_same_and_back_leads_back(
    stepper: Stepper, traces: list[str]
) -> None:
    page = stepper.page
    page.goto(f"{traces[3]}?round=2&step=response")
    stepper.settled()
    shown = stepper.stage("response").inner_text(), stepper.tenses()
    assert stepper.on() == (2, "output")
    page.go_back()
    assert stepper.place == (2, "response")
    stepper.settled()
    assert (stepper.stage("response").inner_text(), stepper.tenses()) == shown
    page.reload()
    stepper.settled()
    assert (stepper.stage("response").inner_text(), stepper.tenses()) == shown


def test_a_step_back_from_a_rounds_beginning_is_the_last_of_the_round_before(
    stepper: Stepper, traces: list[str]
) -> None:
    stepper.page.goto(f"{traces[3]}?round=2&step=input")
    stepper.settled()
    assert stepper.on("ArrowLeft") == (1, "call-1-ended")


def test_playing_streams_the_response_and_a_pause_has_an_address(
    stepper: Stepper, stub: StubProcess
) -> None:
    page = stepper.page
    page.goto("/")
    chat = Chat(page)
    page.get_by_label("Model", exact=True).select_option(label="Paced")
    chat.ask("Count.")
    answer = chat.ended(1)
    text = letters(chat.stored(answer))
    answer.get_by_role("link", name="Trace", exact=True).click()
    page.wait_for_url("**/traces/**")
    page.goto(f"{page.url}?round=1")
    page.get_by_label("Speed").select_option("0.5")
    page.keyboard.press(" ")
    stream = page.locator("#stage-response [data-stream]")
    expect(stream).to_contain_text("20:", timeout=PLAYED_MS)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url(re.compile(r"step=response&at=\d+"))
    partial = letters(stream.inner_text())
    assert text.startswith(partial)
    assert len(partial) < len(text)
    page.reload()
    expect(stream).to_be_visible()
    assert letters(stream.inner_text()) == partial


def test_a_trace_plays_to_its_end(stepper: Stepper, traces: list[str]) -> None:
    page = stepper.page
    page.goto(traces[3])
    page.get_by_label("Speed").select_option("10")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#place")).to_have_text("Round 3 of 3", timeout=PLAYED_MS)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=PLAYED_MS)
    assert stepper.place == (3, "output")
    expect_text(stepper.stage("output"), said(4, 3))


def test_keys_move_through_the_rows_play_and_tell_themselves(
    stepper: Stepper, traces: list[str]
) -> None:
    page = stepper.page
    page.goto(f"{traces[3]}?round=1")
    page.keyboard.press("j")
    expect(page.locator(".rounds a:focus")).to_be_visible()
    page.keyboard.press("]")
    expect(page.locator("#place")).to_have_text("Round 2 of 3")
    page.keyboard.press("[")
    expect(page.locator("#place")).to_have_text("Round 1 of 3")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).not_to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#stage-output")).to_have_attribute("data-tense", "future")
    page.keyboard.press("Escape")
    expect(page.locator("#stage-output")).not_to_have_attribute("data-tense", "future")


def test_whoever_wants_no_motion_gets_whole_steps(stepper: Stepper, traces: list[str]) -> None:
    page = stepper.page
    page.emulate_media(reduced_motion="reduce")
    page.goto(traces[0])
    expect(page.get_by_label("Speed")).to_have_value("instant")


def test_a_round_and_a_call_lead_into_the_chat_and_back(
    stepper: Stepper, traces: list[str]
) -> None:
    page = stepper.page
    page.goto(f"{traces[1]}?round=1")
    page.locator("#round .call").first.get_by_role("link", name="In the chat").click()
    card = page.locator(".call-item[data-found]")
    expect(card).to_be_in_viewport()
    expect(card.locator("summary").first).to_be_focused()
    card.locator("summary").first.click()
    card.get_by_role("link", name="Trace of this call").click()
    page.wait_for_url(re.compile(r"/traces/.*round=1&span="))
    page.locator(".round-head").get_by_role("link", name="In the chat").click()
    round_ = page.locator(".round[data-found]")
    expect(round_).to_be_in_viewport()
    round_.get_by_role("link", name="Trace of round 1").click()
    expect(page.locator("#place")).to_have_text("Round 1 of 2")


def test_a_page_in_the_middle_of_a_replay_is_for_everyone(page: Page, traces: list[str]) -> None:
    for query in ("?round=1&step=request", "?round=1&step=call-2-started"):
        page.goto(traces[1] + query)
        expect(page.locator("#moment")).not_to_be_empty()
        assert accessibility_problems(page) == []
