"""`python3 -m tests.machine`: what the tests need beside Python packages.

Chromium for the browser tests, a font with Chinese in it for their pictures, a PostgreSQL server,
bubblewrap for the commands of the workspace.
What is missing is installed where that is possible: on Debian and Ubuntu, as root.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# The first has no windows, and costs half as much.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
FONTS = Path("/usr/share/fonts")


def missing() -> list[str]:
    """The Debian packages that would help."""
    packages = []
    if not any(map(shutil.which, BROWSERS)):
        packages.append(BROWSERS[0])
    if not any(FONTS.rglob("*CJK*")):
        packages.append("fonts-noto-cjk")
    if not (shutil.which("initdb") or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))):
        packages.append("postgresql")
    if not shutil.which("bwrap"):
        packages.append("bubblewrap")
    return packages


def install(packages: Sequence[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    subprocess.run(["apt-get", "update", "-q"], env=environment, check=True)
    subprocess.run(command, env=environment, check=True)


def main() -> int:
    packages = missing()
    if not packages:
        return 0
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.stderr.write(f"The tests need: {' '.join(packages)} (names of Debian's packages).\n")
        return 1
    sys.stdout.write(f"Installing {' '.join(packages)} …\n")
    sys.stdout.flush()
    install(packages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
