"""Any number of values as arguments of a prepared statement (`db.prepared`)."""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TypeVar

Value = TypeVar("Value")


def padded(values: Sequence[Value]) -> dict[str, Value]:
    """An argument for each value, the last value repeated up to a power of four: a statement is
    compiled for few numbers of arguments. None for no values."""
    if not values:
        return {}
    count = 1
    while count < len(values):
        count *= 4
    names = (f"value_{place}" for place in range(count))
    return dict(zip(names, chain(values, repeat(values[-1])), strict=False))
