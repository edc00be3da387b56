"""The HTTP of the exporter: what the SDK's result does not say, and bounds that it has not.

A redirect is a failure (the headers hold a key, and the SDK would take it for success), an answer
has a size and a deadline, and its status and `Retry-After` are kept.
"""

import time
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from limits.export import MAX_COLLECTOR_ANSWER_BYTES, MAX_COLLECTOR_ANSWER_S, MAX_COLLECTOR_WAIT_S


class Refused(requests.exceptions.RequestException):
    """An answer that is none; the message says why."""


class Web(requests.Session):
    """Remembers how the last request went."""

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
            self.failure = self.failure or _worded(error)
            raise

    def _read(self, response: requests.Response) -> requests.Response:
        self.status = response.status_code
        if response.status_code >= 300:
            self.failure = f"It answered HTTP {response.status_code}."
            self.wait_s = _wait(response.headers.get("Retry-After", ""))
        if 300 <= response.status_code < 400:
            response.close()
            raise Refused(self.failure)
        _drain(response)
        return response


def _drain(response: requests.Response) -> None:
    """Reads the rest, so that the connection can be used again; a long or slow one is cut."""
    until, left = time.monotonic() + MAX_COLLECTOR_ANSWER_S, MAX_COLLECTOR_ANSWER_BYTES
    for piece in response.iter_content(4096):
        left -= len(piece)
        if left < 0 or time.monotonic() > until:
            response.close()
            return


def _wait(said: str) -> float:
    """Seconds, from a number or a date; 0 for anything else."""
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError):
            return 0.0
    return min(max(seconds, 0.0), MAX_COLLECTOR_WAIT_S) if seconds == seconds else 0.0


def _worded(error: Exception) -> str:
    """Errors of this library repeat URLs."""
    match error:
        case requests.exceptions.SSLError():
            return "Its certificate was not accepted."
        case requests.exceptions.Timeout():
            return "It did not answer in time."
        case requests.exceptions.ConnectionError():
            return "It cannot be reached."
    return f"The request failed ({type(error).__name__})."
