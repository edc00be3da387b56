"""Limits and use of the sandbox of a command, as labels and values.

The span of the call has them under `sandbox`: `limit` (the name of the one that ended it, or ""),
`limits` and `used` by name, `exit_code`, `seconds`, `sandboxed`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from django.utils.translation import gettext

from languages.later import later
from tracing.formatting.figures import duration, size
from tracing.models import Span
from tracing.models.attributes import call_attributes

_NAMES = {
    "seconds": later("Time"),
    "output_bytes": later("Output"),
    "processes": later("Processes"),
    "memory_bytes": later("Memory"),
    "tmp_bytes": later("Private /tmp"),
    "file_bytes": later("One file"),
    "workspace_bytes": later("Workspace"),
    "workspace_files": later("Files of the workspace"),
    "disk_free_bytes": later("Left free on the disk"),
}
_OTHERS = {
    "stopped": later("Stop was pressed"),
    "depth": later("folders too deep in each other"),
    "removed": later("removed files that are still open"),
}


def ended_by(span: Span) -> str:
    """The limit that ended the command: `Memory, at most 1.0 GB`; empty if none did."""
    sandbox = _object(call_attributes(span).get("sandbox"))
    name = str(sandbox.get("limit") or "")
    if name not in _NAMES:
        return _OTHERS.get(name, name)
    most = _object(sandbox.get("limits")).get(name)
    return (
        gettext("%(name)s, at most %(most)s") % {"name": _NAMES[name], "most": _figure(name, most)}
        if _is_number(most)
        else _NAMES[name]
    )


def facts(span: Span) -> Iterator[tuple[str, str]]:
    """Whether the command ran in the sandbox, how it ended, and its use of each limit."""
    sandbox = _object(call_attributes(span).get("sandbox"))
    if not sandbox:
        return
    if isinstance(inside := sandbox.get("sandboxed"), bool):
        yield (
            gettext("Sandbox"),
            "bubblewrap" if inside else gettext("none: UNSANDBOXED_SHELL is set"),
        )
    if limit := ended_by(span):
        yield gettext("Ended by"), limit
    if isinstance(code := sandbox.get("exit_code"), int) and not isinstance(code, bool):
        yield gettext("Exit code"), str(code)
    if _is_number(seconds := sandbox.get("seconds")):
        yield gettext("Ran for"), duration(seconds * 1000)
    yield from _used(_object(sandbox.get("used")), _object(sandbox.get("limits")))


def _used(used: Mapping[str, Any], limits: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, title in _NAMES.items():
        most, some = limits.get(name), used.get(name)
        if not _is_number(most):
            continue
        figure = _figure(name, most)
        yield (
            title,
            gettext("%(some)s of %(figure)s") % {"some": _figure(name, some), "figure": figure}
            if _is_number(some)
            else gettext("limit %(figure)s") % {"figure": figure},
        )


def _figure(name: str, value: float) -> str:
    if name == "seconds":
        return duration(value * 1000)
    return size(int(value)) if name.endswith("_bytes") else f"{value:,}"


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**15


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
