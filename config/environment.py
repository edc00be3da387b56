"""Settings in the environment that are more than a word."""

import json
import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def json_object(name: str) -> dict[str, Any]:
    """The JSON object of a variable, {} if it is not set. Raises `ImproperlyConfigured`."""
    written = os.environ.get(name) or "{}"
    try:
        value = json.loads(written)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no JSON ({error}): {written!r}.") from None
    if not isinstance(value, dict):
        raise ImproperlyConfigured(f'{name} has to be a JSON object, as {{"a": 1}}, not {written}.')
    return value
