"""The HTTP session of the exporter, with the bounds and results that the SDK lacks.

A redirect is a failure (the headers hold a key, and the SDK would take it for success), an answer
is bounded in size and time, and its status and `Retry-After` are stored.
"""

import time
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from limits.export import MAX_COLLECTOR_ANSWER_BYTES, MAX_COLLECTOR_ANSWER_S, MAX_COLLECTOR_WAIT_S


class RedirectRefused(requests.exceptions.RequestException):
    """The collector answered with a redirect."""


class Web(requests.Session):
    """Stores status, failure and wait of the last request."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        self.status: int | None = None
        self.failure = ""
        self.wait_s = 0.0

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        self.begin()
        try:
            response = super().send(request, **{**options, "stream": True})
            return self._read(response)
        except requests.exceptions.RequestException as error:
            self.failure = self.failure or _error_text(error)
            raise

    def _read(self, response: requests.Response) -> requests.Response:
        self.status = response.status_code
        if response.status_code >= 300:
            self.failure = f"It answered HTTP {response.status_code}."
            self.wait_s = _wait(response.headers.get("Retry-After", ""))
        if 300 <= response.status_code < 400:
            response.close()
            raise RedirectRefused(self.failure)
        _drain(response)
        return response


def _drain(response: requests.Response) -> None:
    """Reads the rest, so that the connection can be used again; closes a long or slow one."""
    until, left = time.monotonic() + MAX_COLLECTOR_ANSWER_S, MAX_COLLECTOR_ANSWER_BYTES
    for piece in response.iter_content(4096):
        left -= len(piece)
        if left < 0 or time.monotonic() > until:
            response.close()
            return


def _wait(value: str) -> float:
    """Seconds, from a number or a date; 0 for anything else."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError):
            return 0.0
    return min(max(seconds, 0.0), MAX_COLLECTOR_WAIT_S) if seconds == seconds else 0.0


def _error_text(error: Exception) -> str:
    """A sentence without the URL, which the library's own messages repeat."""
    match error:
        case requests.exceptions.SSLError():
            return "Its certificate was not accepted."
        case requests.exceptions.Timeout():
            return "It did not answer in time."
        case requests.exceptions.ConnectionError():
            return "It cannot be reached."
    return f"The request failed ({type(error).__name__})."
