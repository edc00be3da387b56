"""A case: hostile input, the function that first touches it, and what that may cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Case:
    """`function` is `module:name`; `arguments` makes what it is called with. `refused_by` names
    errors that are not ours and are a refusal all the same, by the function's contract."""

    kind: str
    name: str
    function: str
    arguments: Callable[[], Sequence[Any]]
    cpu_s: float = 0.5
    memory_mb: float = 100
    refused_by: tuple[type[Exception], ...] = ()

    @property
    def title(self) -> str:
        return f"{self.kind}: {self.name} ({self.function})"


def resolve(function: str) -> Callable[..., Any]:
    """What `module:name` names."""
    module, _, names = function.partition(":")
    found: Any = import_module(module)
    for name in names.split("."):
        found = getattr(found, name)
    named: Callable[..., Any] = found
    return named
