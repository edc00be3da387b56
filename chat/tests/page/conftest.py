"""A browser on the chat's real pages, with a scripted other end of its websocket.

The script speaks docs/protocol.md, so that faults come exactly when a test wants them. The real
other end is driven in `tests/`.
"""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    WebSocketRoute,
    expect,
)

from chat.tests.builders import AConversation, ATurn, a_model, a_user
from tests import patience
from tests.chromium import Profile, SharedChromium, cookie_at
from tests.signing_in import session_cookie
from tests.static_files import StaticFilesInMemory

Frame = dict[str, Any]

expect.set_options(timeout=patience.MS)


class Wire:
    """The server's end of a page's websocket: what came, and what to say."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._socket: WebSocketRoute | None = None
        self.frames: list[Frame] = []
        self.refusing = False
        self.events = 0
        page.route_web_socket("**/ws/chat/", self._opened)

    def _opened(self, socket: WebSocketRoute) -> None:
        if self.refusing:
            socket.close()
            return
        self._socket = socket
        socket.on_message(lambda text: self.frames.append(json.loads(text)))
        self.say({"type": "hello", "protocol": 1})

    def say(self, *frames: Frame) -> None:
        assert self._socket is not None
        self._socket.send(json.dumps(list(frames)))

    def tell(self, type_: str, turn: ATurn, **fields: Any) -> None:
        """The next event of the log, about a turn."""
        self.events += 1
        head = {"id": f"7-{self.events}", "type": type_, "turn": str(turn.row.public_id)}
        self.say({**head, "epoch": 1, **fields})

    def cut(self) -> None:
        assert self._socket is not None
        self._socket.close()

    def heard(self, type_: str, count: int = 1) -> Frame:
        """The `count`-th frame of this type, when it has come."""
        until = time.monotonic() + patience.SECONDS
        while time.monotonic() < until:
            found = [frame for frame in self.frames if frame["type"] == type_]
            if len(found) >= count:
                return found[count - 1]
            self._page.wait_for_timeout(10)
        raise AssertionError(f"the page did not send {count} × {type_}: {self.frames}")

    def accept(self, turn: ATurn, sent: Frame) -> None:
        """The answer to a `send` frame."""
        self.say(
            {
                "type": "accepted",
                "key": sent["key"],
                "conversation": str(turn.conversation.public_id),
                "turn": str(turn.row.public_id),
                "message": str(turn.question.public_id),
            }
        )

    def begin(self, turn: ATurn, generation: str = "g", **fields: Any) -> None:
        """The events with which a turn begins to stream."""
        self.tell("turn", turn, state="queued", message=None, error=None)
        self.tell("turn", turn, state="streaming", message=None, error=None)
        self.generation(turn, generation, **fields)

    def generation(self, turn: ATurn, generation: str = "g", **fields: Any) -> None:
        about = {"round": 1, "attempt": 1, "state": "running", "error": None, "retry_in_ms": None}
        self.tell("generation", turn, generation=generation, **{**about, **fields})

    def delta(self, turn: ATurn, offset: int, text: str, **fields: Any) -> None:
        about = {"generation": "g", "part": "content"}
        self.tell("delta", turn, offset=offset, text=text, **{**about, **fields})


@pytest.fixture(scope="module")
def chromium(django_db_setup: None, shared_chromium: SharedChromium) -> Iterator[Browser]:
    with shared_chromium.lent_beside_django() as browser:
        yield browser


@pytest.fixture
def owner(chromium: Browser, transactional_db: None) -> User:
    a_model(
        "walkthrough", ("数据库有几张表", "分别有多少条记录"), label="Walkthrough", is_default=True
    )
    return a_user()


@pytest.fixture
def conversation(owner: User) -> AConversation:
    return AConversation(owner, "数据库有几张表")


@pytest.fixture
def reports_violations() -> bool:
    """Whether a violation of the content policy fails the test."""
    return True


@pytest.fixture(scope="module")
def profile(chromium: Browser, live_server: Any) -> Profile:
    return Profile(chromium, live_server.url, locale="en-US", service_workers="block")


@pytest.fixture
def context(profile: Profile, live_server: Any, owner: User) -> Iterator[BrowserContext]:
    """The owner's browser."""
    with profile.lent([cookie_at(live_server.url, session_cookie(owner))]) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context
    StaticFilesInMemory.wait_until_idle()


@pytest.fixture
def page(context: BrowserContext, reports_violations: bool) -> Iterator[Page]:
    """The owner's browser tab. A script error or a violation of the content policy fails."""
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    if reports_violations:
        page.on(
            "console", lambda said: problems.append(said.text) if "Policy" in said.text else None
        )
    yield page
    page.close()
    assert problems == []


@pytest.fixture
def wire(page: Page) -> Wire:
    return Wire(page)


@pytest.fixture
def opened(page: Page, wire: Wire) -> Callable[..., None]:
    """Opens a conversation's page and answers its `open` with a snapshot without open turns."""

    def open_page(conversation: AConversation, *turns: Frame) -> None:
        page.goto(conversation.url)
        frame = wire.heard("open")
        wire.say(
            {
                "type": "snapshot",
                "conversation": frame["conversation"],
                "cursor": None,
                "turns": list(turns),
            }
        )

    return open_page
