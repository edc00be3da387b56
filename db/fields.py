"""Model fields for any text and any JSON value.

PostgreSQL's `jsonb` reorders keys and refuses U+0000, its `text` refuses U+0000, and SQLite's text
refuses lone surrogates. JSON text with those characters escaped is stored unchanged by all of them.
"""

import json
from typing import Any

from django.db import models

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump_json(value: Any) -> str:
    """Compact JSON text, non-ASCII characters as they are; all escaped if it has lone
    surrogates."""
    text = _encoder.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def storable(text: str) -> str:
    """The text with U+FFFD for U+0000 and lone surrogates, which not every database stores."""
    pairs = text.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass")
    return pairs.decode("utf-16-le", "replace")


class LabelField(models.CharField):  # type: ignore[type-arg]  # generic only in the stubs
    """A short text for people: truncated to the column, `storable`, never refused."""

    def get_prep_value(self, value: Any) -> Any:
        return storable(value)[: self.max_length] if isinstance(value, str) else value


class SentenceField(models.TextField):  # type: ignore[type-arg]  # generic only in the stubs
    """A text for people: `storable`, never refused."""

    def get_prep_value(self, value: Any) -> Any:
        return storable(value) if isinstance(value, str) else value


class JSONTextField(models.TextField):  # type: ignore[type-arg]  # generic only in the stubs
    """A JSON value as text: keeps key order, U+0000 and surrogates on every database."""

    # For django-stubs: the types that can be assigned and read.
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
