"""python -m benchmarks.recording: what recording costs, for conversations of 3, 100 and 500 rounds.

    python -m benchmarks.recording                       SQLite, and PostgreSQL if it is installed
    python -m benchmarks.recording --rounds 100 --json --tables

Growth is that of the whole database, with indexes, messages and the search index, divided by the
bytes of the distinct messages; then by those and the bytes of the responses. CPU is that of the
recorder's functions.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_own_home = None
if not {"ROUNDTRIP_HOME", "DATABASE_URL"} & set(os.environ):
    _own_home = TemporaryDirectory(prefix="roundtrip-recording-")
    os.environ["ROUNDTRIP_HOME"] = _own_home.name
django.setup()

from django.core.management import call_command
from django.db import connection

from benchmarks.recording.measuring import measure
from tests.postgres import binaries

ROUNDS = (3, 100, 500)
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, action="append", help=f"default {ROUNDS}")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tables", action="store_true", help="growth by table")
    parser.add_argument("--sqlite", action="store_true", help="not on PostgreSQL")
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    figures = [measure(rounds) for rounds in options.rounds or ROUNDS]
    for one in figures:
        sys.stdout.write(f"{json.dumps(asdict(one)) if options.json else one.line()}\n")
        if options.tables:
            sys.stdout.writelines(
                f"    {name:32} {size:>12,}\n" for name, size in one.tables.items()
            )
    sys.stdout.flush()
    if connection.vendor == "sqlite" and not options.sqlite and binaries():
        return _on_postgres(sys.argv[1:])
    return 0


def _on_postgres(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "tests.postgres", sys.executable, "-m", "benchmarks.recording"]
    return subprocess.run([*command, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
