"""What a dialect makes of a conversation, or of an answer: JSON on stdin, JSON on stdout."""

import os
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.llm.dialects import DIALECTS
from chat.llm.transcode import (
    READERS,
    WRITERS,
    Direction,
    from_dialect,
    from_stream,
    to_dialect,
    transcode,
)


class Command(BaseCommand):
    help = (
        "Reads a conversation and writes the wire request (--to), or reads a wire message and "
        "writes the canonical one (--from). What cannot be expressed is said on stderr."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        direction = parser.add_mutually_exclusive_group(required=True)
        direction.add_argument("--to", choices=WRITERS, metavar="DIALECT")
        direction.add_argument("--from", dest="source", choices=READERS, metavar="DIALECT")
        parser.add_argument(
            "--stream", action="store_true", help="With --from: read a list of deltas."
        )
        parser.add_argument(
            "--jsonl", action="store_true", help="One input a line, one output a line."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        direction = asked_direction(options["to"], options["source"], options["stream"])
        try:
            self._answer(direction, inputs(sys.stdin.buffer, options["jsonl"]))
        except BrokenPipeError:  # whoever reads has enough, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def _answer(self, direction: Direction, texts: Iterable[bytes]) -> None:
        for text in texts:
            output, notes = transcode(direction, text)
            sys.stdout.buffer.write(output.encode() + b"\n")
            sys.stdout.buffer.flush()
            for note in notes:
                self.stderr.write(note)


def asked_direction(target: str | None, source: str, is_stream: bool) -> Direction:
    """What the options ask for. Raises CommandError."""
    if target and is_stream:
        raise CommandError("--stream goes with --from.")
    if target:
        return to_dialect(target)
    if not is_stream:
        return from_dialect(source)
    if source not in DIALECTS:
        raise CommandError(f"{source} has no streams.")
    return from_stream(source)


def inputs(stream: BinaryIO, by_line: bool) -> Iterable[bytes]:
    """The inputs of a stream: each line (which only a \\n ends), or all of it."""
    return stream if by_line else [stream.read()]
