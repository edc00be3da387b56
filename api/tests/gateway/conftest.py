"""The gateway's cast: a hostile provider, the gateway served as `config.web` serves it, a person
with a token."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2 as httpx
import pytest
import uvicorn
import uvloop
from django.contrib.auth.models import User

from api.gateway import upstream as connections
from api.gateway.application import Gateway
from api.gateway.counts import Counts
from api.gateway.recorder import Recorder
from api.gateway.writing.loops import end_idle
from api.gateway.writing.writer import write
from api.tests.gateway.upstream import Upstream, running_upstream
from chat.models import LanguageModel, Provider
from tests import patience
from tests.ports import free_port
from tokens.models import Scope, Token

KEY = "sk-planted-key-0123456789"


@dataclass(frozen=True)
class Served:
    """A gateway that listens at `url`."""

    url: str
    gateway: Gateway
    recorder: Recorder


@dataclass(frozen=True)
class Person:
    """Who calls: `client` has the token, and `base` is the gateway's address of the provider."""

    user: User
    token: Token
    secret: str
    base: str
    client: httpx.Client


async def nothing_else(scope: object, receive: object, send: object) -> None:
    raise AssertionError("passed on to Django")


async def _serve(server: uvicorn.Server) -> None:
    await server.serve()
    await connections.close()


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running_upstream() as running:
        yield running


@pytest.fixture
def served(transactional_db: None) -> Iterator[Served]:
    recorder = Recorder(write, end_idle, Counts(), retry_s=0.01)
    gateway = Gateway(nothing_else, recorder)
    port = free_port()
    config = uvicorn.Config(gateway, port=port, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=uvloop.run, args=[_serve(server)], daemon=True)
    thread.start()
    pause = threading.Event()
    while not server.started:
        assert thread.is_alive() and not pause.wait(0.01)
    yield Served(f"http://127.0.0.1:{port}", gateway, recorder)
    recorder.flush()
    server.should_exit = True
    thread.join(patience.SECONDS)


@pytest.fixture
def provider(transactional_db: None, upstream: Upstream) -> Provider:
    """Any call is passed on to it: `test_access.py` has what is refused elsewhere."""
    upstream.seen.clear()
    upstream.left.clear()
    made = Provider.objects.create(
        name="Hostile", base_url=upstream.url + "/api", api_key=KEY, shares_objects=True
    )
    LanguageModel.objects.create(provider=made, name="m", price_in=1, price_out=2)
    return made


@pytest.fixture
def anna(served: Served, provider: Provider) -> Iterator[Person]:
    user = User.objects.create_user("anna", password="a long pass phrase")
    token, secret = Token.objects.make(user, "Laptop", [Scope.CHAT])
    base = f"{served.url}/gateway/hostile/v1"
    with httpx.Client(
        base_url=base, headers={"Authorization": f"Bearer {secret}"}, timeout=10
    ) as client:
        yield Person(user, token, secret, base, client)
