"""The ids of what a log line is about: `request`, `user`, `turn`, `trace`, `call`.

They are in a context variable, so that threads and tasks that work for a request or a turn have
them too. Ids only: no name, and nothing that a person wrote.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A function is called when a line is written; None: not known yet.
Id = str | int | None | Callable[[], str | int | None]

_ids: ContextVar[dict[str, Id] | None] = ContextVar("log_ids", default=None)


@contextmanager
def log_ids(**ids: Id) -> Iterator[None]:
    """Lines that are written within it have these ids, and those from around it."""
    token = _ids.set({**(_ids.get() or {}), **ids})
    try:
        yield
    finally:
        _ids.reset(token)


def note(**ids: Id) -> None:
    """Further ids of the innermost `log_ids`, in all its threads and tasks; nothing outside."""
    current = _ids.get()
    if current is not None:
        current.update(ids)


def current() -> dict[str, str | int]:
    """The ids that are known, in the order in which they became so."""
    known = {}
    for name, value in (_ids.get() or {}).items():
        value = value() if callable(value) else value
        if value not in (None, "", 0):
            known[name] = value
    return known
