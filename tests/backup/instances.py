"""An instance that does not run: a home, with a database of either kind."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.environment import clean_environment
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
PASSPHRASE = "ten apples, one pear"
SECONDS = 120


@dataclass(frozen=True)
class Instance:
    """`url`: of its PostgreSQL database; "": SQLite in the home."""

    home: Path
    url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return clean_environment() | {
            "ROUNDTRIP_HOME": str(self.home),
            "DATABASE_URL": self.url,
            "ROUNDTRIP_BACKUP_PASSPHRASE": PASSPHRASE,
            # Nobody listens there.
            "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0",
            "TITLES": "0",
        }

    def run(self, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """`backup` or `restore`, with what it says."""
        return subprocess.run(
            [sys.executable, "-m", "config.command_line", *map(str, arguments)],
            cwd=ROOT,
            env=self.environment | variables,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )

    def back_up(self, file: Path) -> None:
        done = self.run("backup", file)
        assert done.returncode == 0, done.stderr

    def restore(self, file: Path) -> None:
        done = self.run("restore", file)
        assert done.returncode == 0, done.stderr

    def contents(self, words: list[str], pages: Any = None) -> dict[str, Any]:
        """`tests.backup.contents`."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.backup.contents"],
            cwd=ROOT,
            env=dict(os.environ) | self.environment,
            input=json.dumps({"pages": pages, "words": words}),
            text=True,
            stdout=subprocess.PIPE,
            timeout=SECONDS,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return found
