"""The chat page as a person uses it."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect


def opened(page: Page, load: Callable[[], object]) -> None:
    """Loads a page of the chat, and waits for the first frame of its socket."""
    frames: list[object] = []
    page.once(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame))
    )
    load()
    for _ in range(200):
        if frames:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the socket was not opened within 10 s")


class Chat:
    """One tab with a conversation."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.composer = page.get_by_role("textbox", name="Message")
        self.stop = page.get_by_role("button", name="Stop", exact=True)
        self.answers = page.locator("[data-role=assistant]")

    @property
    def conversation(self) -> str:
        """Its UUID."""
        return urlsplit(self.page.url).path.strip("/").removeprefix("c/")

    def ask(self, question: str) -> None:
        """Types it and presses Enter."""
        self.composer.fill(question)
        self.composer.press("Enter")

    def talk(self, model: str) -> None:
        """Has a model that answers until it is stopped (`slow_model`) begin to; the walkthrough is
        chosen for what comes next."""
        models = self.page.get_by_label("Model", exact=True)
        models.select_option(label=model)
        number = self.answers.count() + 1
        self.ask("Talk until you are stopped.")
        self.speaking(number, "0:")
        models.select_option(label="Walkthrough")

    def reload(self) -> None:
        """Until the socket is open: what is pressed before is refused with a message."""
        opened(self.page, self.page.reload)

    def ended(self, number: int, state: str = "done") -> Locator:
        """The `number`-th answer (1 …), once it is in this final state."""
        answer = self.answers.nth(number - 1)
        expect(answer).to_have_attribute("data-state", state)
        return answer

    def speaking(self, number: int = 1, begins: str = "") -> Locator:
        """The `number`-th answer, as soon as some of its last round's text is there."""
        answer = self.answers.nth(number - 1)
        expect(answer).to_contain_text(begins)
        expect(answer).not_to_have_attribute("data-state", "done")
        return answer

    def stored(self, answer: Locator) -> str:
        """The stored message of an answer, as the copy button fetches it."""
        url = answer.locator("button[data-copy-url]").last.get_attribute("data-copy-url")
        assert url is not None
        return self.page.request.get(url).text()

    def trace(self, answer: Locator) -> Any:
        """The answer's trace as JSON."""
        reply = self.page.request.get(self.trace_url(answer))
        assert reply.ok
        return reply.json()

    def trace_url(self, answer: Locator) -> str:
        href = answer.get_by_role("link", name="Trace", exact=True).last.get_attribute("href")
        assert href is not None
        return f"{href.rstrip('/')}.json"


def shown(answer: Locator) -> str:
    """What the reader sees of an answer's last round, as one line of letters."""
    return letters(answer.locator(".prose").last.inner_text())


def letters(markdown: str) -> str:
    """A text without spaces and without what Markdown turns into shape."""
    return re.sub(r"^- |[\s`#]", "", markdown, flags=re.MULTILINE)
