"""The rows of a person in all tables: those that refer to the user by a column."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import models

from chat.models import Attachment, Conversation, DataArchive, Turn
from db.fields import JSONTextField
from tools.encryption import EncryptedTextField
from tracing.models import Archive, Trace

# In other parts of the archive, as conversations, traces and files.
_ELSEWHERE = (Archive, Attachment, Conversation, DataArchive, Trace, Turn)
_PLAIN = (str, int, float, bool, type(None))


def references() -> Iterator[tuple[type[models.Model], str]]:
    """Each model with the name of its column that refers to a user."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey) and field.related_model is User:
                yield model, field.name


def exported(user: User) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The rows by table, but for what other parts of the archive have. Secrets and contents of
    files are left out."""
    for model, name in references():
        if model in _ELSEWHERE:
            continue
        rows = model._default_manager.filter(**{name: user}).order_by("pk")
        if rows.exists():
            label = f"{model._meta.label_lower}.{name}"
            yield label, (_columns(row) for row in rows.iterator(chunk_size=100))


def _columns(row: models.Model) -> dict[str, Any]:
    kept = [field for field in row._meta.concrete_fields if not _is_left_out(field)]
    return {field.attname: _value(field, row) for field in kept}


def _is_left_out(field: "models.Field[Any, Any]") -> bool:
    is_secret = field.name in ("password", "digest", "session_key", "client_key")
    return is_secret or isinstance(field, models.BinaryField | EncryptedTextField)


def _value(field: "models.Field[Any, Any]", row: models.Model) -> Any:
    value = getattr(row, field.attname)
    is_json = isinstance(field, JSONTextField) or isinstance(value, _PLAIN)
    return value if is_json else str(value)
