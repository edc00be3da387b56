"""Through the ASGI application, since that is who serves them."""

import asyncio
import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.templatetags.static import static

from config.joined_styles import joined_path, read
from config.static_files import StaticFiles, without_comments
from host import zstd

NAMED = re.compile(r"{% stylesheets ([^%]+) %}")

Answer = tuple[int, dict[str, str], bytes]


async def _django(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"Django"})


def _get(path: str, method: str = "GET", **headers: str) -> Answer:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    pairs = [(n.replace("_", "-").encode(), v.encode()) for n, v in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": pairs}
    asyncio.run(StaticFiles(_django)(scope, None, send))
    response_headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], response_headers, sent[1]["body"]


def test_a_script_is_served_with_its_type_for_ever() -> None:
    status, headers, body = _get(static("js/base/main.js"))

    assert status == 200
    assert headers["content-type"].startswith("text/javascript")
    assert headers["cache-control"] == "max-age=315360000, public, immutable"
    source = (settings.BASE_DIR / "static/js/base/main.js").read_bytes()
    assert body == without_comments(source)
    assert headers["content-length"] == str(len(body))


@pytest.mark.parametrize(
    ("accepted", "unpacked"),
    [("gzip", gzip.decompress), ("gzip, zstd", zstd.decompress)],
)
def test_a_script_is_compressed_as_the_browser_takes_it(
    accepted: str, unpacked: Callable[[bytes], bytes]
) -> None:
    path = static("js/base/main.js")
    _, headers, body = _get(path, accept_encoding=accepted)

    assert headers["content-encoding"] == accepted.split(", ")[-1]
    assert headers["vary"] == "Accept-Encoding"
    assert unpacked(body) == _get(path)[2]


def test_a_head_request_has_no_body() -> None:
    status, _, body = _get(static("js/base/main.js"), method="HEAD", accept_encoding="gzip")
    assert (status, body) == (200, b"")


def test_the_admins_files_are_there_too() -> None:
    assert _get(static("admin/css/base.css"))[0] == 200


def test_what_a_browser_has_is_not_sent_again() -> None:
    path = static("css/base/tokens.css")
    stamp = _get(path)[1]["last-modified"]

    assert _get(path, if_modified_since=stamp)[0] == 304


def test_the_path_changes_with_the_files() -> None:
    from config.versions import static_files_version

    assert f"/static/{static_files_version(settings.STATICFILES_DIRS)}/" == settings.STATIC_URL


@pytest.mark.parametrize("path", ["../config/settings.py", "%2e%2e/manage.py", "js/none.js", ""])
def test_nothing_else_is_served(path: str) -> None:
    assert _get(settings.STATIC_URL + path)[2] == b"Django"


def test_files_cannot_be_posted_to() -> None:
    assert _get(static("css/base/tokens.css"), method="POST")[0] == 405


SHEETS = ("base/tokens", "trace/list/page")


def test_stylesheets_that_a_page_names_come_as_one_for_ever() -> None:
    status, headers, body = _get(static(joined_path(SHEETS)))
    sources = [(settings.BASE_DIR / f"static/css/{name}.css").read_bytes() for name in SHEETS]
    assert (status, body) == (200, b"\n".join(sources))
    assert headers["content-type"] == 'text/css; charset="utf-8"'
    assert headers["cache-control"] == "max-age=315360000, immutable, public"


def test_joined_stylesheets_are_compressed() -> None:
    path = static(joined_path(SHEETS))
    _, headers, body = _get(path, accept_encoding="gzip")
    assert headers["content-length"] == str(len(body))
    assert gzip.decompress(body) == _get(path)[2]


@pytest.mark.parametrize(
    "names",
    [
        "",
        "base.none",
        "..base.tokens",
        "base.tokens~base.tokens",
        "base",
        "base/tokens",
        "%2e%2e.x",
    ],
)
def test_joined_stylesheets_that_there_are_not_are_not_found(names: str) -> None:
    assert _get(static(f"css/joined/{names}.css"))[0] == 404


def test_joined_stylesheets_take_no_post() -> None:
    assert _get(static(joined_path(SHEETS)), method="POST")[0] == 405


def test_every_stylesheet_that_a_template_names_is_there() -> None:
    templates = (settings.BASE_DIR / "templates").rglob("*.html")
    tags = [tag for one in templates for tag in NAMED.findall(one.read_text())]
    assert len(tags) > 20
    assert [tag for tag in tags if read(joined_path(re.findall('"([^"]+)"', tag))) is None] == []
