"""What a client sees of a response that fails while it is made: over real HTTP."""

import logging
from collections.abc import Iterator

import httpx2 as httpx
import pytest
from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from pytest_django.fixtures import Settings

from config.asgi import application
from tests.serving import served
from tracing import streaming

PIECE = "x" * 40_000


class Failure(Exception):
    pass


def pieces(good: int) -> Iterator[str]:
    for _ in range(good):
        yield PIECE
    raise Failure


def view(request: HttpRequest, good: int) -> HttpResponseBase:
    return streaming.respond(pieces(good))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served(application) as url:
        yield url


@pytest.fixture(autouse=True)
def _failing_pages(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


def whole(request: HttpRequest) -> HttpResponseBase:
    return streaming.respond(iter([PIECE] * 5))


urlpatterns = [path("<int:good>", view), path("whole", whole)]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_what_django_answers_leaves_compressed(server: str, encoding: str) -> None:
    response = httpx.get(f"{server}/whole", headers={"Accept-Encoding": encoding})
    assert response.headers["Content-Encoding"] == encoding
    assert "Accept-Encoding" in response.headers["Vary"]
    if encoding == "gzip":
        assert response.text == PIECE * 5


@pytest.mark.parametrize("good", [0, 1])
def test_what_fails_at_its_beginning_is_an_error_500(server: str, good: int) -> None:
    assert httpx.get(f"{server}/{good}").status_code == 500


@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
def test_what_fails_later_breaks_off_and_is_logged(
    server: str, caplog: pytest.LogCaptureFixture, encoding: str
) -> None:
    with (
        caplog.at_level(logging.ERROR, "tracing.streaming"),
        pytest.raises(httpx.RemoteProtocolError),
    ):
        httpx.get(f"{server}/5", headers={"Accept-Encoding": encoding})
    assert "broke off" in caplog.text
