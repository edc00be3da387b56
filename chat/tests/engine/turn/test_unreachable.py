"""A model server that cannot be reached: a plain sentence, and the system's words as evidence."""

import socket
from collections.abc import Callable, Iterator

import pytest
from pytest_django.fixtures import Settings

from benchmarks.stub import Stub
from chat.models import LanguageModel, Provider, Turn
from chat.tests.engine.conftest import answer_rings
from tracing.models import Span

Make = Callable[..., LanguageModel]
Send = Callable[..., Turn]
KINDS = [Provider.Kind.OPENAI, Provider.Kind.ANTHROPIC]


@pytest.fixture(autouse=True)
def in_a_hurry(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0.01


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that is taken, and where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def failed(send: Send, model: LanguageModel, kind: Provider.Kind, base_url: str) -> Turn:
    Provider.objects.filter(pk=model.provider_id).update(kind=kind, base_url=base_url)
    turn = answer_rings(send(model))
    assert turn.status == Turn.Status.FAILED
    return turn


def evidence(turn: Turn) -> str:
    span = Span.objects.filter(trace=turn.trace, kind=Span.Kind.GENERATION).latest("id")
    assert span.attributes["error_kind"] == "ConnectFailed"
    words: str = span.attributes["error_evidence"]
    return words


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_listens(model: Make, send: Send, kind: Provider.Kind, silent_port: int) -> None:
    turn = failed(send, model("stub"), kind, f"http://127.0.0.1:{silent_port}/v1")
    assert "could not be reached. (nothing listens at this address)" in turn.error
    assert "refused" in evidence(turn).lower() or "Connect call failed" in evidence(turn)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_no_such_host(model: Make, send: Send, kind: Provider.Kind) -> None:
    turn = failed(send, model("stub"), kind, "http://no-such-host.invalid/v1")
    assert "there is no host of this name" in turn.error
    assert evidence(turn)


@pytest.mark.parametrize("kind", KINDS)
def test_tls_is_not_spoken_there(model: Make, send: Send, stub: Stub, kind: Provider.Kind) -> None:
    base_url = stub.base_url.replace("http:", "https:")
    turn = failed(send, model("stub"), kind, base_url)
    assert "a TLS connection could not be made" in turn.error
    assert evidence(turn)
