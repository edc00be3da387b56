"""A span as OpenTelemetry means it, without the SDK: what the mapping gives."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

Value = str | bool | int | float | Sequence[str]
Attributes = dict[str, Value]


class Kind(Enum):
    INTERNAL = "internal"
    CLIENT = "client"


class Outcome(Enum):
    """`UNSET` is an end that a person chose: stopped, denied."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True)
class Mapped:
    """Ids as integers, times as nanoseconds since the epoch. `failure` is the status's sentence."""

    name: str
    kind: Kind
    trace_id: int
    span_id: int
    parent_id: int | None
    start: int
    end: int
    outcome: Outcome
    failure: str = ""
    attributes: Attributes = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Roughly the bytes of it on the wire."""
        return 200 + sum(len(name) + _length(value) + 8 for name, value in self.attributes.items())


def _length(value: Value) -> int:
    if isinstance(value, bool | int | float):
        return 8
    return len(value) if isinstance(value, str) else sum(map(len, value))
