"""`python -m tests.conformance.client URL`: the product's command, when it is its turn.

The suite starts the clients of all scenarios at once, which two processors do not survive.
"""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST_S = 120  # the product ends by itself after 25 s; Python may start slowly beside others
PLACES = os.cpu_count() or 2


def main() -> int:
    with _place():
        command = [sys.executable, str(ROOT / "manage.py"), "mcp", "conformance", sys.argv[1]]
        return subprocess.run(command, timeout=LONGEST_S, check=False).returncode


def _place() -> IO[str]:
    """One of the places, locked until it is closed."""
    folder = Path(os.environ["ROUNDTRIP_HOME"])
    files = [(folder / f"place-{number}").open("w") for number in range(PLACES)]
    while True:
        for file in files:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return file
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
