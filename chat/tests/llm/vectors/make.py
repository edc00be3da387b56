"""Writes `vectors.jsonl`: `python -m chat.tests.llm.vectors.make`; it prints the counts by dialect.

A line is `{"rule", "direction", "dialect", "input", "output", "notes"}`; ids that were made for the
calls of an answer stand there as their places. The inputs are the examples by hand of every rule,
and conversations at random. A change of a line is a change of what models read.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chat.llm.json_text import prompt_json
from chat.llm.transcode import WRITERS, from_dialect, from_stream, to_dialect, transcode
from chat.tests.llm.vectors.examples import (
    ANSWERS,
    NOUS_ANSWERS,
    NOUS_STREAMS,
    STREAMS,
    Example,
    conversations,
)
from chat.tests.llm.vectors.rounds import Conversations

VECTORS = Path(__file__).parent / "vectors.jsonl"
DIRECTIONS = {"to": to_dialect, "from": from_dialect, "stream": from_stream}
AT_RANDOM = 24  # conversations
_RULES = {"native": 16, "functions": 15, "anthropic": 14, "chatml": 13}


def examples() -> Iterator[Example]:
    for rule, conversation in conversations():
        yield from ((rule, "to", name, conversation) for name in WRITERS)
    at_random = Conversations(seed=1)
    for _ in range(AT_RANDOM):
        conversation = at_random.one()
        yield from ((_RULES.get(name, 0), "to", name, conversation) for name in WRITERS)
    for rule, text in NOUS_ANSWERS:
        yield rule, "from", "nous", {"role": "assistant", "content": text}
    yield from ((12, "stream", "nous", deltas) for deltas in NOUS_STREAMS)
    for name, answers in ANSWERS.items():
        yield from ((_RULES.get(name, 0), "from", name, answer) for answer in answers)
    for name, streams in STREAMS.items():
        yield from ((_RULES[name], "stream", name, deltas) for deltas in streams)


def vector(example: Example) -> dict[str, Any]:
    rule, direction, dialect, given = example
    line, notes = transcode(DIRECTIONS[direction](dialect), json.dumps(given).encode())
    output = json.loads(line)
    if direction != "to":
        output = without_made_ids(output, json.dumps(given))
    return {
        "rule": rule,
        "direction": direction,
        "dialect": dialect,
        "input": given,
        "output": output,
        "notes": list(notes),
    }


def without_made_ids(output: Any, given: str) -> Any:
    """The output, each id that is not from the input replaced by its place."""
    places: dict[str, str] = {}

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [replaced(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        return {
            key: places.setdefault(inner, f"made {len(places)}")
            if key in ("id", "tool_call_id") and inner and json.dumps(inner) not in given
            else replaced(inner)
            for key, inner in value.items()
        }

    return replaced(output)


def main() -> None:
    vectors = [vector(example) for example in examples()]
    VECTORS.write_text("".join(f"{prompt_json(one)}\n" for one in vectors), encoding="utf-8")
    counts = Counter((one["dialect"], one["direction"]) for one in vectors)
    for (dialect, direction), count in sorted(counts.items()):
        sys.stdout.write(f"{dialect:12}{direction:8}{count:5}\n")


if __name__ == "__main__":
    main()
