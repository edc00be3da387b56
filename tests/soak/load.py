"""Mixed load, by threads that go on until they are told to stop: chats with tools, the gateway,
`/v1`, pages, and sockets that come and go. The conversations are always the same few, so that what
grows is not their number. What fails is counted, and is a failure of the soak."""

import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx

from tests.faults.browser import Browser
from tests.faults.product import Product

TALK, CALLS = "stub-s7-r40-n60", "stub-r40-n20-ask"
MODELS = (TALK, CALLS)
CHATS = 6
TIMEOUT = 60.0
PAUSE = 0.5
TOOLS = """call again-write {}
then
call calculate {"expr": "6*7"}"""
QUESTION = {"messages": [{"role": "user", "content": "Count to ten."}], "stream": True}


class Load:
    """Starts with the block and ends with it."""

    def __init__(self, product: Product, token: str) -> None:
        self.product = product
        self.token = token
        self.done: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._over = threading.Event()
        self.conversations: dict[int, str] = {}
        parts = self._parts()
        self.parts = [name for name, _ in parts]
        self._threads = [
            threading.Thread(target=self._repeat, args=part, daemon=True) for part in parts
        ]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(TIMEOUT)

    def _parts(self) -> list[tuple[str, Callable[[], None]]]:
        chats = [("turns", _Chat(self, number).turn) for number in range(CHATS)]
        others = {
            "gateway calls": self._call_gateway,
            "/v1 calls": self._call_v1,
            "pages": self._open_page,
            "sockets": self._come_and_go,
        }
        return [*chats, *others.items()]

    def _repeat(self, name: str, does: Callable[[], None]) -> None:
        while not self._over.wait(PAUSE):
            try:
                does()
            except (OSError, httpx.HTTPError, TimeoutError, AssertionError) as error:
                self.failed[f"{name}: {type(error).__name__}: {error}"[:300]] += 1
            else:
                self.done[name] += 1

    def _call_gateway(self) -> None:
        self._call(f"{self.product.url}/gateway/stub/v1/chat/completions", TALK)

    def _call_v1(self) -> None:
        self._call(f"{self.product.url}/v1/chat/completions", f"stub/{TALK}")

    def _call(self, url: str, model: str) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        body: dict[str, Any] = {**QUESTION, "model": model}
        with httpx.stream("POST", url, json=body, headers=headers, timeout=TIMEOUT) as answer:
            text = "".join(answer.iter_text())
        assert answer.status_code == 200, f"{answer.status_code} {text[:200]}"
        assert "[DONE]" in text, "the answer has no end"

    def _open_page(self) -> None:
        with httpx.Client(headers=self._cookie(), timeout=TIMEOUT) as client:
            for path in self._paths():
                status = client.get(f"{self.product.url}{path}").status_code
                assert status == 200, f"{path}: {status}"

    def _paths(self) -> list[str]:
        first = next(iter(self.conversations.values()), None)
        return ["/", "/traces/", "/health", *([f"/c/{first}/"] if first else [])]

    def _come_and_go(self) -> None:
        for conversation in list(self.conversations.values()):
            with Browser(self.product.url, self.product.cookies["owner"]) as tab:
                tab.follow(conversation)
                tab.until(lambda: _has_snapshot(tab))

    def _cookie(self) -> dict[str, str]:
        return {"Cookie": self.product.cookies["owner"]}


def _has_snapshot(tab: Browser) -> bool:
    return any(frame["type"] == "snapshot" for frame in tab.frames)


class _Chat:
    """A tab in which one turn follows the other."""

    def __init__(self, load: Load, number: int) -> None:
        self._load = load
        self._number = number
        self._count = itertools.count()
        self._tab = Browser(load.product.url, load.product.cookies["owner"])

    def turn(self) -> None:
        """A question; every third one with calls of tools."""
        models, count, text, model = self._load.product.models, next(self._count), "Go on.", TALK
        if count % 3 == 0:
            line = json.dumps({"line": f"{self._number}-{count}"})
            text, model = TOOLS.replace("{}", line, 1), CALLS
        key = self._tab.send(models[model], text)
        self._load.conversations[self._number] = self._tab.conversation or ""
        self._tab.until_over(key, TIMEOUT)
        state = self._tab.shown(key).state
        self._tab.frames, self._tab.turns, self._tab.accepted = [], {}, {}
        assert state == "done", f"a turn is {state}"
