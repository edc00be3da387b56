"""Real clients of OpenAI's API, the application behind a real server, and workers in threads."""

import threading
from collections.abc import Callable, Iterator

import openai
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, Preset, Turn
from tests import patience
from tracing.models import Span


@pytest.fixture
def working(owner: User) -> Iterator[None]:
    """What the workers do, in a thread: advances turns and runs approved calls."""
    over = threading.Event()

    def work() -> None:
        try:
            while not over.wait(0.01):
                for turn in _ready():
                    advance(turn)
                approved = Span.objects.filter(kind=Span.Kind.TOOL, status=Span.Status.APPROVED)
                for call in list(approved.values_list("pk", flat=True)):
                    execute(call)
        finally:
            connection.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    over.set()
    thread.join(patience.SECONDS)


def _ready() -> list[int]:
    return list(Turn.objects.runnable(timezone.now()).values_list("pk", flat=True))


@pytest.fixture
def secret(owner: User, token_of: Callable[..., str]) -> str:
    return token_of(owner, ["chat"])


@pytest.fixture
def client(server: str, secret: str, working: None) -> Iterator[openai.OpenAI]:
    """The SDK, with a token of the owner's."""
    url, wait = f"{server}/v1", patience.SECONDS
    with openai.OpenAI(base_url=url, api_key=secret, max_retries=0, timeout=wait) as sdk:
        yield sdk


@pytest.fixture
def named(model: Callable[[str], str]) -> Callable[[str], str]:
    """Makes a model of the stub's; gives its id in `/v1/models`."""

    def make(name: str) -> str:
        row = LanguageModel.objects.select_related("provider").get(public_id=model(name))
        return f"{row.provider.slug}/{row.name}"

    return make


@pytest.fixture
def assistant(owner: User, model: Callable[[str], str]) -> Callable[..., str]:
    """Makes an assistant with a model of the stub's; gives its id in `/v1/models`."""

    def make(name: str, **columns: object) -> str:
        row = LanguageModel.objects.get(public_id=model(name))
        prompt = {"system_prompt": "You are the assistant."}
        Preset.objects.create(name="Helper", owner=owner, model=row, **{**prompt, **columns})
        return "assistant/helper"

    return make
