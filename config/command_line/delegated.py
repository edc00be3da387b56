"""Commands that are Django's management commands of the same name."""

import argparse

from config.command_line.command import Command
from config.command_line.django_setup import run_management


def _delegate(options: argparse.Namespace) -> int:
    return run_management("roundtrip", [options.name, *options.arguments])


def _manage(options: argparse.Namespace) -> int:
    return run_management("roundtrip manage", options.arguments)


COMMANDS = {
    **{
        name: Command(about="", run=_delegate, reads_own_arguments=True)
        for name in ("mcp", "cassette", "replay", "transcode")
    },
    "manage": Command(about="", run=_manage, reads_own_arguments=True),
}
