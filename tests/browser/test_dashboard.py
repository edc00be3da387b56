"""The dashboard in a browser: what a turn leaves there, and what goes on."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

# The worker counts every two seconds, the page looks every five.
URL = "/traces/dashboard/"


@pytest.fixture
def dashboard(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    page.goto(URL)
    yield page


def test_an_empty_dashboard_says_what_will_be_there(dashboard: Page) -> None:
    expect(dashboard.get_by_role("heading", name="No turn has ended yet")).to_be_visible()
    assert accessibility.problems(dashboard) == []


def test_the_figures_of_a_turn_appear_by_themselves(chat: Chat, dashboard: Page) -> None:
    workers = dashboard.get_by_role("table", name="Workers")
    expect(workers.get_by_role("row", name=re.compile("turns .* of 200"))).to_be_visible()
    chat.ask(questions()[0])
    chat.ended(1)
    turns = dashboard.locator("#chart-turns")
    expect(turns.locator(".chart-total")).to_have_text("1")
    expect(dashboard.locator("#chart-rounds .chart-total")).to_have_text("2")
    models = dashboard.locator("#table-models tbody tr")
    expect(models).to_have_count(1)
    assert accessibility.problems(dashboard) == []


def test_the_values_of_a_chart_are_read_with_the_arrow_keys(dashboard: Page) -> None:
    chart = dashboard.locator("#chart-turns")
    chart.get_by_role("group").press("ArrowLeft")
    values = chart.locator("output")
    expect(values).to_have_text(re.compile(r"\d\d:00: (1 done|nothing)"))
    if "nothing" in values.inner_text():  # an hour has begun since
        chart.get_by_role("group").press("ArrowLeft")
    expect(values).to_have_text(re.compile(r"\d\d:00: 1 done"))
    chart.get_by_role("group").press("ArrowLeft")
    expect(values).to_have_text(re.compile(r"\d\d:00: nothing"))
    chart.get_by_role("group").press("ArrowRight")
    chart.get_by_role("group").press("Enter")
    expect(dashboard.get_by_role("heading", name="Traces")).to_be_visible()
    expect(dashboard.locator("[data-row]")).to_have_count(1)
    dashboard.go_back()


def test_tables_are_sorted_and_periods_chosen_by_links(dashboard: Page) -> None:
    dashboard.get_by_role("link", name="30 days").click()
    expect(dashboard.get_by_role("heading", name="The last 30 days")).to_be_visible()
    tools = dashboard.locator("#table-tools")
    tools.get_by_role("link", name="p95").click()
    expect(tools.get_by_role("columnheader", name="p95")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect(dashboard.get_by_role("heading", name="The last 30 days")).to_be_visible()
