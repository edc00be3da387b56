"""Searching the web, through a real HTTP server that answers as a search service may."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from limits.tools import MAX_SEARCH_BYTES, MAX_SEARCH_RESULTS
from tests import patience
from tools.catalogue import registry, switches
from tools.errors import ToolError
from tools.local import search_service
from tools.local.web_search import web_search


class Service(ThreadingHTTPServer):
    """Answers every request with the same, and keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.status, self.body = 200, b'{"results": []}'
        self.headers: dict[str, str] = {"Content-Type": "application/json"}
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def finds(self, *results: Any, **more: Any) -> None:
        self.body = json.dumps({"results": results, **more}).encode()


class Answering(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def service(settings: Any) -> Iterator[Service]:
    running = Service()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    settings.WEB_SEARCH_URL = running.url
    yield running
    running.shutdown()
    running.server_close()
    thread.join(patience.SECONDS)


def a_result(**changes: Any) -> dict[str, Any]:
    return {"title": "A title", "url": "https://example.org/", "content": "Says this."} | changes


def test_results_are_numbered_with_title_address_and_snippet(service: Service) -> None:
    service.finds(a_result(), a_result(title="第二", url="https://例子.org/a", content=None))
    assert str(web_search("two  things\n")).split("\n\n")[1:-1] == [
        "[1] A title\n    https://example.org/\n    Says this.",
        "[2] 第二\n    https://例子.org/a",
    ]
    asked = urlsplit(service.asked[0])
    assert asked.path == "/search"
    assert parse_qs(asked.query) == {"q": ["two things"], "format": ["json"]}


def test_an_address_with_a_path_and_parameters_is_kept(service: Service, settings: Any) -> None:
    settings.WEB_SEARCH_URL = f"{service.url}/find/it?language=de"
    web_search("天气 & more")
    asked = urlsplit(service.asked[0])
    assert asked.path == "/find/it"
    assert parse_qs(asked.query) == {
        "language": ["de"],
        "q": ["天气 & more"],
        "format": ["json"],
    }


def test_nothing_found_says_so_and_who_did_not_answer(service: Service) -> None:
    assert web_search("zzz") == "Nothing was found for 'zzz'."
    service.finds(unresponsive_engines=[["duck", "CAPTCHA"], "odd", []])
    assert str(web_search("zzz")).endswith("These engines did not answer: duck.")


def test_sizes_are_capped(service: Service) -> None:
    service.finds(*[a_result(title="t" * 999, content="c" * 9_999)] * 50)
    found = str(web_search("much"))
    assert found.count("https://example.org/") == MAX_SEARCH_RESULTS
    assert len(found) < 10_000
    service.finds(a_result(content="c" * MAX_SEARCH_BYTES))
    with pytest.raises(ToolError, match="more than"):
        web_search("too much")


def test_odd_results_are_left_out_and_control_characters_too(service: Service) -> None:
    odd = [1, None, {}, a_result(url="javascript:alert(1)"), a_result(url=["x"])]
    service.finds(*odd, a_result(title="a\x00b\x1b[1m\nc", content=7))
    assert "[1] ab[1m c\n    https://example.org/\n" in str(web_search("odd"))


@pytest.mark.parametrize(
    ("status", "headers", "body", "said"),
    [
        (403, {}, b"Forbidden", "add `json` to `search: formats:`"),
        (429, {}, b"", "asked too often"),
        (500, {}, b"oops", "the status 500"),
        (302, {"Location": "http://169.254.169.254/"}, b"", "redirects elsewhere"),
        (200, {"Content-Type": "text/html"}, b"<html>", "did not answer in JSON"),
        (200, {}, b"[" * 100_000, "did not answer in JSON"),
        (200, {}, b"[]", "did not answer in JSON"),
        (200, {}, b"", "did not answer in JSON"),
        (200, {"Content-Encoding": "gzip"}, b"no gzip", "cannot be reached"),
        (200, {"Content-Length": "99"}, b"{", "cannot be reached"),
    ],
)
def test_what_goes_wrong_is_an_error_that_says_what_to_do(
    service: Service, status: int, headers: dict[str, str], body: bytes, said: str
) -> None:
    service.status, service.headers, service.body = status, headers, body
    with pytest.raises(ToolError) as raised:
        web_search("anything")
    assert said in str(raised.value)
    assert len(service.asked) == 1


def test_a_service_that_is_down(service: Service, settings: Any) -> None:
    settings.WEB_SEARCH_URL = "http://user:secret@127.0.0.1:1/search"
    with pytest.raises(ToolError, match="cannot be reached") as raised:
        web_search("anything")
    assert "secret" not in str(raised.value)


def test_a_service_that_is_silent(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_service, "MAX_SEARCH_SILENCE_S", 0.05)
    service.headers, service.body = {"Content-Length": "5"}, b""
    release = threading.Event()
    monkeypatch.setattr(Answering, "do_GET", lambda _: release.wait(5))
    try:
        with pytest.raises(ToolError, match="in time"):
            web_search("anything")
    finally:
        release.set()


@pytest.mark.parametrize("query", ["", " \n\0", "x" * 501])
def test_a_query_has_to_say_something_short(service: Service, query: str) -> None:
    with pytest.raises(ToolError, match="query"):
        web_search(query)
    assert service.asked == []


@pytest.mark.django_db
def test_it_is_offered_only_where_a_service_is_configured(settings: Any) -> None:
    settings.WEB_SEARCH_URL = ""
    assert registry.find("web_search") is None
    assert "not set up" in switches.why_off("web_search")
    settings.WEB_SEARCH_URL = "http://127.0.0.1:8888"
    assert registry.find("web_search") is not None


@pytest.mark.parametrize("url", ["search", "ftp://x/", "http://", "http://[::1", "//x"])
def test_an_odd_address_is_said_to_be_one(settings: Any, url: str) -> None:
    settings.WEB_SEARCH_URL = url
    assert search_service.missing() == search_service.ODD_URL
    with pytest.raises(ToolError):
        web_search("anything")
