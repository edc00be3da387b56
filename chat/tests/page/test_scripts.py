"""Which scripts the chat page loads by itself, which ones a first use loads, and that the first use
is not lost."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route, expect

from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, ATurn
from chat.tests.page.conftest import Wire
from tests.scripts import PAGE_BYTES, loaded_by, served_bytes

pytestmark = pytest.mark.browser

Opened = Callable[..., None]
PAGE = "js/chat/main.js"
# Of parts that a person uses first.
LATER = {
    "js/base/palette.js",
    "js/chat/attachments/handling.js",
    "js/chat/attachments/offers.js",
    "js/chat/branches/editing.js",
    "js/chat/calls/questions.js",
    "js/chat/calls/subagents.js",
    "js/chat/composer/suggestions.js",
    "js/chat/files/files.js",
    "js/chat/panels/settings.js",
    "js/chat/queue/editors.js",
    "js/chat/search/find.js",
    "js/chat/search/organiser.js",
    "js/chat/thread/live_turn.js",
}
ANSWER = """Text with `code`[^1] and $x^2$.

```python
print("words")
```

| a | b |
|---|---|
| 1 | 2 |

[^1]: A note.
"""


@pytest.fixture
def scripts(page: Page) -> list[str]:
    """The scripts that the page has asked for so far, as paths below the static folder."""
    asked: list[str] = []

    def note(url: str) -> None:
        path = urlsplit(url).path
        if path.endswith(".js"):
            asked.append(path.removeprefix(f"/{settings.STATIC_URL.strip('/')}/"))

    page.on("request", lambda request: note(request.url))
    return asked


def settle(page: Page) -> None:
    page.wait_for_load_state("networkidle")


def test_an_empty_page_loads_what_it_names_and_no_part_that_nobody_used(
    page: Page, wire: Wire, scripts: list[str]
) -> None:
    page.goto("/")
    settle(page)
    assert set(scripts) >= loaded_by(PAGE)
    assert LATER.isdisjoint(scripts)
    assert served_bytes(scripts, "zstd") <= PAGE_BYTES


def test_a_conversation_loads_what_its_answers_need_besides(
    page: Page, opened: Opened, conversation: AConversation, scripts: list[str]
) -> None:
    conversation.turn("A question").round(ANSWER)
    opened(conversation)
    expect(page.get_by_role("button", name="Copy as CSV")).to_be_visible()
    settle(page)
    assert {"js/base/prose/code_tools.js", "js/base/prose/footnotes.js"} <= set(scripts)
    assert LATER.isdisjoint(scripts)
    assert served_bytes(scripts, "zstd") <= PAGE_BYTES


def test_what_a_running_answer_needs_is_loaded_when_one_runs(
    page: Page, wire: Wire, opened: Opened, conversation: AConversation, scripts: list[str]
) -> None:
    opened(conversation)
    assert "js/chat/thread/live_turn.js" not in scripts
    turn = conversation.turn("And now?", status="streaming")
    wire.begin(turn)
    wire.delta(turn, 0, "The **answer**")
    expect(page.locator("[data-live-content] strong")).to_have_text("answer")
    assert "js/chat/tail/tail.js" in scripts


def test_a_first_press_loads_the_rest_in_the_background(
    page: Page, opened: Opened, conversation: AConversation, scripts: list[str]
) -> None:
    opened(conversation)
    with page.expect_request("**/js/chat/search/organiser.js"):
        page.keyboard.press("Shift")


@pytest.fixture
def slow(page: Page) -> Iterator[Callable[[], None]]:
    """Holds the modules that are loaded on demand back until it is called."""
    held: list[Route] = []
    is_open = False

    def hold(route: Route) -> None:
        path = urlsplit(route.request.url).path
        is_known = path.removeprefix(f"/{settings.STATIC_URL.strip('/')}/") in loaded_by(PAGE)
        if is_open or is_known or not path.endswith(".js"):
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        nonlocal is_open
        is_open = True
        for route in held:
            route.continue_()

    page.route("**/*.js", hold)
    yield release


def test_what_is_typed_into_the_palette_before_it_is_there_counts(
    page: Page, opened: Opened, conversation: AConversation, slow: Callable[[], None]
) -> None:
    opened(conversation)
    page.keyboard.press("Control+k")
    page.keyboard.type("these shortcuts")
    page.keyboard.press("Enter")
    slow()
    expect(page.locator("#shortcuts")).to_be_visible()


def test_what_is_typed_into_find_before_it_is_there_counts(
    page: Page, opened: Opened, conversation: AConversation, slow: Callable[[], None]
) -> None:
    conversation.turn("Where is the quokka?", "Here.")
    index_noted()
    opened(conversation)
    page.keyboard.press("Control+f")
    page.keyboard.type("quokka")
    page.keyboard.press("Enter")
    slow()
    expect(page.locator("#find-count")).to_have_text("1 of 1")


def test_a_press_before_the_part_is_there_opens_it_when_it_is(
    page: Page, opened: Opened, conversation: AConversation, slow: Callable[[], None]
) -> None:
    conversation.turn("A question", "An answer.")
    opened(conversation)
    page.get_by_role("button", name="Files", exact=True).click()
    slow()
    expect(page.locator("#files-panel")).to_be_visible()


def test_an_answer_that_streamed_before_its_script_came_is_shown_whole(
    page: Page,
    wire: Wire,
    opened: Opened,
    conversation: AConversation,
    slow: Callable[[], None],
) -> None:
    opened(conversation)
    turn: ATurn = conversation.turn("And now?", status="streaming")
    wire.begin(turn)
    wire.delta(turn, 0, "One *two* ")
    wire.delta(turn, 10, "three")
    slow()
    expect(page.locator("[data-live-content]")).to_have_text("One two three")


def test_a_part_that_cannot_be_loaded_is_told_and_loaded_later(
    page: Page, opened: Opened, conversation: AConversation
) -> None:
    opened(conversation)
    page.route("**/shortcut_list.js", lambda route: route.abort())
    page.locator("#scroll").focus()
    page.keyboard.press("?")
    expect(page.locator(".toast")).to_contain_text("could not be loaded")
