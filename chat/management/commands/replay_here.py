"""The process that `manage.py replay` starts: on a scratch home, and on no other."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.errors import BrokenCassette
from chat.management.commands.cassette import load
from chat.rerun import process
from chat.rerun.replay import ReplayedTurn, replay
from chat.rerun.report import difference_lines, summary


class Command(BaseCommand):
    help = "A part of `replay`, which starts it with a database that is thrown away afterwards."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        if not process.is_scratch():
            raise CommandError("This writes to the database. Use `manage.py replay`.")
        cassette = load(options["file"])
        process.prepare()
        try:
            found = [self._told(each) for each in replay(cassette)]
        except BrokenCassette as error:
            raise CommandError(str(error), returncode=process.UNUSABLE) from error
        self.stdout.write(summary(sum(each.equal for each in found)))
        if not all(each.is_equal for each in found):
            raise SystemExit(process.DIFFERENT)

    def _told(self, replayed: ReplayedTurn) -> ReplayedTurn:
        for line in difference_lines(replayed):
            self.stdout.write(line)
        return replayed
