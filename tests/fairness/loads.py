"""What a busy user does, a context manager for each thing: it goes on until the block ends."""

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from benchmarks.stub import StubProcess
from tests.fairness.flood import flooding
from tests.faults.browser import Browser, Frame
from tests.faults.product import wait_for

QUICK, CALLS, SILENT = "stub-n5", "stub-ask-n5", "stub-fsilent"
ECHO = "stub-echo"
# Its assistant has `bash`.
COMMANDING = "stub-ask"
MODELS = (QUICK, CALLS, SILENT, ECHO, COMMANDING)
TOKEN = "f" * 32
SECONDS = 60.0
# Lexers and tables of this length took minutes.
HOSTILE = {
    "Makefile": b"a" * 30_000,
    "fence.md": b"```make\n" + b"a" * 9_000 + b"\n```\n",
    "table.md": b"|".join([b"a"] * 181) + b"\n" + b"|".join([b"-"] * 181) + b"\n" + b"a\n" * 362,
}
FENCE = f"```make\n{'a' * 16_000}\n```\n"

COMMANDS = "SELECT COUNT(*) FROM tracing_span WHERE name = 'bash' AND status = 'sent'"
OPEN_TURNS = "SELECT COUNT(*) FROM chat_turn WHERE status NOT IN ('done', 'failed', 'stopped')"


@dataclass
class Busy:
    """A user with as many connections as they like."""

    url: str
    cookie: str
    models: dict[str, str]
    servers: dict[str, str]
    home: Path
    stub: StubProcess

    @property
    def cookies(self) -> str:
        """That of the session and that of forms."""
        name = self.cookie.partition("=")[0].replace("roundtrip_", "roundtrip_csrf_")
        return f"{self.cookie}; {name}={TOKEN}"

    def client(self) -> httpx2.Client:
        headers = {
            "Cookie": self.cookies,
            "X-CSRFToken": TOKEN,
            "Origin": self.url,
        }
        return httpx2.Client(base_url=self.url, headers=headers, timeout=SECONDS, trust_env=False)

    def tab(self) -> Browser:
        return Browser(self.url, self.cookie)

    def conversation(self) -> str:
        """One with a finished turn."""
        with self.tab() as tab:
            tab.until_over(tab.send(self.models[QUICK]))
            assert tab.conversation
            return tab.conversation

    @contextmanager
    def repeating(
        self, ask: Callable[[httpx2.Client], httpx2.Response], threads: int, least: int
    ) -> Iterator[None]:
        """Asks again and again on so many connections; begins when `least` answers have come."""
        ended, answers = threading.Event(), count()
        enough = threading.Event()

        def work() -> None:
            with self.client() as client:
                while not ended.is_set():
                    answer = ask(client)
                    assert answer.status_code in (200, 201, 204, 302, 409, 422, 429), answer.text
                    if next(answers) >= least:
                        enough.set()

        with ThreadPoolExecutor(threads) as pool:
            running = [pool.submit(work) for _ in range(threads)]
            try:
                assert least == 0 or enough.wait(SECONDS)
                yield
            finally:
                ended.set()
        for one in running:
            one.result()


@contextmanager
def long_commands(busy: Busy) -> Iterator[None]:
    """12 calls of `bash`, in two turns."""
    calls = "\n".join(f'call bash {{"command": "sleep {100 + number}"}}' for number in range(6))
    with _turns(busy, COMMANDING, [calls] * 2):
        # Half of the worker's threads, or all of them where there are no shares.
        wait_for(lambda: _count(busy.home, COMMANDS) >= 4, SECONDS)
        yield
        assert _count(busy.home, COMMANDS) >= 4


@contextmanager
def silent_turns(busy: Busy) -> Iterator[None]:
    """40 turns of a model that says nothing."""
    before = len(busy.stub.completions)
    with _turns(busy, SILENT, ["Say nothing."] * 40):
        wait_for(lambda: len(busy.stub.completions) >= before + 8)
        yield


@contextmanager
def hostile_fences(busy: Busy) -> Iterator[None]:
    """Four models that write 16 KB of a Makefile, again and again."""
    ended = threading.Event()

    def work() -> None:
        with busy.tab() as tab:
            while not ended.is_set():
                tab.until_over(tab.send(busy.models[ECHO], FENCE), SECONDS)

    with ThreadPoolExecutor(4) as pool:
        before = len(busy.stub.completions)
        running = [pool.submit(work) for _ in range(4)]
        try:
            wait_for(lambda: len(busy.stub.completions) >= before + 8)
            yield
        finally:
            ended.set()
    for one in running:
        one.result()


@contextmanager
def previews(busy: Busy) -> Iterator[None]:
    conversation = busy.conversation()
    with busy.client() as client:
        for name, content in HOSTILE.items():
            _upload(client, conversation, name, content)
    asked = count()

    def look(client: httpx2.Client) -> httpx2.Response:
        name = list(HOSTILE)[next(asked) % len(HOSTILE)]
        return client.get(f"/c/{conversation}/files/preview", params={"path": name})

    with busy.repeating(look, threads=8, least=0):
        yield


