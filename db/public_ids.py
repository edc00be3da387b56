"""Public ids as they come from outside: addresses, forms, frames of a websocket, programs."""

from uuid import UUID


def parse_public_id(value: object) -> UUID | None:
    """The id that is written there, in any spelling of a UUID; None if it is none."""
    try:
        return UUID(str(value))
    except ValueError:
        return None
