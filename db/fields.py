"""Fields that keep what they are given, exactly.

PostgreSQL's `jsonb` reorders keys and refuses U+0000, its `text` refuses U+0000, and SQLite's text
refuses lone surrogates. JSON text with those escaped passes all of them unchanged.
"""

import json
from typing import Any

from django.db import models


def dump_json(value: Any) -> str:
    """JSON text with the wire's separators; escapes everything only if UTF-8 cannot carry it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def storable(text: str) -> str:
    """The text with U+FFFD for what not every database takes: U+0000 and lone surrogates."""
    pairs = text.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass")
    return pairs.decode("utf-16-le", "replace")


class LabelField(models.CharField):  # type: ignore[type-arg]  # generic only in the stubs
    """A short text for people, from anywhere: stored as far as it can be, never refused."""

    def get_prep_value(self, value: Any) -> Any:
        return storable(value)[: self.max_length] if isinstance(value, str) else value


class SentenceField(models.TextField):  # type: ignore[type-arg]  # generic only in the stubs
    """A text for people, from anywhere: stored as far as it can be, never refused."""

    def get_prep_value(self, value: Any) -> Any:
        return storable(value) if isinstance(value, str) else value


class JSONTextField(models.TextField):  # type: ignore[type-arg]  # generic only in the stubs
    """A JSON value kept as text: key order, NUL and surrogates survive on every database."""

    # What django-stubs lets be assigned and read.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else dump_json(value)

    def value_to_string(self, obj: models.Model) -> str:
        return dump_json(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value
