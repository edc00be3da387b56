"""Environment variables whose values are JSON, or one of some words."""

import json
import os
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def json_object(name: str) -> dict[str, Any]:
    """The JSON object in the variable `name`; {} if it is unset. Raises `ImproperlyConfigured`."""
    text = os.environ.get(name) or "{}"
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no JSON ({error}): {text!r}.") from None
    if not isinstance(value, dict):
        raise ImproperlyConfigured(f'{name} has to be a JSON object, as {{"a": 1}}, not {text}.')
    return value


def choice(name: str, words: Sequence[str]) -> str:
    """The word in the variable `name`, the first one if it is unset. Raises
    `ImproperlyConfigured`."""
    value = os.environ.get(name) or words[0]
    if value not in words:
        raise ImproperlyConfigured(f"{name} has to be one of {', '.join(words)}, not {value!r}.")
    return value
