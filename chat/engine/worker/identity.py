"""The name of this process in `owner` columns."""

import os
import secrets
from functools import cache
from pathlib import Path

from host.processes import boot_id

PID_NAMESPACE = Path("/proc/self/ns/pid")


@cache
def _of(pid: int) -> str:
    return f"{machine()}:{pid}:{secrets.token_hex(6)}"


def process_name() -> str:
    """Unique to this process, also after a fork and after its pid is used again."""
    return _of(os.getpid())


@cache
def machine() -> str:
    """The scope of a pid: this boot of this machine, and its PID namespace. Where that cannot be
    read, a name that is unique to this process."""
    try:
        boot, namespace = boot_id()[:13].replace("-", ""), PID_NAMESPACE.stat().st_ino
    except OSError:
        boot = ""
    return f"{boot}.{namespace}" if boot else secrets.token_hex(8)


def is_dead(owner: str) -> bool:
    """Whether the process of this name is known to have ended. One whose pid was given to another
    process counts as living: then only its lease expires."""
    scope, _, pid_and_suffix = owner.partition(":")
    pid = pid_and_suffix.partition(":")[0]
    if scope != machine() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
