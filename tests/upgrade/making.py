"""`python -m tests.upgrade.making RELEASE`: makes the data of a release anew.

The code of the release's first commit that runs is checked out beside this one. Its own supervisor
runs on an empty home, and `seeding_RELEASE.py.txt` in its own code, until all turns have ended. Its
SQLite database is kept, compressed, and the key that encrypted some of its columns.
"""

import lzma
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.product import Product
from tests.environment import clean_environment
from tests.ports import free_port
from tests.redis_server import RedisServer
from tests.upgrade.releases import FOLDER, RELEASES, Release

ROOT = Path(__file__).resolve().parents[2]
# Who is signed in is nobody's business, and the cache is empty after a while.
EMPTIED = ("django_session", "cache")


def main(name: str) -> None:
    release = next(one for one in RELEASES if one.name == name)
    with _code(release.commit) as code, TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        with RedisServer(f"redis://127.0.0.1:{free_port()}/0") as server:
            _run(release, code, home, server.url)
        _dump(home / "roundtrip.sqlite3", release)
        shutil.copyfile(home / "keys" / "encryption", release.keys)


@contextmanager
def _code(commit: str) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        code = Path(folder) / "code"
        subprocess.run(["git", "worktree", "add", "--detach", code, commit], cwd=ROOT, check=True)
        try:
            yield code
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", code], cwd=ROOT, check=True)


def _run(release: Release, code: Path, home: Path, redis_url: str) -> None:
    environment = clean_environment() | {"REDIS_URL": redis_url, "TITLES": "0"}
    product = Product(home, free_port(), environment, code)
    product.start()
    try:
        seeding = FOLDER / f"seeding_{release.name.replace('.', '_')}.py.txt"
        done = subprocess.run(
            [sys.executable, "-"],
            cwd=code,
            env={**os.environ, **environment, "ROUNDTRIP_HOME": str(home)},
            input=seeding.read_bytes(),
            stdout=subprocess.PIPE,
            check=True,
        )
    finally:
        product.stop()
    release.arguments.write_bytes(done.stdout)


def _dump(file: Path, release: Release) -> None:
    with closing(sqlite3.connect(file)) as database:
        for table in EMPTIED:
            database.execute(f"DELETE FROM {table}")
        database.commit()
        small = file.with_name("small.sqlite3")
        database.execute("VACUUM INTO ?", [str(small)])
    best = 9 | lzma.PRESET_EXTREME
    release.database.write_bytes(lzma.compress(small.read_bytes(), preset=best))
    sys.stderr.write(f"{release.database}: {release.database.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1])
