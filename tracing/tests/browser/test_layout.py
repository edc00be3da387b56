"""Where the parts of the trace page stand on the screen."""

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tracing.tests.browser.conftest import SYSTEM, stages
from tracing.tests.builders import ATurn

pytestmark = pytest.mark.browser

DESK, PHONE = (1440, 900), (390, 844)
LONG = "\n".join(f"Line {number} of a long question" for number in range(80))


@pytest.fixture
def talkative(turn: ATurn) -> ATurn:
    """A fourth round whose request is long and whose output is short."""
    asked = {"role": "user", "content": LONG}
    turn.a_round(4, (500, 900))
    turn.a_generation({**stages([SYSTEM, asked], "Yes"), "input": b"{}"}, (500, 800))
    turn.a_call({"arguments": b'{"city":"Rome"}', "result": bytes(range(256))}, (800, 900), 1)
    turn.end(900)
    return turn


def box(place: Locator) -> FloatRect:
    found = place.bounding_box()
    assert found is not None
    return found


def open_round(page: Page, turn: ATurn, size: tuple[int, int] = DESK) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{turn.trace.get_absolute_url()}?round=4")


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_first_stage_is_on_the_first_screen(
    page: Page, talkative: ATurn, size: tuple[int, int]
) -> None:
    open_round(page, talkative, size)
    assert box(page.locator("#stage-input"))["y"] < 0.6 * size[1]
    expect(page.locator("#stage-input .stage-head")).to_be_in_viewport(ratio=1)


def test_a_phone_folds_the_ledger_and_the_tree(page: Page, talkative: ATurn) -> None:
    open_round(page, talkative, PHONE)
    ledger = page.get_by_role("group", name="Where the time of the turn went")
    for part, row in ((ledger, ledger.get_by_text("in all")), (page.locator(".rounds"), None)):
        inner = row or part.get_by_text("Round 1", exact=True)
        expect(inner).not_to_be_visible()
        part.locator("summary").first.click()
        expect(inner).to_be_visible()


def test_a_desk_has_one_ledger_above_the_stages_and_no_item_of_it_in_two_lines(
    page: Page, talkative: ATurn
) -> None:
    open_round(page, talkative)
    above = page.locator(".ledger").first
    expect(above.get_by_text("in all")).to_be_visible()
    expect(page.locator(".round-main .ledger, .round > .ledger")).to_have_count(0)
    for item in above.get_by_role("listitem").all():
        assert box(item)["height"] < 24


def test_details_stay_in_view_on_a_desk(page: Page, talkative: ATurn) -> None:
    open_round(page, talkative)
    for place in ("#stage-input", ".call"):
        page.locator(place).scroll_into_view_if_needed()
        expect(page.locator(".details-head")).to_be_in_viewport(ratio=1)
        expect(page.locator(".facts")).to_be_in_viewport()


def test_columns_share_the_width_by_what_they_show_and_one_can_be_folded(
    page: Page, talkative: ATurn
) -> None:
    open_round(page, talkative)
    request, output = page.locator("#stage-request"), page.locator("#stage-output")
    assert box(output)["width"] >= 200
    assert box(request)["width"] > 1.5 * box(output)["width"]
    before = box(output)["width"]
    page.get_by_role("button", name="Column request").click()
    expect(request.locator(".stage-body")).not_to_be_visible()
    assert box(request)["width"] < 60
    assert box(output)["width"] > before
    page.reload()
    expect(request.locator(".stage-body")).not_to_be_visible()
    page.get_by_role("button", name="Column request").click()
    expect(request.locator(".stage-body")).to_be_visible()


def test_a_hexdump_is_not_cut(page: Page, talkative: ATurn) -> None:
    talkative.a_round(5, (900, 950))
    talkative.a_generation({**stages([SYSTEM], "x"), "response": bytes(range(256))}, (900, 950))
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{talkative.trace.get_absolute_url()}?round=5")
    dump = page.locator("#stage-response [data-scroller]")
    expect(dump).to_contain_text("@ABCDEFG")
    assert dump.evaluate("dump => dump.scrollWidth <= dump.clientWidth")


def test_a_hexdump_alone_has_as_many_bytes_a_line_as_fit(page: Page, talkative: ATurn) -> None:
    call = talkative.trace.spans.get(kind="tool", parent=talkative.round)
    page.goto(f"{talkative.trace.get_absolute_url()}payloads/{call.public_id}/result/read")
    expect(page.locator("[data-scroller]")).to_contain_text("@ABCDEFGHIJKLMNO")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.locator("[data-scroller]")).to_contain_text("@ABCDEFG\n")


def test_a_small_payload_has_one_menu_that_keys_reach(page: Page, talkative: ATurn) -> None:
    open_round(page, talkative)
    part = page.locator('.part[data-stage="arguments"]')
    expect(part.locator("button:visible, a:visible, .part-head summary")).to_have_count(1)
    menu = part.locator(".payload-menu > summary")
    menu.focus()
    page.keyboard.press("Enter")
    items = part.locator(".menu-item")
    expect(items).to_have_text(
        ["Copy (15 B)", "Wrap long lines", "Find in the arguments", "Exact bytes", "Download"]
    )
    page.keyboard.press("Tab")
    expect(items.first).to_be_focused()
    page.keyboard.press("Escape")
    expect(items.first).not_to_be_visible()
    expect(menu).to_be_focused()
