"""The most that a command may use, and what the operator made of it (setting `SANDBOX_LIMITS`)."""

from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings

from limits import sandbox

MB = 1_024 * 1_024


@dataclass(frozen=True)
class Limits:
    """`seconds` is what a command gets that asks for no time of its own. `tmp_bytes` is of /tmp and
    of shared memory, each; both are memory, and have up to `tmp_files` names together. `sockets`
    counts those of all processes; each keeps up to some MB in buffers. `disk_free_bytes` is what
    has to stay free on the disk for everybody else."""

    seconds: float = sandbox.MAX_COMMAND_S
    output_bytes: int = sandbox.MAX_COMMAND_OUTPUT_BYTES
    processes: int = sandbox.MAX_COMMAND_PROCESSES
    memory_bytes: int = sandbox.MAX_COMMAND_MEMORY_BYTES
    tmp_bytes: int = sandbox.MAX_TMP_BYTES
    tmp_files: int = sandbox.MAX_TMP_FILES
    sockets: int = sandbox.MAX_COMMAND_SOCKETS
    file_bytes: int = sandbox.MAX_COMMAND_FILE_BYTES
    workspace_bytes: int = sandbox.MAX_WORKSPACE_BYTES
    workspace_files: int = sandbox.MAX_WORKSPACE_FILES
    disk_free_bytes: int = sandbox.MIN_FREE_DISK_BYTES


# What is less than this runs no shell; what is more is no limit.
_LEAST = {
    "seconds": 0.1,
    "processes": 4,
    "memory_bytes": 16 * MB,
    "tmp_bytes": MB,
    "disk_free_bytes": 0,
}
_HIGHEST = {"seconds": 86_400, "processes": 100_000}
_HIGHEST_OTHERS = 2**50


def configured(**chosen: float) -> Limits:
    """The deployment's limits, with what is `chosen` for one command."""
    return Limits(**{**getattr(settings, "SANDBOX_LIMITS", {}), **chosen})


def problems(given: Any) -> list[str]:
    """What is wrong with a value of `SANDBOX_LIMITS`, as sentences."""
    if not isinstance(given, dict):
        return ["SANDBOX_LIMITS has to be a JSON object of names and numbers."]
    known = {field.name: field.type for field in fields(Limits)}
    found = []
    for name, value in given.items():
        if name not in known:
            found.append(f"SANDBOX_LIMITS knows no {name!r}, but {', '.join(known)}.")
        elif problem := _problem(name, value, is_whole=known[name] is int):
            found.append(f"SANDBOX_LIMITS: {name} has to be {problem}, not {value!r}.")
    return found


def _problem(name: str, value: Any, *, is_whole: bool) -> str:
    least, most = _LEAST.get(name, 1), _HIGHEST.get(name, _HIGHEST_OTHERS)
    is_number = isinstance(value, int if is_whole else (int, float)) and not isinstance(value, bool)
    if is_number and least <= value <= most:
        return ""
    return f"a {'whole ' if is_whole else ''}number from {least:,} to {most:,}"
