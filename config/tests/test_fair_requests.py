"""Through the ASGI middleware: whose requests wait, and whose go on."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from config import fair_requests, senders
from config.fair_requests import FairRequests, address
from limits.web import MAX_ANONYMOUS_REQUESTS, MAX_REQUESTS, MAX_WAITING_REQUESTS
from tests.signing_in import session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

Cookies = Callable[[str], str]


@pytest.fixture
def cookie() -> Cookies:
    """Signs a user in, in a browser of its own."""

    def of(username: str) -> str:
        user, _ = User.objects.get_or_create(username=username)
        return session_cookie(user)

    return of


class Pages:
    """An application whose pages are slow to come until it is opened."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.running = 0
        self.front = FairRequests(self)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        self.running += 1
        if scope["path"] == "/slow":
            await self.opened.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask(
        self,
        path: str,
        cookie: str = "",
        client: str = "192.0.2.1",
        more: bool = False,
        slowly: bool = False,
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        """What is answered. `more`: the body does not come to its end; `slowly`: nothing of the
        answer is taken before the pages are opened."""
        sent: list[dict[str, Any]] = []
        headers = [(b"cookie", cookie.encode())] if cookie else []
        pieces = [{"type": "http.request", "body": b"a", "more_body": more}]

        async def receive() -> dict[str, Any]:
            if not pieces:
                await asyncio.Event().wait()
            return pieces.pop()

        async def send(message: dict[str, Any]) -> None:
            if slowly:
                await self.opened.wait()
            sent.append(message)

        scope = {"type": "http", "path": path, "headers": headers, "client": (client, 1)}
        await self.front(scope, receive, send)
        return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]

    async def hold(self, count: int, *cookies: str, **options: Any) -> list[asyncio.Task[Any]]:
        """So many slow requests, from these browsers in turn, all of which run or wait."""
        signed = cookies or ("",)
        tasks = [
            asyncio.create_task(self.ask("/slow", signed[number % len(signed)], **options))
            for number in range(count)
        ]
        while self.front.requests < count:
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # those that have a place begin
        return tasks


def run(test: Callable[[Pages], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            await test(Pages())

    asyncio.run(bounded())


def test_others_go_on_while_the_requests_of_one_user_wait(cookie: Cookies) -> None:
    hog, other = [cookie("hog"), cookie("hog")], cookie("other")

    async def test(pages: Pages) -> None:
        tasks = await pages.hold(MAX_REQUESTS * 3, *hog)
        assert pages.running == MAX_REQUESTS
        assert (await pages.ask("/", other))[0] == 200
        pages.opened.set()
        assert {status for status, *_ in await asyncio.gather(*tasks)} == {200}

    run(test)


def test_what_a_line_has_no_room_for_is_refused_in_a_sentence(cookie: Cookies) -> None:
    hog = cookie("hog")

    async def test(pages: Pages) -> None:
        tasks = await pages.hold(MAX_REQUESTS + MAX_WAITING_REQUESTS, hog)
        status, headers, body = await pages.ask("/", hog)
        assert (status, headers[b"retry-after"]) == (429, b"2")
        assert body.startswith(b"Too many requests at once: 4 run and 64 wait.")
        pages.opened.set()
        await asyncio.gather(*tasks)
        assert (await pages.ask("/", hog))[0] == 200

    run(test)


def test_strangers_share_by_their_address() -> None:
    async def test(pages: Pages) -> None:
        tasks = await pages.hold(MAX_ANONYMOUS_REQUESTS + 2)
        assert pages.running == MAX_ANONYMOUS_REQUESTS
        assert (await pages.ask("/", client="192.0.2.2"))[0] == 200
        pages.opened.set()
        await asyncio.gather(*tasks)

    run(test)


def test_a_stranger_whose_body_is_slow_takes_no_place() -> None:
    async def test(pages: Pages) -> None:
        tasks = await pages.hold(MAX_ANONYMOUS_REQUESTS, more=True)
        assert (await pages.ask("/"))[0] == 200
        pages.opened.set()
        await asyncio.gather(*tasks)

    run(test)


def test_a_slow_download_gives_its_place_back(
    cookie: Cookies, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = cookie("owner")
    monkeypatch.setattr(fair_requests, "MAX_SEND_S", 0.01)

    async def test(pages: Pages) -> None:
        tasks = [
            asyncio.create_task(pages.ask("/", signed, slowly=True)) for _ in range(MAX_REQUESTS)
        ]
        while pages.running < MAX_REQUESTS:
            await asyncio.sleep(0)
        assert (await pages.ask("/", signed))[0] == 200
        pages.opened.set()
        await asyncio.gather(*tasks)

    run(test)


def test_a_session_is_looked_up_once(cookie: Cookies, monkeypatch: pytest.MonkeyPatch) -> None:
    signed, looked = cookie("owner"), list[str]()
    user_of = senders.user_of

    async def counted(key: str) -> int:
        looked.append(key)
        return await user_of(key)

    monkeypatch.setattr(senders, "user_of", counted)

    async def test(pages: Pages) -> None:
        for _ in range(3):
            await pages.ask("/", signed)

    run(test)
    assert len(looked) == 1


@pytest.mark.parametrize(
    ("client", "forwarded", "proxies", "expected"),
    [
        ("192.0.2.1", "203.0.113.9", 0, "192.0.2.1"),
        ("127.0.0.1", "6.6.6.6, 203.0.113.9", 1, "203.0.113.9"),
        ("127.0.0.1", "", 2, "127.0.0.1"),
        ("2001:db8::1:2:3:4", "", 0, "2001:db8::/64"),
    ],
)
def test_an_address_is_past_our_own_proxies(
    settings: Settings, client: str, forwarded: str, proxies: int, expected: str
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    assert address({"client": (client, 1), "headers": headers}) == expected
