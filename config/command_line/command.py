"""What a command is made of."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

# Beside 0. A usage error is argparse's 2.
FAILED, USAGE = 1, 2
# Of every command that reads the database.
COMMON_VARIABLES = """\
environment:
  ROUNDTRIP_HOME   folder of all state (default: ~/.local/share/roundtrip; var/ in a checkout)
  DATABASE_URL     postgres://user:password@host/name (default: SQLite in the home)
"""


def _no_options(parser: argparse.ArgumentParser) -> None:
    pass


@dataclass(frozen=True)
class Command:
    """`about` is the first paragraph of its help, `ending` the last ones: environment variables,
    exit codes, examples. `run` answers the exit code."""

    about: str
    run: Callable[[argparse.Namespace], int]
    ending: str = ""
    add_options: Callable[[argparse.ArgumentParser], None] = _no_options
    # Whether `run` gets all arguments as `arguments`, unread, `--help` too.
    reads_own_arguments: bool = False

    def main(self, name: str, arguments: list[str]) -> int:
        if self.reads_own_arguments:
            return self.run(argparse.Namespace(name=name, arguments=arguments))
        parser = argparse.ArgumentParser(
            prog=f"roundtrip {name}",
            description=self.about,
            epilog=self.ending,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_options(parser)
        return self.run(parser.parse_args(arguments))
