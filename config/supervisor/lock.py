"""One supervisor a home: a lock that the kernel releases when its holder ends, however it ends."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


class Held(Exception):
    """Another process has the lock; `holder` is what it noted, `{}` if it has not yet."""

    def __init__(self, holder: dict[str, Any]) -> None:
        super().__init__("another instance runs on this home")
        self.holder = holder


class Lock:
    """A lock that is held."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def note(self, **facts: Any) -> None:
        """What whoever finds the lock taken is told."""
        self._stream.truncate(0)
        self._stream.write(json.dumps({"pid": os.getpid(), **facts}))
        self._stream.flush()


@contextmanager
def held(file: Path) -> Iterator[Lock]:
    """Raises Held."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Held(_noted(stream)) from None
        yield Lock(stream)


def _noted(stream: IO[str]) -> dict[str, Any]:
    stream.seek(0)
    try:
        note = json.loads(stream.read())
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}
