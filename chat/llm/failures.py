"""The failure for a refused request, or for an error that a provider reports."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from chat.llm.errors import ProviderError, StatusFailure
from chat.llm.json_text import parse_json
from chat.llm.quota import is_out_of_quota


def status_failure(
    status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None
) -> StatusFailure:
    """The failure of a response that is not a success. Header names are lower case."""
    error = _error(body)
    return StatusFailure(
        status,
        _message_of(error) or headers.get("location", ""),
        retry_after=retry_after(headers, now or datetime.now(UTC)),
        evidence=body,
        out_of_quota=is_out_of_quota(status, error),
    )


def provider_error(value: object, evidence: bytes) -> ProviderError:
    """The failure of an error that a provider reports: `{"error": …}`, or the error itself.

    It is an object `{message, type?, code?}`, or a string.
    """
    error = value.get("error", value) if isinstance(value, dict) else value
    out_of_quota = is_out_of_quota(None, error)
    if not isinstance(error, dict):
        return ProviderError(str(error), evidence=evidence, out_of_quota=out_of_quota)
    return ProviderError(
        str(error.get("message") or ""),
        code=str(error.get("code") or error.get("type") or ""),
        evidence=evidence,
        out_of_quota=out_of_quota,
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait: `retry-after-ms`, or either form of `retry-after` (RFC 9110, 10.2.3)."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return _seconds_until(value, now) if seconds is None else seconds


def _seconds_until(http_date: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(http_date)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _error(body: bytes) -> Any:
    """The provider's error in a JSON body: an object, or a text. None for anything else, such as a
    web page."""
    try:
        value = parse_json(body.decode())
    except ValueError:
        return None
    if isinstance(value, dict):
        return value.get("error") or (value if value.get("message") else value.get("detail"))
    return value


def _message_of(error: Any) -> str:
    """The message of an error."""
    if isinstance(error, dict):
        error = error.get("message")
    return error if isinstance(error, str) else ""
