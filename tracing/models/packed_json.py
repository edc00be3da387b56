"""A JSON value that is stored compressed.

The attributes of a generation have some 900 bytes, of which two hundred differ from those of the
next one; the headers of a request 700, of which its length differs.
"""

import json
from typing import Any

from django.db import models

from db.fields import dump_json
from tracing.store import compression

# Bytes. Shorter JSON is stored as it is.
_MIN_PACKED = 24
# Packed bytes begin with the number of their format, JSON never with one of these.
_FORMATS = range(8)


class PackedJSONField(models.Field):  # type: ignore[type-arg]  # generic only in the stubs
    """A JSON value in which every text is kept: key order, U+0000, surrogates. Rows that were
    written as text are read as well."""

    # For django-stubs: the types that can be assigned and read.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def get_internal_type(self) -> str:
        return "BinaryField"

    def db_type(self, connection: Any) -> str | None:
        """On SQLite `text`, which the columns were declared as and which keeps bytes as they are:
        another type would be another schema than that of databases that are there."""
        return "text" if connection.vendor == "sqlite" else super().db_type(connection)

    def from_db_value(self, value: Any, expression: object, connection: object) -> Any:
        if value is None or isinstance(value, str):
            return None if value is None else json.loads(value)
        stored = bytes(value)
        return json.loads(compression.unpack(stored) if stored[0] in _FORMATS else stored)

    def get_prep_value(self, value: Any) -> bytes | None:
        if value is None:
            return None
        text = dump_json(value).encode()
        return text if len(text) < _MIN_PACKED else compression.pack(text)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        stored = super().get_db_prep_value(value, connection, prepared)
        return None if stored is None else connection.Database.Binary(stored)

    def value_to_string(self, obj: models.Model) -> str:
        return dump_json(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value
