"""The limits of the agent: label, meaning, unit and bounds of each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from languages.later import later


@dataclass(frozen=True)
class Number:
    """A limit that people set. `meaning` says what a zero stands for if it is not "none". `whole`
    numbers have no fraction. A ceiling can be lowered by everybody and raised by admins."""

    label: str
    meaning: str
    unit: str
    least: float
    most: float
    whole: bool = True
    is_ceiling: bool = False

    @property
    def bounds(self) -> str:
        return gettext("%(least)s to %(most)s") % {
            "least": f"{self.least:,g}",
            "most": f"{self.most:,.15g}",
        }


_SHARE = later("share of the context window")

NUMBERS: Mapping[str, Number] = {
    "rounds": Number(
        later("Rounds of a turn"),
        later("A turn ends after so many model calls."),
        "rounds",
        1,
        1_000,
        is_ceiling=True,
    ),
    "subagent_rounds": Number(
        later("Rounds of a subagent"),
        later("A subagent ends after so many model calls; what it had said last is its result."),
        "rounds",
        1,
        1_000,
        is_ceiling=True,
    ),
    "tool_seconds": Number(
        later("Deadline of a tool"),
        later("A call that takes longer is ended. A server may have a shorter timeout of its own."),
        "seconds",
        1,
        3_600,
        whole=False,
        is_ceiling=True,
    ),
    "todo_items": Number(
        later("Items of the todo list"),
        later("A longer list is refused; the old one stays."),
        "items",
        1,
        100,
    ),
    "reminder_rounds": Number(
        later("Reminder of open todos"),
        later("After so many rounds without a look at its list the model is reminded. 0: never."),
        "rounds",
        0,
        1_000,
    ),
    "tools_sent": Number(
        later("Tools sent in full"),
        later("With more, the model gets the most relevant ones, and searches for others. 0: all."),
        "tools",
        0,
        128,
    ),
    "micro_share": Number(
        later("Shorten older results"),
        later("From this share on, older tool results are sent as placeholders. 0: never."),
        _SHARE,
        0,
        1,
        whole=False,
    ),
    "micro_keeps": Number(
        later("Results that stay whole"),
        later("So many of the latest are never shortened."),
        "results",
        0,
        1_000,
    ),
    "micro_shortest": Number(
        later("Shortest result to shorten"),
        later("One that is not longer stays as it is."),
        "characters",
        0,
        1_000_000,
    ),
    "auto_share": Number(
        later("Summarise older messages"),
        later("From this share on, a summary stands for older messages. 0: never."),
        _SHARE,
        0,
        1,
        whole=False,
    ),
    "auto_keeps": Number(
        later("Messages beside a summary"),
        later("About so many of the latest are sent as they are."),
        "messages",
        1,
        1_000,
    ),
    "result_share": Number(
        later("Longest single result"),
        later("A longer tool result is cut in the middle; the model can read on."),
        _SHARE,
        0.01,
        1,
        whole=False,
    ),
    "context_window": Number(
        later("Context window"),
        later("What the shares are of. Where it is empty it is the model's, where that is known."),
        "tokens",
        1_000,
        100_000_000,
    ),
}

# Of a turn and its subagents together, but for `calls_a_round` and the bytes: for the deployment
# alone, in `TURN_CEILINGS`.
CEILINGS: Mapping[str, Number] = {
    "all_rounds": Number(
        later("Rounds of a turn and its subagents"),
        later("All of them end after so many model calls together; never fewer than `rounds`."),
        "rounds",
        1,
        1_000_000,
    ),
    "all_calls": Number(
        later("Tool calls of a turn and its subagents"),
        later("All of them end after so many together."),
        "calls",
        1,
        1_000_000,
    ),
    "calls_a_round": Number(
        later("Tool calls of a round"),
        later("An answer that asks for more ends its turn, and none of them is run."),
        "calls",
        1,
        1_000,
    ),
    "tokens": Number(
        later("Tokens of a turn and its subagents"),
        later("Read and written, as the provider counts them."),
        "tokens",
        1_000,
        1_000_000_000_000,
    ),
    "seconds": Number(
        later("Duration of a turn and its subagents"),
        later("The time in which a person is waited for does not count."),
        "seconds",
        1,
        1_000_000,
        whole=False,
    ),
    "response_bytes": Number(
        later("Length of an answer"),
        later("A longer one is broken off."),
        "bytes",
        10_000,
        1_000_000_000,
    ),
    "result_bytes": Number(
        later("Results of a round"),
        later("The turn ends if the tools of one round return more."),
        "bytes",
        10_000,
        10_000_000_000,
    ),
}


def problem(name: str, value: Any, numbers: Mapping[str, Number] = NUMBERS) -> str:
    """A sentence of what is wrong with a limit and what to do; "" if it is valid."""
    number = numbers.get(name)
    if number is None:
        return gettext("There is no limit of this name. There are: %(numbers)s.") % {
            "numbers": ", ".join(numbers)
        }
    if not is_number(value):
        return gettext("Write a number, %(bounds)s %(unit)s.") % {
            "bounds": number.bounds,
            "unit": number.unit,
        }
    if number.whole and value != int(value):
        return gettext("Write a whole number, %(bounds)s %(unit)s.") % {
            "bounds": number.bounds,
            "unit": number.unit,
        }
    if not number.least <= value <= number.most:
        return gettext("This is out of bounds: %(bounds)s %(unit)s.") % {
            "bounds": number.bounds,
            "unit": number.unit,
        }
    return ""


def problems(layer: Any, numbers: Mapping[str, Number] = NUMBERS) -> dict[str, str]:
    """What is wrong with a set of limits, by name; the name "" is for the set itself."""
    if not isinstance(layer, dict):
        return {"": gettext("Write an object of names and numbers.")}
    sentences = {str(name): problem(str(name), value, numbers) for name, value in layer.items()}
    return {name: sentence for name, sentence in sentences.items() if sentence}


def is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
