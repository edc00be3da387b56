"""`roundtrip [--help | --version | COMMAND …]`."""

import sys
from importlib import import_module

from config.command_line.command import USAGE, Command
from config.command_line.table import COMMANDS, GROUPS

HEAD = """\
usage: roundtrip COMMAND [options]

A self-hosted chat with tools and MCP, every answer of which can be opened and replayed.
"""
END = """
All settings are environment variables. Those that matter first:
  ROUNDTRIP_HOME   folder of all state: database, keys, logs, workspaces
                   (default: ~/.local/share/roundtrip; var/ in a checkout)
  HOST, PORT       address of the web server (default: 127.0.0.1, 8000)
  DATABASE_URL     postgres://user:password@host/name (default: SQLite in the home)
  REDIS_URL        redis://:password@host/0 (default: a private one, which `run` starts)
  OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL
                   a model of any server with OpenAI's API (default: the built-in walkthrough)

Exit codes: 0 done; 1 it failed, and a sentence on stderr says why; 2 wrong arguments.

Examples:
  roundtrip run                         start, and print a link to sign in with
  PORT=8080 roundtrip run               the same on another port
  roundtrip check && roundtrip web      in a container, where the database is prepared

`roundtrip COMMAND --help` has more about each. Every setting: docs/operations.md.
"""


def main(arguments: list[str]) -> int:
    name, *rest = arguments or [""]
    if name in ("-h", "--help", "help"):
        # `help COMMAND` too.
        if rest and rest[0] in COMMANDS:
            return main([rest[0], "--help"])
        sys.stdout.write(help_text())
        return 0
    if name in ("-V", "--version"):
        name = "version"
    if name not in COMMANDS:
        sys.stderr.write(unknown(name) if name else help_text())
        return USAGE
    return find(name).main(name, rest)


def find(name: str) -> Command:
    module = import_module(f"config.command_line.{COMMANDS[name].module}")
    command: Command = module.COMMANDS[name]
    return command


def help_text() -> str:
    width = max(map(len, COMMANDS))
    parts = [HEAD]
    for group, rows in GROUPS.items():
        lines = "".join(f"  {name:{width}}   {row.summary}\n" for name, row in rows.items())
        parts.append(f"\n{group}:\n{lines}")
    return "".join([*parts, END])


def unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.replace("_", "-"), COMMANDS, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"roundtrip: there is no command {name!r}.{meant} `roundtrip --help` lists them.\n"
