"""sign-in-link."""

import argparse

from config.command_line.command import COMMON_VARIABLES, Command
from config.command_line.django_setup import run_management


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("username", nargs="?", help="default: the owner of the installation")


def _link(options: argparse.Namespace) -> int:
    names = [options.username] if options.username else []
    return run_management("roundtrip", ["sign_in_link", *names])


COMMANDS = {
    "sign-in-link": Command(
        about="Prints a link that signs a person in without a password: once, within 15 minutes.\n"
        "Whoever has it is that person: hand it over as you would a password.",
        run=_link,
        add_options=_options,
        ending=COMMON_VARIABLES
        + """\
  ROUNDTRIP_URL    the address that the link begins with, behind a proxy
  HOST, PORT       else these (default: 127.0.0.1, 8000)

exit codes:
  0   the link is on stdout
  1   there is no such active user

examples:
  roundtrip sign-in-link
  roundtrip sign-in-link alice
""",
    )
}
