"""Schemas that several resources share."""

from typing import Any
from uuid import UUID

from ninja import Schema


class Named(Schema):
    """What something is called, and its id."""

    id: UUID
    name: str


def named(row: Any) -> dict[str, Any] | None:
    """Of a row with `public_id` and `name`; None for None."""
    return None if row is None else {"id": row.public_id, "name": str(row.name)}