@contextmanager
def uploads(busy: Busy) -> Iterator[None]:
    """Files of 20 MB."""
    conversation, content, asked = busy.conversation(), bytes(20_000_000), count()

    def upload(client: httpx2.Client) -> httpx2.Response:
        return _upload(client, conversation, f"{next(asked) % 8}.bin", content)

    with busy.repeating(upload, threads=6, least=2):
        yield


@contextmanager
def searches(busy: Busy) -> Iterator[None]:
    """Of traces, their lists, their exports, and those of a conversation."""
    asked = count()
    addresses = (
        "/traces/?q=stub",
        "/traces/",
        "/traces/?q=%22a%22",
        "/traces/dashboard/",
        "/conversations?q=a",
    )

    def look(client: httpx2.Client) -> httpx2.Response:
        if next(asked) % 4 == 0:
            return client.post("/traces/export.json", data={"all": "1", "sure": "1"})
        return client.get(addresses[next(asked) % len(addresses)])

    with busy.repeating(look, threads=8, least=8):
        yield


@contextmanager
def imports(busy: Busy) -> Iterator[None]:
    """Of a cassette of 31 MB, which is a list of lists."""
    content = b'{"turns": [' + b"[]," * 10_300_000 + b"[]]}"

    def post(client: httpx2.Client) -> httpx2.Response:
        file = {"file": ("cassette.json", content, "application/json")}
        return client.post("/providers/cassettes/new", files=file)

    with busy.repeating(post, threads=3, least=0):
        yield


@contextmanager
def floods(busy: Busy) -> Iterator[None]:
    """Of frames on 50 sockets."""
    frames: list[Frame] = [
        {"type": "ping"},
        {"type": "open", "conversation": busy.conversation()},
        {"type": "stop", "turn": "0" * 32},
        {"type": "nonsense", "filling": "x" * 2_000},
    ]
    with flooding(busy.url, busy.cookie, frames, sockets=50):
        yield


@contextmanager
def hostile_forms(busy: Busy) -> Iterator[None]:
    """Answers to a server's form whose patterns hold an interpreter for ever."""
    with _turns(busy, CALLS, ["call asks-ask {}"]) as tabs:
        ((tab, _),) = tabs
        tab.until(lambda: _questions(tab))
        question = _questions(tab)[0]["question"]
        content = {"name": "a" * 40 + "!", "number": "none"}
        answer = {"type": "answer", "question": question, "action": "accept", "content": content}
        with flooding(busy.url, busy.cookie, [answer], sockets=4):
            yield
        tab.write(answer)
        tab.until(lambda: any(frame.get("code") == "invalid" for frame in tab.frames))


@contextmanager
def hanging_checks(busy: Busy) -> Iterator[None]:
    """Of a server that answers nothing, on all that ask for one."""
    address = f"/servers/{busy.servers['hangs']}/test"
    with busy.repeating(lambda client: client.post(address), threads=4, least=4):
        yield


@contextmanager
def slow_bodies(busy: Busy) -> Iterator[None]:
    """40 uploads that never end."""
    site = urlsplit(busy.url)
    head = (
        f"POST /c/{busy.conversation()}/files/upload HTTP/1.1\r\nHost: {site.netloc}\r\n"
        f"Cookie: {busy.cookies}\r\nX-CSRFToken: {TOKEN}\r\nOrigin: {busy.url}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    ).encode()
    with ExitStack() as stack:
        for _ in range(40):
            slow = socket.create_connection((site.hostname, site.port or 80))
            stack.callback(slow.close)
            slow.sendall(head + bytes(100_000))
        yield


@contextmanager
def _turns(busy: Busy, model: str, texts: Sequence[str]) -> Iterator[list[tuple[Browser, str]]]:
    """A turn for each text, up to 40 on one socket; stopped at the end."""
    with ExitStack() as stack:
        tabs: list[tuple[Browser, str]] = []
        tab = None
        for number, text in enumerate(texts):
            if tab is None or number % 40 == 0 or len(texts) <= 40:
                tab = stack.enter_context(busy.tab())
            tab.conversation = None
            tabs.append((tab, tab.post(busy.models[model], text)))
        for tab, key in tabs:
            tab.until(partial(tab.accepted.get, key))
        try:
            yield tabs
        finally:
            for tab, key in tabs:
                tab.stop(key)
            wait_for(lambda: not _count(busy.home, OPEN_TURNS), SECONDS)


def _questions(tab: Browser) -> list[Frame]:
    return [frame for frame in tab.frames if frame["type"] == "question"]


def _upload(client: httpx2.Client, conversation: str, name: str, content: bytes) -> httpx2.Response:
    return client.post(
        f"/c/{conversation}/files/upload",
        data={"taken": "replace"},
        files={"file": (name, content)},
    )


def _count(home: Path, query: str) -> int:
    """In the product's database."""
    with closing(sqlite3.connect(home / "roundtrip.sqlite3", timeout=20)) as database:
        return int(database.execute(query).fetchone()[0])
