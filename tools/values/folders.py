"""A folder that is lent to a command."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folder:
    """A folder of this machine, and where it is seen inside."""

    path: Path
    inside: str
    writable: bool = False
