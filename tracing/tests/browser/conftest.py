"""The trace page in Chromium, on traces that are built row by row."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests import patience
from tests.chromium import Profile, SharedChromium, cookie_at
from tests.signing_in import session_cookie
from tests.static_files import StaticFilesInMemory
from tracing.tests.builders import ATurn, a_user, wire

expect.set_options(timeout=patience.MS)

SYSTEM = {"role": "system", "content": "You look after a database."}


@pytest.fixture(scope="module")
def chromium(django_db_setup: None, shared_chromium: SharedChromium) -> Iterator[Browser]:
    with shared_chromium.lent_beside_django() as browser:
        yield browser


@pytest.fixture
def turn(chromium: Browser, transactional_db: None) -> ATurn:
    """Three rounds; each has one message more than the one before."""
    turn = ATurn(a_user())
    thread = [SYSTEM]
    for number in (1, 2, 3):
        thread = [*thread, {"role": "user", "content": f"Question of round {number}"}]
        turn.a_round(number, (number * 100, number * 100 + 90))
        turn.a_generation(stages(thread, f"Answer of round {number}"), (number * 100, number * 150))
    turn.a_call({"arguments": b"{}", "shown": b"1"}, (460, 470), 1, name="a tool")
    turn.end(500)
    return turn


@pytest.fixture(scope="module")
def profile(chromium: Browser, live_server: Any) -> Profile:
    return Profile(chromium, live_server.url)


@pytest.fixture
def context(profile: Profile, live_server: Any, turn: ATurn) -> Iterator[BrowserContext]:
    """The owner's browser."""
    with profile.lent([cookie_at(live_server.url, session_cookie(turn.archive.owner))]) as context:
        yield context
    StaticFilesInMemory.wait_until_idle()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """The owner's tab. A script error, a dialog or a violation of the content policy fails."""
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("console", lambda said: problems.append(said.text) if "Policy" in said.text else None)
    yield page
    assert problems == []


def stages(messages: list[dict[str, str]], answer: str) -> dict[str, bytes]:
    message = {"role": "assistant", "content": answer}
    return {
        "input": wire({"messages": messages, "tools": [], "parameters": {}}),
        "request": wire({"model": "qwen", "messages": messages, "stream": True}),
        "response": b"data: " + wire({"choices": [{"delta": {"content": answer}}]}) + b"\n\n",
        "output": wire({"message": message, "errors": [], "origins": []}),
    }
