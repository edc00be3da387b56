"""The code of a commit in a folder of its own, driven by the benchmarks of this tree."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import history
from benchmarks.product import ROOT


@contextmanager
def state(revision: str | None) -> Iterator[Path]:
    """A folder with the code of a commit, until the block ends; None: this tree as it is.

    Its `benchmarks` is a link to those of this tree, so that an old version is measured by the same
    code as a new one.
    """
    if revision is None:
        yield ROOT
        return
    with TemporaryDirectory(prefix="bench-") as parent:
        folder = Path(parent) / short_id(revision)
        _git("worktree", "add", "--quiet", "--detach", str(folder), revision)
        try:
            shutil.rmtree(folder / "benchmarks", ignore_errors=True)
            (folder / "benchmarks").symlink_to(ROOT / "benchmarks")
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def short_id(revision: str | None) -> str:
    """The commit's short id; for None that of this tree. Raises CalledProcessError."""
    if revision is None:
        return history.revision(ROOT)
    return _git("rev-parse", "--short=8", "--verify", f"{revision}^{{commit}}")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
