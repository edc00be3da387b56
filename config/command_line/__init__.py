"""The command `roundtrip` (docs/operations.md#the-command-roundtrip).

    program         the list of commands, and which one is asked for
    table           their names and sentences, by group
    command         what one is made of: options, help, and what it does
    processes       run, web, worker
    databases       migrate
    checks          check, with one function for each line
    people          sign-in-link
    backups         backup, restore
    delegated       mcp, cassette, replay, transcode, manage: Django's commands of the same name
    version         version

A further command is a line of `table` and a `Command` in the module that the line names. Modules
are imported for the command that is asked for only, and Django by what needs it: `roundtrip --help`
is there at once.
"""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0, or what the help of each command says."""
    from config.command_line import program

    try:
        return program.main(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        return 130
