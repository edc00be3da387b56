"""A span of OpenTelemetry, without the SDK: the result of the mapping."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

Value = str | bool | int | float | Sequence[str]
Attributes = dict[str, Value]


class SpanKind(Enum):
    INTERNAL = "internal"
    CLIENT = "client"


class Outcome(Enum):
    """`UNSET`: a person ended it by Stop or Deny."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True)
class OTLPSpan:
    """Ids are integers, times nanoseconds since the epoch; `failure` is the status's sentence."""

    name: str
    kind: SpanKind
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
        """Estimated bytes on the wire."""
        return 200 + sum(len(name) + _length(value) + 8 for name, value in self.attributes.items())


def _length(value: Value) -> int:
    if isinstance(value, bool | int | float):
        return 8
    return len(value) if isinstance(value, str) else sum(map(len, value))
