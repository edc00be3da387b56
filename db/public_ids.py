"""Parsing public ids from addresses, forms, websocket frames and API calls."""

from uuid import UUID


def parse_public_id(value: object) -> UUID | None:
    """The UUID, in any of its spellings; None if the value is none."""
    try:
        return UUID(str(value))
    except ValueError:
        return None
