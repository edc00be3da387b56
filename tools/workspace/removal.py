"""Removing a folder with whatever a command left in it: any depth, any modes, any number.

Folders in the folder are moved up to its top before they are emptied, so that two open folders are
enough for any depth, and no path becomes too long.
"""

import errno
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from tools.workspace.paths import open_folder

_TRIES = 20
_PAUSE_SECONDS = 0.05


def remove_workspace(workspace: Path) -> None:
    """Removes the whole folder, if it is there. A command that runs in it finds it gone, and is
    ended; what it still writes is waited for. Raises OSError."""
    with suppress(FileNotFoundError):
        above = os.open(workspace.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            aside = f".removed-{secrets.token_hex(8)}"
            os.rename(workspace.name, aside, src_dir_fd=above, dst_dir_fd=above)
            _remove_patiently(above, aside)
        finally:
            os.close(above)


def _remove_patiently(above: int, name: str) -> None:
    for _ in range(_TRIES):
        try:
            return remove_tree(above, name)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise
        time.sleep(_PAUSE_SECONDS)
    remove_tree(above, name)


def remove_tree(above: int, name: str) -> None:
    """Removes the folder `name` in the open folder `above`. Raises OSError."""
    top = open_folder(above, name)
    try:
        while folders := _emptied(top, top):
            for folder in folders:
                inner = open_folder(top, folder)
                try:
                    _emptied(inner, top)
                finally:
                    os.close(inner)
                os.rmdir(folder, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=above)


def _emptied(folder: int, top: int) -> list[str]:
    """Removes the files of a folder, and moves its folders to `top`; the names of those of `top`
    itself, which stay."""
    stays = []
    with os.scandir(folder) as scanned:
        found = [(one.name, one.is_dir(follow_symlinks=False)) for one in scanned]
    for name, is_folder in found:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
        elif folder == top:
            stays.append(name)
        else:
            os.close(open_folder(folder, name))  # whose modes allow it to be moved now
            os.rename(name, secrets.token_hex(16), src_dir_fd=folder, dst_dir_fd=top)
    return stays
