"""ASGI middleware: static files, served in front of Django's middleware and sessions.

STATIC_URL contains the version of the files, so browsers cache them without asking again; with
DEBUG they ask each time. Texts are compressed once for each encoding, and scripts leave out their
lines of comment, but for DEBUG.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from whitenoise.base import WhiteNoise

from config import joined_styles
from config.compression import best_encoding, compress_whole, is_compressible, weak

Application = Callable[..., Awaitable[Any]]
Headers = list[tuple[bytes, bytes]]

_COMMENT = re.compile(rb"^[ \t]*//.*$", re.MULTILINE)


class StaticFiles:
    """Serves the files below STATIC_URL; other requests go to `application`."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._files = WhiteNoise(
            None,
            max_age=0,
            allow_all_origins=False,
            immutable_file_test=lambda path, url: not settings.DEBUG,
            add_headers_function=_add_headers,
        )
        # By path and encoding.
        self._packed: dict[tuple[str, str], bytes] = {}
        self._collect()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if settings.DEBUG and scope["path"].startswith(settings.STATIC_URL):
            self._collect()
        file = self._files.files.get(scope["path"])
        if file is not None:
            status, headers, body = await asyncio.to_thread(self._answer, file, scope)
        elif scope["path"].startswith(settings.STATIC_URL + joined_styles.PREFIX):
            status, headers, body = await asyncio.to_thread(_joined, scope)
        else:
            await self._application(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _collect(self) -> None:
        """List the files; of two with the same path, the one of the first finder is served."""
        files: dict[str, str] = {}
        for finder in finders.get_finders():
            for path, storage in finder.list([]):
                files.setdefault(settings.STATIC_URL + path, storage.path(path))
        self._files.files.clear()
        for url, path in files.items():
            self._files.add_file_to_dictionary(url, path)

    def _answer(self, file: Any, scope: dict[str, Any]) -> tuple[int, Headers, bytes]:
        status, headers, body = _read(file, scope)
        kinds = dict(headers)
        if settings.DEBUG or status != 200 or not is_compressible(status, kinds):
            return status, headers, body
        encoding = best_encoding(dict(scope["headers"]).get(b"accept-encoding", b""))
        packed = self._pack(scope["path"], encoding, body)
        return status, _packed_headers(headers, encoding, len(packed)), packed

    def _pack(self, path: str, encoding: str, body: bytes) -> bytes:
        if not body:  # HEAD
            return body
        key = path, encoding
        if key not in self._packed:
            text = without_comments(body) if path.endswith(".js") else body
            self._packed[key] = compress_whole(text, encoding) if encoding else text
        return self._packed[key]


def _joined(scope: dict[str, Any]) -> tuple[int, Headers, bytes]:
    """Stylesheets that an address names together (`joined_styles`)."""
    if scope["method"] not in ("GET", "HEAD"):
        return 405, [(b"allow", b"GET, HEAD")], b""
    encoding = best_encoding(dict(scope["headers"]).get(b"accept-encoding", b""))
    read = _packed_styles.__wrapped__ if settings.DEBUG else _packed_styles
    body = read(scope["path"].removeprefix(settings.STATIC_URL), encoding)
    if body is None:
        return 404, [(b"content-type", b"text/plain")], b"There is no such stylesheet."
    age = b"max-age=0" if settings.DEBUG else b"max-age=%d, immutable" % WhiteNoise.FOREVER
    headers = [
        (b"content-type", b'text/css; charset="utf-8"'),
        (b"cache-control", age + b", public"),
        (b"x-content-type-options", b"nosniff"),
    ]
    headers = _packed_headers(headers, encoding, len(body))
    return 200, headers, body if scope["method"] == "GET" else b""


@lru_cache(maxsize=64)
def _packed_styles(path: str, encoding: str) -> bytes | None:
    text = joined_styles.read(path)
    return compress_whole(text, encoding) if text and encoding else text


def without_comments(script: bytes) -> bytes:
    """The script with empty lines in place of those that are a `//` comment, so that the numbers of
    lines stay. No template literal has such a line (`tests.javascript`)."""
    return _COMMENT.sub(b"", script)


def _read(file: Any, scope: dict[str, Any]) -> tuple[int, Headers, bytes]:
    environ = {
        f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
        for name, value in scope["headers"]
    }
    response = file.get_response(scope["method"], environ)
    body = b""
    if response.file is not None:
        with response.file:
            body = response.file.read()
    headers = [(name.lower().encode(), value.encode()) for name, value in response.headers]
    return int(response.status), headers, body


def _packed_headers(headers: Headers, encoding: str, size: int) -> Headers:
    kept = [(n, weak(v) if n == b"etag" else v) for n, v in headers if n != b"content-length"]
    kept.append((b"vary", b"Accept-Encoding"))
    if size:
        kept.append((b"content-length", str(size).encode()))
    if encoding:
        kept.append((b"content-encoding", encoding.encode()))
    return kept


def _add_headers(headers: Any, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    # For a file that is opened as a page, such as an SVG.
    headers["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; sandbox"
