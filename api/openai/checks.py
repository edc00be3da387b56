"""Reading values of a body. What does not fit is refused by the name of its field."""

from collections.abc import Collection, Mapping
from typing import Any

from api.openai.errors import OpenAIError, refused, unsupported

Body = Mapping[str, Any]


def objects(value: object, param: str) -> list[dict[str, Any]]:
    """A list of objects."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise refused(param, f"“{param}” has to be a list of objects.", "invalid_type")
    return value


def an_object(value: object, param: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refused(param, f"“{param}” has to be an object.", "invalid_type")
    return value


def text(value: object, param: str) -> str:
    """A text that every database stores: without U+0000 and lone surrogates."""
    if not isinstance(value, str):
        raise refused(param, f"“{param}” has to be a string.", "invalid_type")
    if "\0" in value or any("\ud800" <= one <= "\udfff" for one in value):
        raise refused(param, f"“{param}” has U+0000 or half of a surrogate pair.", "invalid_text")
    return value


def number(value: object, param: str, least: float, most: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise refused(param, f"“{param}” has to be a number from {least:g} to {most:g}.")
    return value  # type: ignore[return-value]


def whole(value: object, param: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise refused(param, f"“{param}” has to be an integer from {least} to {most}.")
    return value


def flag(value: object, param: str) -> bool:
    if not isinstance(value, bool):
        raise refused(param, f"“{param}” has to be true or false.", "invalid_type")
    return value


def one_of(value: object, param: str, values: Collection[str]) -> str:
    if not isinstance(value, str) or value not in values:
        raise refused(param, f"“{param}” has to be one of {', '.join(sorted(values))}.")
    return value


def only_keys(value: Body, param: str, keys: Collection[str]) -> None:
    """Refuses a key that is not read, unless it is null."""
    for key, one in value.items():
        if key not in keys and one is not None:
            raise unsupported(f"{param}.{key}" if param else str(key), "nothing reads it.")


def required(body: Body, name: str) -> Any:
    if body.get(name) is None:
        raise OpenAIError(
            400, f"“{name}” is missing.", param=name, code="missing_required_parameter"
        )
    return body[name]
