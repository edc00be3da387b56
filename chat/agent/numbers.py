"""The limits of the agent: label, meaning, unit and bounds of each."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
        return f"{self.least:,g} to {self.most:,.15g}"


_SHARE = "share of the context window"

NUMBERS: Mapping[str, Number] = {
    "rounds": Number(
        "Rounds of a turn",
        "A turn ends after so many model calls.",
        "rounds",
        1,
        1_000,
        is_ceiling=True,
    ),
    "subagent_rounds": Number(
        "Rounds of a subagent",
        "A subagent ends after so many model calls; what it had said last is its result.",
        "rounds",
        1,
        1_000,
        is_ceiling=True,
    ),
    "tool_seconds": Number(
        "Deadline of a tool",
        "A call that takes longer is ended. A server may have a shorter timeout of its own.",
        "seconds",
        1,
        3_600,
        whole=False,
        is_ceiling=True,
    ),
    "todo_items": Number(
        "Items of the todo list", "A longer list is refused; the old one stays.", "items", 1, 100
    ),
    "reminder_rounds": Number(
        "Reminder of open todos",
        "After so many rounds without a look at its list the model is reminded. 0: never.",
        "rounds",
        0,
        1_000,
    ),
    "tools_sent": Number(
        "Tools sent in full",
        "With more, the model gets the most relevant ones, and searches for others. 0: all.",
        "tools",
        0,
        128,
    ),
    "micro_share": Number(
        "Shorten older results",
        "From this share on, older tool results are sent as placeholders. 0: never.",
        _SHARE,
        0,
        1,
        whole=False,
    ),
    "micro_keeps": Number(
        "Results that stay whole", "So many of the latest are never shortened.", "results", 0, 1_000
    ),
    "micro_shortest": Number(
        "Shortest result to shorten",
        "One that is not longer stays as it is.",
        "characters",
        0,
        1_000_000,
    ),
    "auto_share": Number(
        "Summarise older messages",
        "From this share on, a summary stands for older messages. 0: never.",
        _SHARE,
        0,
        1,
        whole=False,
    ),
    "auto_keeps": Number(
        "Messages beside a summary",
        "About so many of the latest are sent as they are.",
        "messages",
        1,
        1_000,
    ),
    "result_share": Number(
        "Longest single result",
        "A longer tool result is cut in the middle; the model can read on.",
        _SHARE,
        0.01,
        1,
        whole=False,
    ),
    "context_window": Number(
        "Context window",
        "What the shares are of. Where it is empty it is the model's, where that is known.",
        "tokens",
        1_000,
        100_000_000,
    ),
}

# Of a turn and its subagents together, but for `calls_a_round` and the bytes: for the deployment
# alone, in `TURN_CEILINGS`.
CEILINGS: Mapping[str, Number] = {
    "all_rounds": Number(
        "Rounds of a turn and its subagents",
        "All of them end after so many model calls together; never fewer than `rounds`.",
        "rounds",
        1,
        1_000_000,
    ),
    "all_calls": Number(
        "Tool calls of a turn and its subagents",
        "All of them end after so many together.",
        "calls",
        1,
        1_000_000,
    ),
    "calls_a_round": Number(
        "Tool calls of a round",
        "An answer that asks for more ends its turn, and none of them is run.",
        "calls",
        1,
        1_000,
    ),
    "tokens": Number(
        "Tokens of a turn and its subagents",
        "Read and written, as the provider counts them.",
        "tokens",
        1_000,
        1_000_000_000_000,
    ),
    "seconds": Number(
        "Duration of a turn and its subagents",
        "The time in which a person is waited for does not count.",
        "seconds",
        1,
        1_000_000,
        whole=False,
    ),
    "response_bytes": Number(
        "Length of an answer", "A longer one is broken off.", "bytes", 10_000, 1_000_000_000
    ),
    "result_bytes": Number(
        "Results of a round",
        "The turn ends if the tools of one round return more.",
        "bytes",
        10_000,
        10_000_000_000,
    ),
}


def problem(name: str, value: Any, numbers: Mapping[str, Number] = NUMBERS) -> str:
    """A sentence of what is wrong with a limit and what to do; "" if it is valid."""
    number = numbers.get(name)
    if number is None:
        return f"There is no limit of this name. There are: {', '.join(numbers)}."
    if not is_number(value):
        return f"Write a number, {number.bounds} {number.unit}."
    if number.whole and value != int(value):
        return f"Write a whole number, {number.bounds} {number.unit}."
    if not number.least <= value <= number.most:
        return f"This is out of bounds: {number.bounds} {number.unit}."
    return ""


def problems(layer: Any, numbers: Mapping[str, Number] = NUMBERS) -> dict[str, str]:
    """What is wrong with a set of limits, by name; the name "" is for the set itself."""
    if not isinstance(layer, dict):
        return {"": "Write an object of names and numbers."}
    sentences = {str(name): problem(str(name), value, numbers) for name, value in layer.items()}
    return {name: sentence for name, sentence in sentences.items() if sentence}


def is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
