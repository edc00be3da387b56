"""The application behind a real server, a person with a turn that has a trace, and programs."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import User
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.stub import Stub, running_stub
from chat.models import LanguageModel, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.conftest import send as send
from config.asgi import application
from tests import patience
from tests.redis_server import RedisServer
from tests.serving import served
from tracing.stats.aggregates.ended_traces import aggregate_pending

# Modes of the SDK's client: the older era, and the newer one.
ERAS = ("legacy", "2026-07-28")
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with served(application) as url:
        yield url


@pytest.fixture(scope="session")
def stub() -> Iterator[Stub]:
    with running_stub() as running:
        yield running


@pytest.fixture
def owner(transactional_db: None) -> User:
    return User.objects.create_user("owner", password="a long pass phrase")


@pytest.fixture
def other(owner: User) -> User:
    return User.objects.create_user("other")


@pytest.fixture
def model(stub: Stub, owner: User) -> Callable[..., LanguageModel]:
    provider = Provider.objects.create(name="Stub", base_url=stub.base_url, api_key="sk-canary-1")

    def make(name: str) -> LanguageModel:
        return LanguageModel.objects.get_or_create(provider=provider, name=name)[0]

    return make


@pytest.fixture
def turn(
    model: Callable[..., LanguageModel], send: Callable[..., Turn], redis_server: RedisServer
) -> Turn:
    """Two rounds, the first with calls of tools, and an answer."""
    answered = answer_rings(send(model("stub-t2-k1-n20"), "what is the weather"))
    aggregate_pending(10)
    return answered


@pytest.fixture
def connect(server: str) -> Connect:
    """The public SDK's client, connected with a token."""

    @asynccontextmanager
    async def connected(secret: str, era: str = ERAS[1], **options: Any) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=patience.SECONDS) as http:
            transport = streamable_http_client(f"{server}/mcp", http_client=http)
            async with Client(transport, mode=era, **options) as client:
                yield client

    return connected
