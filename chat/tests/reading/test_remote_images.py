"""Images of other hosts: what is fetched, and what is refused."""

from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.markdown.images import image_key
from chat.reading import remote_images

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "789c63606060000000040001f61738550000000049454e44ae426082"
)
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/pixel.png": (200, {"Content-Type": "text/html", "Set-Cookie": "a=b"}, PIXEL),
    "/moved": (302, {"Location": "/pixel.png"}, b""),
    "/inside": (302, {"Location": "http://169.254.169.254/latest"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/page": (200, {"Content-Type": "image/png"}, b"<html>"),
    "/picture.svg": (200, {}, b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    "/huge": (200, {}, PIXEL + b"x" * 20_000),
}


class _Host(BaseHTTPRequestHandler):
    seen: ClassVar[list[Any]] = []  # the server makes a handler for each request

    def do_GET(self) -> None:
        self.seen.append(dict(self.headers))
        status, headers, body = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    _Host.seen.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Host)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def inside(settings: Any) -> None:
    settings.MCP_PRIVATE_NETWORKS = ["127.0.0.1/32"]


def _get(client: Client, url: str, key: str | None = None) -> Any:
    key = image_key(url) if key is None else key
    return client.get(f"/image?{urlencode({'url': url, 'key': key})}")


@pytest.fixture
def reader(client: Client, django_user_model: type[User]) -> Client:
    client.force_login(django_user_model.objects.create_user("reader"))
    return client


pytestmark = [pytest.mark.django_db, pytest.mark.long]


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("path", ["/pixel.png", "/moved"])
def test_an_image_is_shown_as_what_its_bytes_are(reader: Client, host: str, path: str) -> None:
    response = _get(reader, host + path)
    assert response.content == PIXEL
    assert response["Content-Type"] == "image/png"
    assert "sandbox" in response["Content-Security-Policy"]
    assert "Set-Cookie" not in response


@pytest.mark.usefixtures("inside")
def test_the_host_learns_nothing_of_the_reader(reader: Client, host: str) -> None:
    _get(reader, f"{host}/pixel.png")
    assert not {"Cookie", "Referer", "X-Forwarded-For", "Accept-Language"} & set(_Host.seen[0])


def test_a_private_address_is_not_asked(reader: Client, host: str) -> None:
    assert _get(reader, f"{host}/pixel.png").status_code == HTTPStatus.BAD_GATEWAY
    assert _Host.seen == []


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("path", ["/inside", "/loop", "/page", "/picture.svg", "/nowhere"])
def test_what_is_no_image_or_leads_inside_is_refused(reader: Client, host: str, path: str) -> None:
    response = _get(reader, host + path)
    assert response.status_code == HTTPStatus.BAD_GATEWAY
    assert response["Content-Type"].startswith("text/plain")


@pytest.mark.usefixtures("inside")
def test_an_image_that_is_too_large_is_refused(
    reader: Client, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_images, "MAX_REMOTE_IMAGE_BYTES", 10_000)
    assert b"too large" in _get(reader, f"{host}/huge").content


@pytest.mark.parametrize(
    "key", ["", "x", image_key("http://other.example/")], ids=["none", "nonsense", "of another"]
)
def test_an_address_that_no_answer_had_is_not_fetched(reader: Client, host: str, key: str) -> None:
    assert _get(reader, f"{host}/pixel.png", key).status_code == HTTPStatus.NOT_FOUND


def test_who_is_not_signed_in_gets_no_image(client: Client, host: str) -> None:
    assert _get(client, f"{host}/pixel.png").status_code == HTTPStatus.FOUND
