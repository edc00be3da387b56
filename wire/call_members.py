"""The members of the JSON object by which a model calls a tool, where they are not what they should
be: `{"name": …, "arguments": {…}}`.

Many models write `parameters`, as the tools that they read have it: it is taken, and noted. Any
other name for the arguments is an error, and the call is not made: without them it would run with
none.
"""

from collections.abc import Collection, Iterable

ARGUMENTS = "arguments"
PARAMETERS = "parameters"
OTHER_NAMES = ("args", "input", "inputs", "params", "kwargs")
# What OpenAI's own form of a call has beside them; it carries nothing.
CARRY_NOTHING = frozenset({"id", "type", "index"})
_KNOWN = frozenset({"name", ARGUMENTS})


def key_of_arguments(given: Collection[str]) -> str:
    """The member that has the arguments, "" if none has. `given` are those that are not null."""
    return next((key for key in (ARGUMENTS, PARAMETERS) if key in given), "")


def unknown_members(given: Iterable[str], key: str) -> list[str]:
    """The members that do not belong there, if `key` has the arguments."""
    return [name for name in given if name not in _KNOWN | CARRY_NOTHING | {key}]


def misnamed(given: Collection[str]) -> str:
    """The member that was meant to have the arguments, if none has: "" if there is none either."""
    return "" if key_of_arguments(given) else next((k for k in OTHER_NAMES if k in given), "")
