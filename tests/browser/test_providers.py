"""An admin sets up a provider and its models, tries them, and everyone can choose them."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.stub import StubProcess, stub_process
from chat.tests.providers.scripted import Reply, scripted
from tests.browser.accessibility import problems as problems_of

pytestmark = pytest.mark.browser

KEY = "sk-canary-0123456789"
MANY = 400
# A check goes through Redis and a worker.
LONG = "vendor/" + "a-very-long-name-" * 8 + "end"


@pytest.fixture(scope="module")
def stub() -> Iterator[StubProcess]:
    with stub_process() as running:
        yield running


@pytest.fixture(scope="module")
def catalogue() -> Iterator[str]:
    """The base URL of an endpoint that lists 400 models, Chinese and long names among them."""
    names = [f"vendor{n % 7}/model-{n:03d}" for n in range(MANY - 2)]
    models = [{"id": name, "context_length": 32_768} for name in (*names, "阿里/通义千问", LONG)]
    with scripted(lambda _: Reply({"data": models})) as server:
        yield server.base_url


def add_provider(page: Page, service: str, name: str, base_url: str) -> None:
    """From the chat to the provider's page, as an admin goes."""
    page.goto("/")
    page.locator(".account-menu summary").click()
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_role("link", name="Add a provider").first.click()
    page.get_by_role("link", name=service, exact=True).click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Base URL").fill(base_url)
    page.get_by_label("API key").fill(KEY)
    page.get_by_role("button", name="Save and list its models").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.wait_for_load_state()  # a menu that is opened before its script is there may be closed


def add_model(page: Page, provider: str, name: str, dialect: str) -> None:
    page.goto("/providers/")
    page.get_by_role("link", name=provider, exact=True).click()
    page.get_by_role("link", name="Add one by its id").click()
    page.get_by_label("Model id").fill(name)
    page.get_by_role("radio", name=dialect).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_provider_lists_its_models_at_once_and_those_ticked_can_be_chosen(
    page: Page, stub: StubProcess
) -> None:
    add_provider(page, "vLLM", "Listed", stub.base_url)
    page.get_by_role("checkbox", name="stub-n20", exact=True).check()
    page.get_by_label("Dialect").select_option("native")
    page.get_by_role("button", name="Add 1 model").click()
    expect(page.get_by_role("link", name="stub-n20", exact=True)).to_be_visible()
    page.goto("/")
    assert "stub-n20" in page.get_by_role("combobox", name="Model").inner_text()


def test_how_to_speak_with_a_model_is_found_out(page: Page, stub: StubProcess) -> None:
    add_provider(page, "Another server", "Probed", stub.base_url)
    add_model(page, "Probed", "stub-nous-t2-n20", "Find out")
    found = page.get_by_text("It calls tools in the dialect nous, several at once.")
    expect(found).to_be_visible()
    page.get_by_role("link", name="Trace of this probe").click()
    expect(page).to_have_url(re.compile("/traces/"))
    expect(page.locator("#place")).to_contain_text("2")


def test_a_test_shows_the_answer_and_leads_to_its_trace(page: Page, stub: StubProcess) -> None:
    add_provider(page, "Another server", "Tested", stub.base_url)
    add_model(page, "Tested", "stub-p8-t1-n20-z5", "native")
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("It called the tool.")).to_be_visible()
    expect(page.locator(".try")).to_contain_text(re.compile(r"HTTP 200.*first token", re.DOTALL))
    page.get_by_role("link", name="Trace of this test").click()
    expect(page.locator("#stage-request")).to_contain_text("calculate")
    assert KEY not in page.content()


def test_a_failing_test_says_what_to_do(page: Page, stub: StubProcess) -> None:
    add_provider(page, "Another server", "Failing", stub.base_url)
    add_model(page, "Failing", "stub-f401", "native")
    page.get_by_role("button", name="Test").click()
    failed = page.get_by_role("alert").filter(has_text="rejected the API key (HTTP 401)")
    expect(failed).to_contain_text("Check the key on the provider's page")


def test_one_of_four_hundred_is_found_and_added_by_keyboard(page: Page, catalogue: str) -> None:
    add_provider(page, "OpenRouter", "Many", catalogue)
    search = page.get_by_placeholder(f"Filter {MANY} models")
    expect(search).to_be_focused()
    page.keyboard.type("千问")
    expect(page.locator("#listed-rows li:visible")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Add 1 model")).to_be_enabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="阿里/通义千问", exact=True)).to_be_visible()


def test_while_the_page_is_offline_the_list_stays(
    page: Page, catalogue: str, problems: list[str]
) -> None:
    add_provider(page, "OpenRouter", "Offline", catalogue)
    expect(page.locator("#listed-rows li")).to_have_count(MANY)
    page.route("**/list", lambda route: route.abort())
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_text("No connection to Roundtrip.")).to_be_visible()
    expect(page.locator("#listed-rows li")).to_have_count(MANY)
    problems.clear()


def test_moving_a_model_goes_on_with_the_same_button(page: Page, stub: StubProcess) -> None:
    add_provider(page, "Another server", "Moved", stub.base_url)
    add_model(page, "Moved", "stub-n1", "native")
    add_model(page, "Moved", "stub-n2", "native")
    page.goto("/providers/")
    page.get_by_role("button", name="Move stub-n2 up").press("Enter")
    expect(page.get_by_role("button", name="Move stub-n2 up")).to_be_focused()


def test_a_provider_is_deleted_after_a_question(page: Page, stub: StubProcess) -> None:
    add_provider(page, "Another server", "Deleted", stub.base_url)
    page.locator("summary", has_text="Delete").click()
    expect(page.get_by_text("No conversation uses these models.")).to_be_visible()
    page.get_by_role("button", name="Delete the provider").click()
    expect(page.get_by_text("The provider Deleted and its models were deleted.")).to_be_visible()


def test_listed_models_and_a_tried_one_are_accessible(page: Page, stub: StubProcess) -> None:
    found = []
    add_provider(page, "vLLM", "Accessible", stub.base_url)
    expect(page.locator("#listed-rows li")).not_to_have_count(0)
    found += problems_of(page)
    add_model(page, "Accessible", LONG, "native")
    page.get_by_role("button", name="Test").click()
    expect(page.locator(".try")).to_be_visible()
    found += problems_of(page)
    assert found == []


def test_someone_without_rights_sees_neither_menu_nor_page(context: BrowserContext) -> None:
    context.clear_cookies()
    page = context.new_page()
    page.goto("/providers/")
    expect(page).to_have_url(re.compile("/accounts/login/"))
