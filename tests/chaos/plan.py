"""What a seed decides: the messages of every conversation, what people do beside them, the faults.

Times are left to the machine: a fault comes some seconds after the one before it ended, and so the
same seed meets the same turns with the same faults, but not at the same character.
"""

import json
import random
from dataclasses import dataclass, field
from typing import Any

TALK = ("stub-s7-r60-n160", "stub-s8-r80-n240-z30")
RETRY = "stub-s9-r80-n80-freset-x1"
LONG = "stub-s8-r60-n4000"
CALLS = "stub-r60-n40-ask"
MODELS = (*TALK, RETRY, LONG, CALLS)

# The tools that each server lets be run twice.
SERVERS: dict[str, list[str]] = {"once": [], "again": ["*"], "asked": []}

KINDS = {"talk": 30, "calls": 25, "delegates": 12, "approval": 12, "stop": 9, "retry": 6, "line": 6}
# What a person does while an answer comes.
BESIDE = {"": 50, "cut": 20, "reload": 15, "second": 15}
EDITED_SHARE = 0.12

# By weight, and how long each lasts, in seconds.
FAULTS: dict[str, tuple[int, float]] = {
    "kill-web": (4, 0),
    "kill-turns": (5, 0),
    "kill-tools": (5, 0),
    "kill-workers": (3, 0),
    "kill-supervisor": (2, 0),
    "stop-supervisor": (2, 0),
    "redis-restart": (3, 0),
    "redis-empty": (3, 0),
    "redis-down": (2, 4),
    "flushall": (4, 0),
    "freeze-web": (1, 8),
    "freeze-turns": (2, 13),
    "freeze-tools": (2, 13),
    "lock-database": (2, 10),
    "full-disk": (2, 5),
}
OF_POSTGRES: dict[str, tuple[int, float]] = {"crash-database": (3, 0), "cut-database": (3, 0)}


@dataclass(frozen=True)
class Message:
    """A message, and what its sender does. `lines` are the side effects that it asks for."""

    kind: str
    model: str
    text: str
    edits: bool = False
    beside: str = ""
    at: int = 0
    approves: bool = True
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fault:
    """`name` after a pause of `after` seconds, for `seconds`."""

    name: str
    after: float
    seconds: float


@dataclass(frozen=True)
class Plan:
    seed: int
    conversations: list[list[Message]]
    faults: list[Fault] = field(default_factory=list)


def make(
    seed: int,
    turns: int,
    conversations: int,
    faults: dict[str, tuple[int, float]],
    pauses: tuple[float, float] = (4.0, 12.0),
    turns_a_fault: int = 4,
) -> Plan:
    """The plan of a seed. A pause shorter than a lease may keep every turn from going on."""
    chance = random.Random(f"{seed} messages")
    plans: list[list[Message]] = [[] for _ in range(conversations)]
    for number in range(turns):
        of = plans[number % conversations]
        of.append(_message(chance, f"{seed}-{number}", can_edit=bool(of)))
    chance = random.Random(f"{seed} faults")
    count = turns // turns_a_fault if faults else 0
    return Plan(seed, plans, [_fault(chance, faults, pauses) for _ in range(count)])


def chosen(names: str, *, postgres: bool) -> dict[str, tuple[int, float]]:
    """The faults with these names, separated by commas; "all" and "none" are names too. Raises
    ValueError for a name that is none."""
    known = FAULTS | (OF_POSTGRES if postgres else {})
    if names == "all":
        return known
    wanted = [] if names == "none" else names.split(",")
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"no such fault: {', '.join(unknown)}; there are {', '.join(known)}")
    return {name: known[name] for name in wanted}


def _fault(
    chance: random.Random, faults: dict[str, tuple[int, float]], pauses: tuple[float, float]
) -> Fault:
    weights = [weight for weight, _ in faults.values()]
    name = chance.choices(list(faults), weights)[0]
    return Fault(name, round(chance.uniform(*pauses), 2), faults[name][1])


def _message(chance: random.Random, name: str, *, can_edit: bool) -> Message:
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    beside = chance.choices(list(BESIDE), list(BESIDE.values()))[0]
    edits = can_edit and kind in ("talk", "calls") and chance.random() < EDITED_SHARE
    text, lines = _text(chance, kind, name)
    model = {"stop": LONG, "retry": RETRY}.get(kind) or (CALLS if lines else chance.choice(TALK))
    return Message(
        kind,
        CALLS if kind == "delegates" else model,
        text,
        edits,
        beside,
        at=chance.randrange(10, 400),
        approves=chance.random() < 0.8,
        lines=lines,
    )


def _text(chance: random.Random, kind: str, name: str) -> tuple[str, tuple[str, ...]]:
    """What is sent, and the lines that its calls are to write."""
    match kind:
        case "calls":
            lines = [f"{name}-{place}" for place in range(chance.randrange(1, 4))]
            calls = [_write(chance, line, chance.choice(("once", "again"))) for line in lines]
            between = chance.choice(("\n", "\nthen\n"))
            return between.join(calls), tuple(lines)
        case "approval":
            return _write(chance, f"{name}-0", "asked"), (f"{name}-0",)
        case "delegates":
            server = chance.choice(("once", "once", "asked"))
            prompts = [_write(chance, f"{name}-0", server), "only talk"]
            chosen = prompts[: chance.randrange(1, 3)]
            return "\n".join(_task(prompt) for prompt in chosen), (f"{name}-0",)
        case _:
            return f"Go on, {name}.", ()


def _write(chance: random.Random, line: str, server: str) -> str:
    arguments: dict[str, Any] = {"line": line, "seconds": round(chance.uniform(0, 1.2), 1)}
    return f"call {server}-write {json.dumps(arguments)}"


def _task(prompt: str) -> str:
    return "call task " + json.dumps({"prompt": prompt})
