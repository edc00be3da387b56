"""What an answer's code, tables, formulas, footnotes and images can do on the page."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, Route, expect

from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests.browser.accessibility import problems

pytestmark = pytest.mark.browser

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "789c63606060000000040001f61738550000000049454e44ae426082"
)
ANSWER = r"""# Sorting

The cost is $O(n \log n)$, see[^1] and https://example.org/sorting.

$$
\begin{aligned}
T(n) &= 2\,T(n/2) + n \\
     &= n \log_2 n
\end{aligned}
$$

> [!WARNING]
> Not stable.

| Name | Rows | Share |
|:-----|-----:|:-----:|
| log | 1,200 | 9 % |
| pupil | 87 | 50 % |
| school | 9 | 41 % |

```python
def sort(items):
    return sorted(items)
```

- [x] measured
- [ ] written down

![A chart](https://images.example/chart.png)

[^1]: Measured on two cores.
"""


@pytest.fixture
def answer(page: Page, wire: Wire, owner: User) -> Locator:
    conversation = AConversation(owner, "Sort")
    turn = conversation.turn("Sort")
    turn.round(ANSWER)
    page.goto(conversation.url)
    return page.locator(".prose")


def _clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_a_rich_answer_fits_and_axe_finds_nothing(page: Page, answer: Locator) -> None:
    expect(answer.get_by_role("button", name="Copy as CSV")).to_be_visible()
    expect(answer.locator("math")).to_have_count(2)
    expect(answer.locator(".callout-title")).to_have_text("Warning")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert problems(page) == []


def test_a_column_sorts_numbers_as_numbers_and_back(page: Page, answer: Locator) -> None:
    names = answer.locator("tbody td:first-child")
    head = answer.get_by_role("button", name="Rows")
    head.press("Enter")
    expect(answer.get_by_role("columnheader", name="Rows")).to_have_attribute(
        "aria-sort", "ascending"
    )
    expect(names).to_have_text(["school", "pupil", "log"])
    head.press("Enter")
    expect(names).to_have_text(["log", "pupil", "school"])
    head.press("Enter")
    expect(names).to_have_text(["log", "pupil", "school"])
    expect(answer.locator("[aria-sort]")).to_have_count(0)


def test_a_table_is_copied_as_csv(page: Page, answer: Locator) -> None:
    answer.get_by_role("button", name="Copy as CSV").click()
    expect(page.locator("#toasts")).to_contain_text("Copied")
    assert _clipboard(page).splitlines()[:2] == ["Name,Rows,Share", 'log,"1,200",9 %']


def test_a_copied_formula_is_its_tex(page: Page, answer: Locator) -> None:
    answer.locator("p").first.evaluate("one => getSelection().selectAllChildren(one)")
    page.keyboard.press("ControlOrMeta+c")
    assert r"The cost is $O(n \log n)$" in _clipboard(page)


def test_code_is_copied_wrapped_and_downloaded(page: Page, answer: Locator) -> None:
    code = answer.locator("figure.code")
    code.get_by_role("button", name="Copy").click()
    expect(page.locator("#toasts")).to_contain_text("Copied")
    assert _clipboard(page).startswith("def sort")
    wrap = code.get_by_role("button", name="Wrap long lines")
    wrap.click()
    expect(wrap).to_have_attribute("aria-pressed", "true")
    expect(code.locator("pre")).to_have_css("white-space-collapse", "preserve")
    with page.expect_download() as download:
        code.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "code.py"


def test_a_reference_leads_to_its_footnote_and_escape_back(page: Page, answer: Locator) -> None:
    reference = answer.get_by_role("button", name="1", exact=True)
    reference.click()
    expect(answer.locator("[data-note]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(reference).to_be_focused()


def test_long_code_scrolls_in_itself_until_all_of_it_is_asked_for(page: Page, owner: User) -> None:
    conversation = AConversation(owner, "Long")
    conversation.turn("Long").round("```\n" + "line\n" * 300 + "```\n")
    page.goto(conversation.url)
    pre = page.locator("figure.code pre")
    height = "pre => pre.getBoundingClientRect().height"
    page.get_by_role("button", name="Show all 300 lines").wait_for()
    assert pre.evaluate(height) < 600
    page.get_by_role("button", name="Show all 300 lines").click()
    expect(page.get_by_role("button", name="Show less")).to_be_visible()
    assert pre.evaluate(height) > 3_000


def test_an_image_of_another_host_is_loaded_when_the_person_agrees(
    page: Page, answer: Locator
) -> None:
    asked: list[str] = []

    def serve(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=PIXEL, content_type="image/png")

    page.route(re.compile(r"/image\?"), serve)
    offer = answer.locator("remote-image")
    expect(offer).to_contain_text("images.example")
    expect(offer.get_by_role("link", name="A chart")).to_be_visible()
    assert asked == []
    offer.get_by_role("button", name="Load image").click()
    expect(offer.get_by_role("img", name="A chart")).to_be_visible()
    assert len(asked) == 1
    page.reload()
    offer.get_by_role("button", name="All of images.example here").click()
    expect(offer.get_by_role("img", name="A chart")).to_be_visible()
    page.reload()
    expect(offer.get_by_role("img", name="A chart")).to_be_visible()


def test_an_image_that_cannot_be_loaded_says_so(page: Page, answer: Locator) -> None:
    page.route(re.compile(r"/image\?"), lambda route: route.fulfill(status=502, body="no"))
    offer = answer.locator("remote-image")
    offer.get_by_role("button", name="Load image").click()
    expect(offer).to_contain_text("The image could not be loaded.")
    expect(offer.get_by_role("button", name="Try again")).to_be_visible()


def test_a_printed_conversation_is_what_was_said(page: Page, answer: Locator) -> None:
    page.emulate_media(media="print")
    expect(answer.get_by_text("Not stable.")).to_be_visible()
    for hidden in ("#message", ".sidebar", "table-tools", "code-tools button", ".trace-link"):
        expect(page.locator(hidden).first).to_be_hidden()


def test_messages_that_are_not_on_the_page_are_printed_too(
    page: Page, wire: Wire, owner: User
) -> None:
    conversation = AConversation(owner, "Long")
    for number in range(60):
        conversation.turn(f"Question {number}", "Answer.")
    page.add_init_script("window.print = () => { document.title = thread.innerText; }")
    page.goto(conversation.url)
    expect(page.locator(".turn")).not_to_have_count(60)
    page.locator("#conversation-menu > summary").click()
    page.locator(".menu-fold > summary", has_text="Export").click()
    page.get_by_role("button", name="Print / save as PDF").click()
    expect(page).to_have_title(re.compile("Question 0 .*Question 59"))
    expect(page.locator("[data-gap]")).to_have_count(0)


def test_the_menu_of_the_context_has_the_sums_of_the_conversation(
    page: Page, answer: Locator
) -> None:
    menu = page.locator("#context")
    menu.locator("summary").click()
    expect(menu.locator("[data-conversation-figures]")).to_contain_text("1 answer")


def test_a_long_result_of_a_tool_is_shown_whole_when_asked_for(
    page: Page, wire: Wire, owner: User
) -> None:
    conversation = AConversation(owner, "Long")
    turn = conversation.turn("Long")
    (call,) = turn.round("", calls=(("read", {"path": "a"}),))
    turn.end_call(call, "line\n" * 90)
    turn.round("Read.")
    page.goto(conversation.url)
    page.locator("details.call summary").click()
    page.get_by_role("button", name="Show all 90 lines").click()
    expect(page.get_by_role("button", name="Show less")).to_be_visible()
    expect(page.locator(".value-text").last).to_have_css("max-height", "none")
