"""Who owns: the name of this process in `owner` columns."""

import os
import secrets
import socket
from functools import cache


@cache
def _of(pid: int) -> str:
    return f"{socket.gethostname()[:24]}:{pid}:{secrets.token_hex(8)}"


def process_name() -> str:
    """Unique to this process, also after a fork and after its pid is used again."""
    return _of(os.getpid())
