"""What comes from outside as an id of a row."""

import uuid

import pytest

from db.public_ids import parse_public_id

ID = uuid.UUID("0198a0e2-1b6d-7c3a-9f00-0123456789ab")


@pytest.mark.parametrize("value", [ID, str(ID), ID.hex, str(ID).upper(), f"urn:uuid:{ID}"])
def test_every_spelling_of_a_uuid_is_one(value: object) -> None:
    assert parse_public_id(value) == ID


@pytest.mark.parametrize("value", [None, "", 7, [], {}, "x", f"{ID}0", "\0", "\ud800", "1" * 99])
def test_anything_else_is_none(value: object) -> None:
    assert parse_public_id(value) is None
