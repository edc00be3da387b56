"""Static files of the tests' live server, from memory: a page of the chat asks for a hundred, and
Django opens each of them anew in the process that also drives the browser."""

import mimetypes
import threading
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from wsgiref.types import StartResponse, WSGIEnvironment

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.handlers import StaticFilesHandler

from config import joined_styles
from tests import patience


class File(NamedTuple):
    headers: list[tuple[str, str]]
    body: bytes


class StaticFilesInMemory(StaticFilesHandler):
    """Browsers keep them, as those of the product, whose addresses have their version."""

    running = 0
    changed = threading.Condition()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        path = environ["PATH_INFO"]
        file = _file(self.file_path(path)) if self._should_handle(path) else None
        if file is None:
            self._count(1)
            try:
                return super().__call__(environ, start_response)
            finally:
                self._count(-1)
        start_response("200 OK", file.headers)
        return [file.body]

    @classmethod
    def _count(cls, difference: int) -> None:
        with cls.changed:
            cls.running += difference
            cls.changed.notify_all()

    @classmethod
    def wait_until_idle(cls) -> None:
        """Until all requests are answered. One that outlives its test would find that the session
        is gone, and delete the cookie, which is the next test's by then."""
        with cls.changed:
            cls.changed.wait_for(lambda: cls.running == 0, patience.SECONDS)


@cache
def _file(path: str) -> File | None:
    """None: there is none, which Django says."""
    body = joined_styles.read(path) or _read(path)
    if body is None:
        return None
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    headers = {
        "Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "max-age=315360000, public, immutable",
    }
    return File(list(headers.items()), body)


def _read(path: str) -> bytes | None:
    found = finders.find(path)
    return Path(found).read_bytes() if isinstance(found, str) and Path(found).is_file() else None
