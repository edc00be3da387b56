"""The application behind a real server, and tabs that connect to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User

from benchmarks.stub import Stub, running_stub
from chat.models import LanguageModel, Provider
from chat.tests.live.tabs import Open, Tab, connect_to
from config.asgi import application
from config.websocket import WebSocketProtocol
from tests.redis_server import RedisServer
from tests.serving import served
from tests.signing_in import session_cookie


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    websockets: dict[str, Any] = {"ws_max_size": 2**20, "ws_per_message_deflate": False}
    with served(application, ws=WebSocketProtocol, **websockets) as url:
        yield url


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@pytest.fixture
def owner(transactional_db: None, redis_server: RedisServer) -> User:
    return User.objects.create_user("owner")


@pytest.fixture
def model(owner: User, stub: Stub) -> Callable[[str], str]:
    """Makes a model of the stub's; answers its UUID."""
    provider = Provider.objects.create(name="Stub", base_url=stub.base_url, api_key="none")

    def make(name: str) -> str:
        return str(LanguageModel.objects.create(provider=provider, name=name).public_id)

    return make


@pytest.fixture
def opened(server: str) -> Iterator[Open]:
    """Opens a socket as a page of the site would; what is given replaces a header."""
    with ExitStack() as stack:

        def open_tab(user: User, **headers: str) -> Tab:
            tab = Tab(stack.enter_context(connect_to(server, session_cookie(user), headers)))
            assert tab.next() == {"type": "hello", "protocol": 1}
            return tab

        yield open_tab
