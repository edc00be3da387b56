"""Text that is encrypted at rest (Fernet: AES-128-CBC and HMAC-SHA256)."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models.functions import Cast


@lru_cache
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    digests = (hashlib.sha256(key.encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def cipher() -> MultiFernet:
    """Encrypts with the first of `ENCRYPTION_KEYS`, decrypts with any of them."""
    return cipher_of(settings.ENCRYPTION_KEYS)


def cipher_of(keys: Iterable[str]) -> MultiFernet:
    """The same with these keys."""
    return _cipher(tuple(keys))


@lru_cache(maxsize=256)
def _decrypted(keys: tuple[str, ...], value: str) -> str:
    """Kept: a turn needs its provider's key each time, and to decrypt it takes 0.1 ms."""
    return _cipher(keys).decrypt(value.encode()).decode()


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]  # generic only in the stubs
    """Text stored encrypted. The empty text stays empty."""

    def get_prep_value(self, value: Any) -> str:
        return cipher().encrypt(value.encode()).decode() if value else ""

    def from_db_value(self, value: str | None, expression: object, connection: object) -> str:
        return _decrypted(tuple(settings.ENCRYPTION_KEYS), value) if value else ""


class EncryptedJSONField(EncryptedTextField):
    """A JSON value stored encrypted."""

    # What the type checker takes a model's attribute for.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def get_prep_value(self, value: Any) -> str:
        return super().get_prep_value(json.dumps(value))

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        text = super().from_db_value(value, expression, connection)
        return json.loads(text) if text else {}


def fits_database() -> bool:
    """Whether `ENCRYPTION_KEYS` decrypt what the database has: one value of each column, tried."""
    return all(_decrypts(value) for value in _samples())


def _samples() -> Iterator[str]:
    """As stored, a value of each column that is encrypted and has any."""
    for model in apps.get_models():
        for field in model._meta.fields:
            if isinstance(field, EncryptedTextField):
                stored = Cast(field.name, models.TextField())
                rows = model._default_manager.annotate(stored_text=stored).exclude(stored_text="")
                yield from rows.values_list("stored_text", flat=True)[:1]


def _decrypts(value: str) -> bool:
    try:
        cipher().decrypt(value.encode())
    except InvalidToken:
        return False
    return True
