"""`make test`: everything that CI runs, in order, the quick checks first.

    python -m tests.run            all of it
    python -m tests.run lint       one or several parts, by name

Installs what the machine lacks, where it may (Debian packages, as root).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.postgres import binaries, server

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = {"chromium": "chromium", "fonts": "fonts-noto-cjk", "postgres": "postgresql"}
PRODUCTION = {"ROUNDTRIP_URL": "https://roundtrip.example", "DEBUG": ""}


class Failed(Exception):
    """A part did not pass."""


def main(names: list[str]) -> int:
    parts = {part.__name__: part for part in (prepare, lint, django, scripts, tests, postgres)}
    unknown = set(names) - set(parts)
    if unknown:
        say(f"There is no part {', '.join(sorted(unknown))}. There are: {', '.join(parts)}.")
        return 2
    chosen = [parts[name] for name in names] or list(parts.values())
    failed = [part.__name__ for part in chosen if not passed(part)]
    say(f"Failed: {', '.join(failed)}." if failed else "All parts passed.")
    return 1 if failed else 0


def passed(part: Callable[[], None]) -> bool:
    say(f"{part.__name__} …")
    began = time.monotonic()
    try:
        part()
    except Failed as error:
        say(f"{part.__name__} failed after {time.monotonic() - began:.0f} s: {error}")
        return False
    say(f"{part.__name__} passed in {time.monotonic() - began:.0f} s")
    return True


def prepare() -> None:
    """Installs a browser, its fonts and a PostgreSQL server where they are missing."""
    missing = [DEBIAN[name] for name, found in _have().items() if not found]
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Failed(f"install {', '.join(missing)} first")
    run("apt-get", "update", "-qq", DEBIAN_FRONTEND="noninteractive")
    run("apt-get", "install", "-y", "-qq", *missing, DEBIAN_FRONTEND="noninteractive")


def _have() -> dict[str, bool]:
    fonts = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False).stdout
    return {
        "chromium": shutil.which("chromium") is not None,
        "fonts": bool(fonts.strip()),
        "postgres": binaries() is not None,
    }


def lint() -> None:
    tool("ruff", "check", ".")
    tool("ruff", "format", "--check", ".")
    run(sys.executable, "-m", "mypy")
    tool("lint-imports")
    tool("djade", "--check", *(str(path) for path in sorted(ROOT.glob("templates/**/*.html"))))


def django() -> None:
    run(sys.executable, "manage.py", "makemigrations", "--check", "--dry-run")
    run(sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)


def scripts() -> None:
    node = shutil.which("node")
    if node is None:
        raise Failed("install Node (Debian's package: nodejs)")
    run(node, "--test", *(str(path) for path in sorted(ROOT.glob("static/js/**/*.test.js"))))


def tests() -> None:
    run(sys.executable, "-m", "pytest", "-q")


def postgres() -> None:
    with server() as url:
        run(sys.executable, "-m", "pytest", "-q", "-m", "engine", DATABASE_URL=url)


def tool(name: str, *arguments: str) -> None:
    """Runs a program of this virtual environment."""
    run(str(Path(sys.executable).parent / name), *arguments)


def run(*command: str, **variables: str) -> None:
    if subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False).returncode:
        raise Failed(" ".join(Path(part).name if part == command[0] else part for part in command))


def say(sentence: str) -> None:
    sys.stdout.write(f"── {sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="roundtrip-checks-") as checks_home:
        os.environ["ROUNDTRIP_HOME"] = checks_home
        sys.exit(main(sys.argv[1:]))
