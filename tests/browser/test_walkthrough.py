"""The article's conversation on real parts: browser, engine, worker, dialect, MCP server."""

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from benchmarks.product import Product
from benchmarks.stub import StubProcess
from benchmarks.stub.text import TIMED_TOKEN
from chat.cassettes.walkthrough import HINT, article, cassette, english_cassette, questions
from tests.browser.chat import Chat, letters, shown

pytestmark = pytest.mark.browser

TABLES, COUNTS, STRUCTURE, AGE = questions()
ENGLISH = questions("en")
ANSWERS = [each.text for each in cassette().rounds if "<tool_call>" not in each.text]
ENGLISH_ANSWERS = [e.text for e in english_cassette().rounds if "<tool_call>" not in e.text]
CARDS = [
    ["sqlite · list_tables"],
    ["sqlite · read_query"] * 3,
    ["sqlite · describe_table"] * 3,
    ["sqlite · read_query", "sqlite · write_query"],
]
ROUNDS = [2, 2, 2, 3]
# Three seconds of words, for what happens in the middle of them.
TOKENS = 120
MODELS = [{"label": "Paced", "name": f"stub-r20-n{TOKENS}"}]
LATE = "30:"


def wire(message: dict[str, Any]) -> tuple[str, str]:
    return message["role"], message["content"]


def requests(trace: Any) -> list[list[tuple[str, str]]]:
    """Role and content of every message that was sent, a list a round."""
    bodies = [round_["generations"][0]["request"]["body"] for round_ in trace["rounds"]]
    return [[wire(message) for message in json.loads(body)["messages"]] for body in bodies]


def logged(product: Product, conversation: str) -> list[str]:
    file = product.home / "workspaces" / conversation / "walkthrough.sqlite3"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return [action for (action,) in database.execute("SELECT action FROM log ORDER BY id")]


def evidence(product: Product) -> list[int]:
    """How many rows there are of what traces are made of."""
    file = product.home / "roundtrip.sqlite3"
    tables = ("archive", "trace", "span", "payload", "blob")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        asked = (f"SELECT count(*) FROM tracing_{table}" for table in tables)
        return [database.execute(sql).fetchone()[0] for sql in asked]


def test_the_four_questions_get_the_articles_answers(chat: Chat, product: Product) -> None:
    chat.ask(TABLES)
    answers = [chat.ended(1)]
    chat.composer.fill(COUNTS)
    chat.page.get_by_role("button", name="Send").click()
    answers.append(chat.ended(2))
    chat.ask(STRUCTURE)
    answers.append(chat.ended(3))
    chat.ask(AGE)
    answers.append(chat.ended(4))

    assert [chat.stored(answer) for answer in answers] == ANSWERS
    assert [shown(answer) for answer in answers] == [letters(text) for text in ANSWERS]
    for answer, cards in zip(answers, CARDS, strict=True):
        expect(answer.locator(".call-name")).to_have_text(cards)
        states = answer.locator(".call-item")
        assert all(card.get_attribute("data-state") == "succeeded" for card in states.all())

    traces = [chat.trace(answer) for answer in answers]
    assert [len(trace["rounds"]) for trace in traces] == ROUNDS
    sent = {
        (turn, number): messages
        for turn, trace in enumerate(traces, 1)
        for number, messages in enumerate(requests(trace), 1)
    }
    printed = [call for call in article()["calls"] if call["preprocessed_input"]]
    assert len(printed) == 7
    for call in printed:
        expected = [wire(message) for message in call["preprocessed_input"]]
        assert sent[call["turn"], call["round"]] == expected

    counts = traces[1]["rounds"][0]["tool_calls"]
    assert len({call["task_id"] for call in counts}) == len(counts) == 3
    assert max(call["queued"] for call in counts) < min(call["ended"] for call in counts)
    assert logged(product, chat.conversation)[-1] == "查询了韩梅梅的年龄"


@pytest.mark.parametrize(("locale", "language"), [("en-GB", "en"), ("zh-CN", "zh-hans")])
def test_who_reads_it_gets_the_walkthrough_in_their_language(
    product: Product, signed_in: Any, chromium: Browser, locale: str, language: str
) -> None:
    reader = chromium.new_context(base_url=product.url, storage_state=signed_in, locale=locale)
    chat = Chat(reader.new_page())
    chat.page.goto("/")
    starters = chat.page.locator("[data-starters] button:visible")
    expect(starters).to_have_text(list(questions(language)))
    starters.first.click()
    answers = [chat.ended(1)]
    for number, question in enumerate(questions(language)[1:], 2):
        chat.page.locator("#message").fill(question)
        chat.page.locator("#message").press("Enter")
        answers.append(chat.ended(number))
    recorded = cassette() if language == "zh-hans" else english_cassette()
    texts = [each.text for each in recorded.rounds if "<tool_call>" not in each.text]
    assert [chat.stored(answer) for answer in answers] == texts
    reader.close()


def test_the_sign_in_link_works_once(product: Product, signed_in: Any, chromium: Browser) -> None:
    stranger = chromium.new_context()
    page = stranger.new_page()
    page.goto(product.sign_in_link)
    expect(page.get_by_role("textbox", name="Message")).to_be_hidden()
    page.goto(product.url)
    expect(page).to_have_url(re.compile("/accounts/login/"))
    stranger.close()


