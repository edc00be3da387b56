"""The names of all commands, the module of each, and its line in `roundtrip --help`."""

from typing import NamedTuple


class Row(NamedTuple):
    module: str
    summary: str


GROUPS: dict[str, dict[str, Row]] = {
    "Run": {
        "run": Row("processes", "everything on this machine, until Ctrl-C"),
        "web": Row("processes", "one web process"),
        "worker": Row("processes", "one worker process: of turns, or of tools"),
    },
    "Operate": {
        "check": Row("checks", "settings, database, migrations, keys, Redis and disk: a line each"),
        "migrate": Row("databases", "bring the database up to this version"),
        "backup": Row("backups", "database, keys and files as one archive, while it runs"),
        "restore": Row("backups", "an archive into an empty home and database of either kind"),
        "sign-in-link": Row("people", "a link that signs a person in, once"),
        "manage": Row("delegated", "any other command of Django's and of the product"),
        "version": Row("version", "the version of the product"),
    },
    "Traces, models and tools": {
        "cassette": Row("delegated", "export traces as a file, or serve a file as a model"),
        "replay": Row("delegated", "run a recorded turn again, and say what differs"),
        "transcode": Row("delegated", "what a dialect makes of a conversation: JSON to JSON"),
        "mcp": Row("delegated", "list MCP servers and their tools, call a tool"),
    },
}
COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}
