"""Members of the JSON object of a tool call that differ from `{"name": …, "arguments": {…}}`.

Many models write `parameters`, as in tool definitions: it is accepted, with a note. Any other name
for the arguments is an error, and the call is not run: it would run without arguments.
"""

from collections.abc import Collection, Iterable

ARGUMENTS = "arguments"
PARAMETERS = "parameters"
OTHER_NAMES = ("args", "input", "inputs", "params", "kwargs")
# Members of OpenAI's form of a call that carry no arguments.
IGNORED_MEMBERS = frozenset({"id", "type", "index"})
_KNOWN = frozenset({"name", ARGUMENTS})


def key_of_arguments(members: Collection[str]) -> str:
    """The member that holds the arguments, "" if none does. `members`: those that are not null."""
    return next((key for key in (ARGUMENTS, PARAMETERS) if key in members), "")


def unknown_members(members: Iterable[str], key: str) -> list[str]:
    """The members that a call does not have, if `key` holds the arguments."""
    return [name for name in members if name not in _KNOWN | IGNORED_MEMBERS | {key}]


def misnamed_arguments(members: Collection[str]) -> str:
    """The member that probably holds the arguments under a wrong name; "" if there is none."""
    return "" if key_of_arguments(members) else next((k for k in OTHER_NAMES if k in members), "")