def test_an_unknown_question_is_answered_with_what_can_be_asked(chat: Chat) -> None:
    chat.ask("What is the weather like?")
    answer = chat.ended(1)
    expect(answer).to_contain_text(HINT.strip())
    for question in ENGLISH:
        expect(answer).to_contain_text(question)


def test_the_questions_can_be_asked_in_another_order(chat: Chat) -> None:
    chat.page.get_by_role("button", name=ENGLISH[3]).click()
    assert chat.stored(chat.ended(1)) == ENGLISH_ANSWERS[3]
    chat.ask(TABLES)
    assert chat.stored(chat.ended(2)) == ANSWERS[0]
    chat.ask("Something else?")
    chat.ended(3)
    chat.ask(STRUCTURE)
    assert chat.stored(chat.ended(4)) == ANSWERS[2]


@pytest.fixture
def paced(stub: StubProcess, chat: Chat) -> Chat:
    """In the middle of an answer."""
    chat.page.get_by_label("Model", exact=True).select_option(label="Paced")
    chat.ask("Count.")
    chat.speaking(1, LATE)
    return chat


def test_a_reload_in_the_middle_of_an_answer_ends_with_the_same_text(paced: Chat) -> None:
    paced.page.reload()
    paced.speaking(1, LATE)
    answer = paced.ended(1)
    text = paced.stored(answer)
    assert len(TIMED_TOKEN.findall(text)) == TOKENS
    assert shown(answer) == letters(text)


def test_two_tabs_show_the_same(paced: Chat, context: BrowserContext) -> None:
    other = Chat(context.new_page())
    other.page.goto(paced.page.url)
    other.speaking(1, LATE)
    answer = paced.ended(1)
    assert shown(answer) == shown(other.ended(1)) == letters(paced.stored(answer))
    other.ask("Count again.")
    assert shown(paced.ended(2)) == shown(other.ended(2))


def test_an_answer_can_be_stopped_in_its_middle(paced: Chat) -> None:
    paced.stop.click()
    answer = paced.ended(1, "stopped")
    expect(paced.stop).to_be_hidden()
    expect(answer).to_contain_text("The partial answer is kept.")
    kept = shown(answer)
    assert LATE in kept
    assert kept == letters(paced.stored(answer))
    assert len(TIMED_TOKEN.findall(kept)) < TOKENS
    last = paced.trace(answer)["rounds"][-1]["generations"][0]
    assert last["status"] == "cancelled"
    assert last["response"]["chunks"]
    paced.page.reload()
    assert shown(paced.ended(1, "stopped")) == kept


def test_the_keyboard_is_enough(chat: Chat) -> None:
    page = chat.page
    page.locator("body").press("Tab")
    for _ in range(40):
        if chat.composer.evaluate("field => field === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(chat.composer).to_be_focused()
    page.keyboard.insert_text(TABLES)
    page.keyboard.press("Shift+Enter")
    expect(chat.composer).to_have_value(f"{TABLES}\n")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    assert chat.stored(chat.ended(1)) == ANSWERS[0]
    expect(chat.composer).to_be_focused()


def test_it_works_on_a_phone(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 390, "height": 844})
    chat.ask(COUNTS)
    assert chat.stored(chat.ended(1)) == ANSWERS[1]
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert chat.page.evaluate(overflow) == 0
    drawer = chat.page.get_by_role("button", name="New conversation")
    expect(drawer).not_to_be_in_viewport()
    chat.page.get_by_role("button", name="Conversations", exact=True).click()
    expect(drawer).to_be_in_viewport()


def test_what_is_typed_offline_is_sent_when_the_connection_is_back(
    chat: Chat, context: BrowserContext, problems: list[str]
) -> None:
    chat.ask(TABLES)
    chat.ended(1)
    context.set_offline(True)
    banner = chat.page.get_by_text("You are offline.")
    expect(banner).to_be_visible()
    chat.ask(COUNTS)
    expect(chat.page.get_by_role("region", name="Messages")).to_contain_text(COUNTS)
    context.set_offline(False)
    expect(banner).to_be_hidden()
    assert chat.stored(chat.ended(2)) == ANSWERS[1]
    # The browser itself says so when it has no network.
    problems[:] = [said for said in problems if "ERR_INTERNET_DISCONNECTED" not in said]


def test_a_conversation_is_deleted_with_its_evidence(
    chat: Chat, product: Product, problems: list[str]
) -> None:
    before = evidence(product)
    chat.ask(TABLES)
    answer = chat.ended(1)
    trace = chat.trace_url(answer)
    workspace = product.home / "workspaces" / chat.conversation
    assert workspace.exists()
    assert all(now > then for now, then in zip(evidence(product), before, strict=True))
    chat.page.get_by_label("This conversation", exact=True).click()
    chat.page.get_by_role("button", name="Delete", exact=True).click()
    question = chat.page.get_by_role("form", name="Delete this conversation")
    question.get_by_role("button", name="Delete").click()
    expect(chat.page.get_by_text("and its traces are deleted")).to_be_visible()
    assert chat.page.request.get(trace).status == 404
    assert evidence(product) == before
    assert not workspace.exists()
    # A part of the page that was asked for just before is gone when its request comes.
    problems[:] = [problem for problem in problems if "404" not in problem]
