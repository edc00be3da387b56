"""A team from the invitation on, in Chromium: a second factor, a limit, an admin who raises it."""

from collections.abc import Iterator

import pytest
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from playwright.sync_api import Browser, Page, expect

from benchmarks.product import Product
from chat.cassettes.walkthrough import questions
from tests.browser import accessibility
from tests.browser.chat import Chat, opened
from tests.browser.conftest import DESK

pytestmark = pytest.mark.browser

TABLES, COUNTS, *_ = questions()
PASSWORD = "a long pass phrase"
NAME = "newcomer"


@pytest.fixture
def guest(chromium: Browser, product: Product) -> Iterator[Page]:
    """A browser in which nobody is signed in."""
    context = chromium.new_context(
        base_url=product.url, viewport=DESK, service_workers="block", locale="en"
    )
    yield context.new_page()
    context.close()


def code_of(secret: str, periods: int = 0) -> str:
    """One that is accepted, of so many periods after the first such: each works once."""
    counter = list(yield_hotp_counters_from_time())[periods]
    return str(format_hotp_value(hotp_value(secret, counter)))


def invite(page: Page) -> str:
    page.goto("/people/")
    page.get_by_role("link", name="Invite", exact=True).click()
    assert accessibility.problems(page) == []
    page.get_by_label("E-mail").fill("newcomer@example.org")
    page.get_by_role("button", name="Make the invitation").click()
    return page.get_by_label("Link of the invitation").input_value()


def accept(guest: Page, link: str, name: str = NAME) -> None:
    guest.goto(link)
    guest.get_by_label("User name").fill(name)
    guest.get_by_label("Password", exact=True).fill(PASSWORD)
    guest.get_by_label("Password, again").fill(PASSWORD)
    guest.get_by_role("button", name="Make the account").click()
    expect(guest.get_by_role("textbox", name="Message")).to_be_visible()


def set_up_totp(guest: Page) -> str:
    """The key of the authenticator app."""
    guest.goto("/settings/#security")
    guest.locator("#security").get_by_role("link", name="Set up").click()
    guest.get_by_role("listitem").filter(has_text="Authenticator app").get_by_role("link").click()
    guest.get_by_label("Password").fill(PASSWORD)
    guest.get_by_role("button", name="Go on").click()
    secret = guest.get_by_label("Key").input_value()
    guest.get_by_label("Code of the app").fill(code_of(secret))
    guest.get_by_role("button", name="Set up").click()
    expect(guest.get_by_role("heading", name="Recovery codes")).to_be_visible()
    expect(guest.locator(".recovery-codes li")).to_have_count(10)
    return secret


def sign_in(guest: Page, secret: str) -> None:
    guest.goto("/accounts/login/")
    guest.get_by_label("Username").fill(NAME)
    guest.get_by_label("Password").fill(PASSWORD)
    guest.get_by_role("button", name="Sign in", exact=True).click()
    expect(guest.get_by_role("heading", name="Second factor")).to_be_visible()
    guest.get_by_label("Code of your authenticator app").fill(code_of(secret, 1))
    guest.get_by_role("button", name="Sign in").click()
    expect(guest.get_by_role("textbox", name="Message")).to_be_visible()


def set_limit(page: Page, amount: str) -> None:
    """So many turns a minute for the newcomer."""
    page.goto("/usage/")
    page.get_by_label("For", exact=True).select_option("person")
    page.get_by_label("Person", exact=True).fill(NAME)
    page.get_by_label("Limit", exact=True).select_option("turns_minute")
    page.get_by_label("Amount").fill(amount)
    page.locator("#limit-form").get_by_role("button", name="Save").click()
    expect(page.get_by_text("was saved")).to_be_visible()


def test_invitation_second_factor_limit_and_a_raised_limit(page: Page, guest: Page) -> None:
    accept(guest, invite(page))
    secret = set_up_totp(guest)
    guest.context.clear_cookies()
    sign_in(guest, secret)

    set_limit(page, "1")
    chat = Chat(guest)
    chat.ask(TABLES)
    chat.ended(1)
    chat.ask(COUNTS)
    expect(guest.get_by_text("Turns a minute").first).to_be_visible()
    expect(chat.answers).to_have_count(1)

    set_limit(page, "20")
    opened(guest, guest.reload)
    chat.ask(COUNTS)
    chat.ended(2)


def test_a_passkey_is_added_and_signs_in(page: Page, chromium: Browser, product: Product) -> None:
    """By Chromium's own authenticator; the product is at localhost, as WebAuthn wants."""
    local = product.url.replace("127.0.0.1", "localhost")
    context = chromium.new_context(base_url=local, viewport=DESK, service_workers="block")
    tab = context.new_page()
    devtools = context.new_cdp_session(tab)
    devtools.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True}
    options |= {"hasUserVerification": True, "isUserVerified": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    accept(tab, invite(page).replace("127.0.0.1", "localhost"), "key-holder")
    tab.goto("/accounts/2fa/passkeys/add/")
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Go on").click()
    tab.get_by_role("button", name="Add").click()
    expect(tab.get_by_role("heading", name="Recovery codes")).to_be_visible()

    context.clear_cookies()
    tab.goto("/accounts/login/")
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(tab.get_by_role("textbox", name="Message")).to_be_visible()
    context.close()
