"""Handshakes through the real ASGI application."""

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from config.asgi import application
from tests import patience
from tests.signing_in import session_cookie

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

HOST = "127.0.0.1:8000"


@pytest.fixture
def cookie() -> str:
    return session_cookie(User.objects.create_user("owner"))


async def _is_accepted(cookie: str, origin: str | None, host: str = HOST) -> bool:
    headers = [(b"host", host.encode()), (b"cookie", cookie.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    scope = {"type": "websocket", "scheme": "ws", "path": "/ws/chat/", "headers": headers}
    handshake = ApplicationCommunicator(application, {**scope, "subprotocols": []})
    await handshake.send_input({"type": "websocket.connect"})
    answer = await handshake.receive_output(timeout=patience.SECONDS)
    await handshake.send_input({"type": "websocket.disconnect", "code": 1000})
    await handshake.wait(timeout=patience.SECONDS)
    return bool(answer["type"] == "websocket.accept")


async def test_our_own_page_may_open_the_socket(cookie: str) -> None:
    assert await _is_accepted(cookie, f"http://{HOST}")


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:8001",
        "https://127.0.0.1:8000",
        "http://localhost:8000",
        "http://127.0.0.1:8000.evil.example",
        "http://127.0.0.1:8000@evil.example",
        "http://127.0.0.1:port",
        "file://127.0.0.1:8000",
    ],
)
async def test_any_other_page_may_not(cookie: str, origin: str | None) -> None:
    assert not await _is_accepted(cookie, origin)


async def test_a_name_that_is_not_ours_may_not_though_it_leads_here(cookie: str) -> None:
    assert not await _is_accepted(cookie, "http://evil.example", host="evil.example")


async def test_the_public_address_may_behind_a_proxy(cookie: str, settings: Settings) -> None:
    settings.ROUNDTRIP_URL = "https://chat.example"

    assert await _is_accepted(cookie, "https://chat.example")
    assert not await _is_accepted(cookie, "https://chat.example:8443")


async def test_nobody_who_is_not_signed_in_may() -> None:
    assert not await _is_accepted("", f"http://{HOST}")


async def test_a_page_without_https_may_not_where_the_site_has_it(
    cookie: str, settings: Settings
) -> None:
    settings.HTTPS = True

    assert await _is_accepted(cookie, f"https://{HOST}")
    assert not await _is_accepted(cookie, f"http://{HOST}")
