"""`manage.py cassette export TRACE` and `manage.py cassette serve FILE` (`docs/cassettes.md`)."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.cassettes.library import Library
from chat.cassettes.reading import read
from chat.cassettes.recorded import Cassette
from chat.cassettes.server import Server, application
from chat.errors import BrokenCassette
from tracing.export import cassettes
from tracing.models import Trace

PORT = 8765


class Command(BaseCommand):
    help = "Exports a trace as a cassette, or serves a cassette as an OpenAI-compatible endpoint."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="Writes traces into one file.")
        export.add_argument("traces", nargs="+", metavar="TRACE", type=a_trace_id)
        export.add_argument("--output", metavar="FILE", type=Path, help="Default: stdout.")
        serve = actions.add_parser("serve", help="Answers as recorded; needs no database.")
        serve.add_argument("file", metavar="FILE", type=Path)
        serve.add_argument("--host", default="127.0.0.1")
        serve.add_argument("--port", type=int, default=PORT, help=f"Default {PORT}; 0: any free.")
        serve.add_argument(
            "--speed",
            type=a_speed,
            default=1.0,
            help="2 is twice as quick as recorded; 0 or instant: at once. Default 1.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "export":
            self._export(options["traces"], options["output"], options["verbosity"])
        else:
            self._serve(options["file"], options["host"], options["port"], options["speed"])

    def _export(self, ids: list[UUID], output: Path | None, verbosity: int) -> None:
        traces = [find(public_id) for public_id in ids]
        if output is None:
            for piece in cassettes.export(traces):
                self.stdout.write(piece, ending="")
            return
        with output.open("w", encoding="utf-8") as file:
            file.writelines(cassettes.export(traces))
        if verbosity:
            self.stderr.write(f"Written to {output}.")

    def _serve(self, file: Path, host: str, port: int, speed: float) -> None:
        cassette = load(file)
        try:
            server = Server(application(Library(cassette), speed), host, port)
        except OSError as error:
            raise CommandError(f"{host}:{port} cannot be listened at: {error}.") from error
        count = len(cassette.generations)
        self.stdout.write(f"{count} recorded answers at {server.url}/v1 (Ctrl-C ends it)")
        self.stdout.flush()
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def find(public_id: UUID) -> Trace:
    """The trace of this id. Raises CommandError."""
    found = Trace.objects.filter(public_id=public_id).select_related("archive").first()
    if found is None:
        raise CommandError(f"There is no trace {public_id}.")
    return found


def load(file: Path) -> Cassette:
    """The cassette in this file; `-` is stdin. Raises CommandError."""
    try:
        return read(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except BrokenCassette as error:
        raise CommandError(f"{file}: {error}") from error


def a_trace_id(written: str) -> UUID:
    """The id in a trace's URL, or the whole URL."""
    return UUID(urlsplit(written).path.rstrip("/").rpartition("/")[2])


def a_speed(written: str) -> float:
    speed = 0.0 if written == "instant" else float(written)
    if not 0 <= speed <= 1_000_000:
        raise ValueError("a speed is a number from 0 on")
    return speed
