"""Names of files inside a workspace. Whatever a model writes, it never leads outside."""

import os
from pathlib import Path

from tools.errors import ToolError

INSIDE = "/workspace"


def inside(workspace: Path, name: str) -> Path:
    """The real path of a name in the workspace, symlinks followed. Raises `ToolError` if it is
    outside; `/workspace/a` is what the shell calls `a`."""
    if "\0" in name:
        raise ToolError("a path cannot contain a NUL character")
    relative = name
    if name == INSIDE or name.startswith(f"{INSIDE}/"):
        relative = name.removeprefix(INSIDE).lstrip("/")
    root = Path(os.path.realpath(workspace))
    found = Path(os.path.realpath(root / relative))
    if found != root and root not in found.parents:
        raise ToolError(f"{name!r} is outside of the workspace")
    return found


def told(workspace: Path, path: Path) -> str:
    """How a path is called towards a model: relative to the workspace."""
    return str(path.relative_to(os.path.realpath(workspace)))
