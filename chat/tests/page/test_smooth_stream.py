"""A quick stream: what arrives is formatted, and no frame is late while one types and scrolls."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from chat.markdown import BlockSplitter
from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
TOKENS_A_SECOND = 200
SECONDS = 4
MAX_TASK_MS = 50
PROSE = "The **quick** `fox` jumps over the *lazy* dog, see [here](https://e.example/x).\n" * 5
TEXT = (
    PROSE
    + "\n"
    + "".join(f"- item **{number}** with `code` in it\n" for number in range(20))
    + "\n| a | b |\n|---|--:|\n"
    + "".join(f"| row {number} | {number * 7} |\n" for number in range(40))
    + "\n```python\n"
    + "def f(x):\n    return x + 1\n" * 60
)


TOKENS = 40
# Of the live text; a token is appended to its last node.
MAX_MUTATIONS = 6
# The page has hundreds.
MAX_RESTYLED = 20
# What came before may still be drawn: the tools of code are loaded when code is first shown.
QUIET_MS = 400
RESTYLED = "UpdateLayoutTree"
WATCH = """async (quietMs) => {
  const live = [...document.querySelectorAll("[data-live-content]")].at(-1);
  const all = { subtree: true, childList: true, characterData: true, attributes: true };
  await new Promise((settled) => {
    const settle = () => {
      waiting.disconnect();
      settled();
    };
    let timer = setTimeout(settle, quietMs);
    const waiting = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(settle, quietMs);
    });
    waiting.observe(live, all);
  });
  const seen = { mutations: 0, added: 0 };
  const count = (records) => {
    seen.mutations += records.length;
    for (const { addedNodes } of records) seen.added += addedNodes.length;
  };
  const observer = new MutationObserver(count);
  observer.observe(live, all);
  globalThis.watched = () => {
    count(observer.takeRecords());
    observer.disconnect();
    return seen;
  };
}"""


class Stream:
    """A text that arrives as the server sends it: deltas, and blocks when they are whole."""

    def __init__(self, wire: Wire, turn: ATurn) -> None:
        self._wire, self._turn, self._at = wire, turn, 0
        self._splitter = BlockSplitter()

    def send(self, piece: str) -> None:
        self._wire.delta(self._turn, self._at, piece)
        self._at += len(piece)
        for block in self._splitter.feed(piece):
            self._wire.tell("block", self._turn, generation="g", part="content", **asdict(block))

    def until_read(self, page: Page) -> None:
        """Until the page has read what was sent: a title that came behind it is shown."""
        self._wire.tell("conversation", self._turn, title="All was read")
        expect(page.get_by_role("heading", level=1)).to_have_text("All was read")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


@pytest.fixture
def stream(wire: Wire, opened: Opened, conversation: AConversation) -> Stream:
    for number in range(10):
        conversation.turn(f"Question {number}").round(PROSE)
    opened(conversation)
    turn = conversation.turn("And now?", status="streaming")
    wire.begin(turn)
    return Stream(wire, turn)


@pytest.fixture
def live(page: Page) -> Locator:
    return page.locator("[data-live-content]").last


def test_a_table_a_list_and_code_are_what_they_are_while_they_arrive(
    stream: Stream, live: Locator
) -> None:
    stream.send("| Name | Age |\n|:--|--:|\n| Han **Mei")
    expect(live.locator("th")).to_have_text(["Name", "Age"])
    expect(live.locator("td strong")).to_have_text("Mei")
    stream.send("** | 20 |\n\n1. one\n2. `tw")
    expect(live.locator("ol > li")).to_have_text(["one", "tw"])
    stream.send("o`\n\n```js\nlet x = 1\n``")
    expect(live.locator("figure.code figcaption")).to_have_text("js")
    expect(live.locator("figure.code code")).to_have_text("let x = 1\n", use_inner_text=False)
    for mark in ("|", "`", "*", "--"):
        expect(live).not_to_contain_text(mark)


def test_what_streamed_looks_as_its_last_block_does(
    page: Page, stream: Stream, live: Locator
) -> None:
    stream.send("Text.\n\n> [!NOTE]\n> words\n\n- a\n- b")
    expect(live.locator(".callout-title")).to_have_text("Note")
    expect(live.locator("ul > li")).to_have_text(["a", "b"])
    before = live.bounding_box()
    stream.send("\n")
    stream.until_read(page)
    assert live.bounding_box() == before


def test_no_task_of_the_page_takes_50_ms_of_cpu_at_200_tokens_a_second(
    chromium: Browser, page: Page, stream: Stream
) -> None:
    page.get_by_role("textbox", name="Message").focus()
    chromium.start_tracing(page=page, categories=["toplevel"])
    _feed(page, stream)
    assert max(_tasks_ms(json.loads(chromium.stop_tracing()))) < MAX_TASK_MS


def test_a_token_late_in_an_answer_changes_as_little_as_an_early_one(
    page: Page, stream: Stream, live: Locator
) -> None:
    stream.send("Words and ")
    early = _cost_of_tokens(page, stream, live)
    stream.send(f"\n\n{TEXT}```\n\n{TEXT}```\n\nWords and ")
    late = _cost_of_tokens(page, stream, live)
    assert early["mutations"] <= MAX_MUTATIONS, early
    assert late["mutations"] <= early["mutations"] + 1, (early, late)
    assert late["added"] <= early["added"] + 1


def test_a_token_has_the_styles_of_few_elements_computed(
    chromium: Browser, page: Page, stream: Stream, live: Locator
) -> None:
    """A rule of the whole page below `:has` would have all of them computed."""
    stream.send("Words and ")
    expect(live).to_contain_text("Words and")
    chromium.start_tracing(page=page, categories=["devtools.timeline"])
    for number in range(TOKENS):
        stream.send(f"w{number} ")
        expect(live).to_contain_text(f"w{number}")
    events = json.loads(chromium.stop_tracing())["traceEvents"]
    counts = [one["args"].get("elementCount", 0) for one in events if one["name"] == RESTYLED]
    assert len(counts) >= TOKENS
    assert sum(counts) / TOKENS <= MAX_RESTYLED


def _cost_of_tokens(page: Page, stream: Stream, live: Locator) -> dict[str, float]:
    """Of one token, in the middle: changes of the live text, and nodes that were added."""
    expect(live).to_contain_text(re.compile(r"Words and\s*$"))
    page.evaluate(WATCH, QUIET_MS)
    for number in range(TOKENS):
        stream.send(f"w{number} ")
        expect(live).to_contain_text(f"w{number}")
    changed: dict[str, float] = page.evaluate("watched()")
    return {name: count / TOKENS for name, count in changed.items()}


def _feed(page: Page, stream: Stream) -> None:
    """Four characters a token, while somebody types and scrolls."""
    began = time.monotonic()
    step = 4
    for number in range(0, TOKENS_A_SECOND * SECONDS, step):
        stream.send(TEXT[number * 4 : (number + step) * 4])
        if number % 40 == 0:
            page.keyboard.type("x")
            page.mouse.wheel(0, -60 if number % 80 else 900)
        ahead = began + (number + step) / TOKENS_A_SECOND - time.monotonic()
        page.wait_for_timeout(max(0, 1000 * ahead))


def _tasks_ms(trace: dict[str, Any]) -> list[float]:
    """CPU time of each task of a page's main thread."""
    events = trace["traceEvents"]
    names = [one for one in events if one.get("name") == "thread_name"]
    mains = {(one["pid"], one["tid"]) for one in names if one["args"]["name"] == "CrRendererMain"}
    return [
        one["tdur"] / 1000
        for one in events
        if one["name"] == "ThreadControllerImpl::RunTask"
        and (one["pid"], one["tid"]) in mains
        and "tdur" in one
    ]
