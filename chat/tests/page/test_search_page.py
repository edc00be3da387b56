"""The page of all conversations in a browser: search while typing, keys, several at once."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from chat.commands.organising import organise
from chat.models import Conversation, Tag
from chat.search.indexing import index_noted
from chat.tests.builders import AConversation
from chat.tests.page.conftest import Wire
from tests.browser.accessibility import problems

pytestmark = pytest.mark.browser

SIZES = [(1440, 900), (390, 844)]


@pytest.fixture(params=SIZES, ids=["desktop", "phone"])
def sized(page: Page, request: pytest.FixtureRequest) -> Page:
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    return page


@pytest.fixture
def zoo(owner: User) -> AConversation:
    """A conversation whose fourth of 20 turns has the word quokka, and another one."""
    AConversation(owner, "Something else").turn("Hello?", "Hello.")
    conversation = AConversation(owner, "Animals of Australia")
    for number in range(20):
        word = "a quokka and 数据库" if number == 3 else "a wombat"
        conversation.turn(f"Question {number}: {word}?", "Text.\n\n" * 9)
    index_noted()
    return conversation


def open_list(page: Page) -> None:
    """The page of all conversations, once one can type into its field."""
    page.goto("/search")
    expect(page.locator("#query")).to_be_focused()


def test_results_come_while_typing_and_open_at_the_hit(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    open_list(page)
    expect(page.locator("[data-result]")).to_have_count(2)
    page.keyboard.type("数据库 quokka")
    expect(page.locator("[data-result]")).to_have_count(1)
    expect(page.locator(".result-hits mark")).to_have_text(["quokka", "数据库"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question 3: a quokka")).to_be_in_viewport()
    page.wait_for_function("CSS.highlights.get('found')?.size === 2")


def test_the_keyboard_goes_through_results_chooses_and_comes_back(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    open_list(page)
    page.keyboard.press("ArrowDown")
    links = page.locator(".result-title a")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator("[data-chosen-count]")).to_have_text("1 chosen")
    page.keyboard.press("Escape")
    expect(page.locator("#query")).to_be_focused()


def test_nothing_found_is_said_with_what_would_be(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    open_list(page)
    page.keyboard.type("quokka unicorn")
    page.get_by_role("link", name="Search without “unicorn”").click()
    expect(page.locator("[data-result]")).to_have_count(1)
    expect(page.locator("#query")).to_have_value("quokka")


def test_several_are_archived_and_that_is_undone(
    sized: Page, wire: Wire, zoo: AConversation
) -> None:
    sized.goto("/search")
    sized.get_by_label("Choose all shown").check()
    expect(sized.locator("[data-chosen-count]")).to_have_text("2 chosen")
    sized.get_by_role("button", name="Archive").click()
    expect(sized.get_by_text("No conversation fits these filters.")).to_be_visible()
    sized.get_by_role("button", name="Undo").click()
    expect(sized.locator("[data-result]")).to_have_count(2)


def test_the_focus_stays_in_the_list_of_which_one_was_archived(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    page.goto("/search")
    page.get_by_label("Choose “Animals of Australia”").check()
    page.get_by_role("button", name="Archive").press("Enter")
    expect(page.locator("[data-result]")).to_have_count(1)
    expect(page.locator(".result-title a")).to_be_focused()


def test_a_deletion_asks_first_and_counts(page: Page, wire: Wire, zoo: AConversation) -> None:
    page.goto("/search")
    page.get_by_label("Choose all shown").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Delete 2 conversations?")).to_be_visible()
    page.get_by_role("button", name="Keep").click()
    assert Conversation.objects.count() == 2
    page.get_by_role("button", name="Delete").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No conversations yet.")).to_be_visible()


def test_tags_are_chosen_in_a_dialog_and_filter_the_list(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    page.goto("/search")
    page.get_by_label("Choose “Animals of Australia”").check()
    page.get_by_role("button", name="Tags").click()
    expect(page.get_by_label("New tag")).to_be_focused()
    page.keyboard.type("动物")
    page.keyboard.press("Enter")
    choice = page.get_by_role("button", name="动物", pressed=True)
    expect(choice).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".result .tag", has_text="动物").click()
    expect(page.locator("[data-result]")).to_have_count(1)
    assert Tag.objects.get().name == "动物"


def test_nothing_widens_the_page_and_everything_has_a_name(
    page: Page, wire: Wire, zoo: AConversation, owner: User
) -> None:
    AConversation(owner, "W" * 200).turn("W" * 3000)
    index_noted()
    for width in (320, 390, 1440):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto("/search?q=w*")
        inner, outer = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert inner <= outer


def test_axe_finds_nothing(page: Page, wire: Wire, zoo: AConversation, owner: User) -> None:
    organise(owner, "tag", [zoo.row.public_id], "动物")
    organise(owner, "pin", [zoo.row.public_id])
    page.goto("/search?q=quokka")
    page.get_by_label("Choose all shown").check()
    assert problems(page) == []
    page.get_by_role("button", name="Tags").click()
    expect(page.get_by_role("button", name="动物", pressed=True)).to_be_visible()
    assert problems(page) == []
    page.goto(zoo.url)
    page.get_by_role("button", name="Actions for “Animals of Australia”").click()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+f")
    page.keyboard.type("quokka")
    expect(page.locator("#find-count")).to_have_text("1 of 1")
    assert problems(page) == []


def test_without_a_connection_the_list_stays_and_says_so(
    page: Page, wire: Wire, zoo: AConversation
) -> None:
    open_list(page)
    page.route("**/search?*", lambda route: route.abort())
    page.keyboard.type("quokka")
    expect(page.locator(".toast")).to_contain_text("could not be loaded")
    expect(page.locator("[data-result]")).to_have_count(2)
