"""What describes a limit.

A limit is a constant of a module of this package: a plain number, with an annotation that describes
it.

    MAX_FRAME_BYTES: Annotated[int, Limit("bytes", "Message of a server", "The call fails")] = 4_096
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from types import ModuleType
from typing import get_type_hints

Value = int | float | Decimal | timedelta


@dataclass(frozen=True)
class Limit:
    """`unit`: a plural noun, or empty for a bare number. `bounds`: what the limit bounds. `beyond`:
    what happens beyond it. `setting`: how an operator changes it, empty if it is fixed."""

    unit: str
    bounds: str
    beyond: str
    setting: str = ""


@dataclass(frozen=True)
class Entry:
    """A limit with its name and value."""

    name: str
    value: Value
    limit: Limit


@dataclass(frozen=True)
class Area:
    """The limits of one module, in its order."""

    title: str
    entries: tuple[Entry, ...]


def read(module: ModuleType) -> Area:
    """The title is the first line of the module's docstring."""
    title = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    return Area(title, tuple(_entries(module)))


def _entries(module: ModuleType) -> Iterator[Entry]:
    for name, hint in get_type_hints(module, include_extras=True).items():
        for limit in getattr(hint, "__metadata__", ()):
            if isinstance(limit, Limit):
                yield Entry(name, getattr(module, name), limit)
