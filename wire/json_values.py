"""Reading JSON values of unknown shape."""

from json import loads
from typing import Any

from wire.chunks import Problem, ProblemKind, ReportedError
from wire.sse import ServerEvent


def object_of(event: ServerEvent) -> dict[str, Any] | Problem | ReportedError:
    """The JSON object in the data of an event."""
    try:
        value = loads(event.data)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and event.type != "error" and not is_error(value):
        return value
    evidence = event.data.encode()
    if isinstance(value, dict) or event.type == "error":
        error = value if value and isinstance(value, dict | str) else event.data
        return ReportedError(error, event.start, evidence)
    return Problem(ProblemKind.NOT_AN_OBJECT, event.start, evidence)


def is_error(value: dict[str, Any]) -> bool:
    """OpenAI's and Anthropic's `{"error": …}`, or vLLM's `{"object": "error", "message": …}`."""
    return bool(value.get("error")) or value.get("object") == "error"


def json_or_none(text: str | bytes) -> Any:
    """The JSON value; None if the text is not JSON."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def object_or_none(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def text_or_none(value: object) -> str | None:
    """The text; None if it is empty or no text."""
    return value if isinstance(value, str) and value else None


def text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""
