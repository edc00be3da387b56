"""version."""

import argparse
import platform
import sys

from config import release
from config.command_line.command import Command
from config.home import BASE_DIR


def _version(options: argparse.Namespace) -> int:
    sys.stdout.write(
        f"roundtrip {release.version()}\nPython {platform.python_version()}, {BASE_DIR}\n"
    )
    return 0


COMMANDS = {
    "version": Command(
        about="Prints the version of the product; of Python, and where the product is installed.",
        run=_version,
        ending="examples:\n  roundtrip version | head -n 1\n",
    )
}
