"""`manage.py replay TRACE|FILE`: the real engine again, over recorded answers and results."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.management.commands.cassette import a_trace_id, find, load
from chat.rerun import process
from tracing.export import cassettes


class Command(BaseCommand):
    help = (
        "Runs a recorded turn again: the engine as it is now, with the recorded answers of the "
        "model and results of the tools. Reports the first request that differs from the recorded "
        "one (exit code 1). Nothing is called, and nothing is written to the database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("recorded", metavar="TRACE|FILE", help="A trace's id, or a cassette.")
        parser.add_argument(
            "--database", metavar="URL", help="Where the trace is, if not in this installation's."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with TemporaryDirectory(prefix="roundtrip-cassette-") as folder:
            file = _file(options["recorded"], options["database"], Path(folder))
            load(file)
            sys.exit(process.run(["replay_here", str(file)]))


def _file(recorded: str, database: str | None, folder: Path) -> Path:
    """The cassette to replay: this file, or one that is made of this trace."""
    try:
        public_id = a_trace_id(recorded)
    except ValueError:
        return Path(recorded)
    file = folder / "trace.cassette.json"
    if database is None:
        with file.open("w", encoding="utf-8") as written:
            written.writelines(cassettes.export([find(public_id)]))
    else:
        _export_elsewhere(public_id, database, file)
    return file


def _export_elsewhere(public_id: UUID, database: str, file: Path) -> None:
    """Statements are prepared for one database a process, so another one needs another."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "cassette", "--verbosity", "0"]
    command += ["export", str(public_id), "--output", str(file)]
    environment = {**os.environ, "DATABASE_URL": database}
    if subprocess.run(command, env=environment, check=False).returncode:
        raise CommandError(
            "The trace could not be read from that database.", returncode=process.UNUSABLE
        )
