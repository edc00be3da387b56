"""migrate: the database of this version."""

import argparse
import os
import subprocess
import sys

from config import home
from config.command_line.command import COMMON_VARIABLES, Command
from config.command_line.django_setup import run_management
from config.home import BASE_DIR


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", action="store_true", help="only print what would be applied")


def _migrate(options: argparse.Namespace) -> int:
    if options.plan:
        return run_management("roundtrip", ["migrate", "--plan"])
    os.umask(0o077)
    # What the supervisor runs before the services.
    environment = {**os.environ, "ROUNDTRIP_HOME": str(home.path())}
    command = [sys.executable, "-m", "config.prepare"]
    return subprocess.run(command, cwd=BASE_DIR, env=environment, check=False).returncode


COMMANDS = {
    "migrate": Command(
        about="Brings the database up to this version: applies missing migrations, then makes\n"
        "what a deployment begins with (the owner, the walkthrough, the model of OPENAI_*).\n"
        "Safe to repeat. `roundtrip run` does it at every start; before `web` and `worker` it is\n"
        "a step of its own.",
        run=_migrate,
        add_options=_options,
        ending=COMMON_VARIABLES
        + """
exit codes:
  0   the database is of this version
  1   it could not be changed; nothing was, of the migration that failed

examples:
  roundtrip migrate --plan
  roundtrip migrate && roundtrip sign-in-link
""",
    )
}
