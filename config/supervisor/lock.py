"""The lock of a home, for one supervisor; the kernel releases it whenever its holder ends."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


class LockTaken(Exception):
    """Another process has the lock; `holder` has its `pid` and `url`, `{}` before it wrote them."""

    def __init__(self, holder: dict[str, Any]) -> None:
        super().__init__("another instance runs on this home")
        self.holder = holder


class Lock:
    """A lock that this process holds; its file describes the holder."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def describe_holder(self, **facts: Any) -> None:
        """Write this process's pid and `facts` to the file, for `LockTaken.holder`."""
        self._stream.truncate(0)
        self._stream.write(json.dumps({"pid": os.getpid(), **facts}))
        self._stream.flush()


@contextmanager
def acquire(file: Path) -> Iterator[Lock]:
    """Take the lock; released at the end of the block. Raises LockTaken."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockTaken(_read_holder(stream)) from None
        yield Lock(stream)


def _read_holder(stream: IO[str]) -> dict[str, Any]:
    stream.seek(0)
    try:
        holder = json.loads(stream.read())
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}
