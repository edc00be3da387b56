"""The article's conversation as a cassette, and as a teacher: what it does not know, it says.

`walkthrough.json` holds what the article prints (see `NOTICE`): seven of nine model calls. The two
that it omits stand in the history of the last turn, and are taken from there.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from chat.cassettes.cassette import Cassette, Message, Round, signatures

FILE = Path(__file__).with_name("walkthrough.json")
MODEL = "walkthrough"
PIECE = 3
HINT = "This walkthrough is a recording. "
RESULT = "<tool_response>"


@cache
def article() -> dict[str, Any]:
    """What the article prints."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def cassette() -> Cassette:
    """All nine rounds."""
    calls = article()["calls"]
    last = calls[-1]["preprocessed_input"]
    rounds = [_round(call, last) for call in calls]
    return Cassette("walkthrough", MODEL, tuple(rounds))


@cache
def questions() -> tuple[str, ...]:
    """What can be asked, in the article's order."""
    last = article()["calls"][-1]["preprocessed_input"]
    return tuple(message["content"] for message in last if is_question(message))


def system_prompt() -> str:
    """The article's system prompt."""
    prompt: str = article()["calls"][0]["raw_input"][0]["content"]
    return prompt


def tool_names() -> list[str]:
    """The article's six tools, in its order."""
    return [tool["function"]["name"] for tool in article()["tools"]]


def is_question(message: Message) -> bool:
    content = message.get("content")
    return message.get("role") == "user" and not str(content).startswith(RESULT)


def answer(messages: Sequence[Message]) -> tuple[str, ...]:
    """The recorded pieces for these messages, or a hint in their place.

    The questions may be asked in another order, and hints may stand between them: then the turn at
    hand decides, its question and what its tools returned.
    """
    known = without_hints(messages)
    found = cassette().find(known) or _same_turn(known)
    return found.pieces if found else pieces(_hint(known))


def without_hints(messages: Sequence[Message]) -> list[Message]:
    """The messages without the hints given before, and the questions that they answered."""
    kept: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant" and str(message.get("content")).startswith(HINT):
            while kept and kept[-1].get("role") != "assistant" and not _is_system(kept[-1]):
                dropped = kept.pop()
                if is_question(dropped):
                    break
            continue
        kept.append(message)
    return kept


def pieces(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + PIECE] for at in range(0, len(text), PIECE))


def _is_system(message: Message) -> bool:
    return message.get("role") == "system"


def _round(call: dict[str, Any], last: list[Message]) -> Round:
    label = f"turn {call['turn']}, round {call['round']}"
    if call["raw_output"] is not None:
        text = call["raw_output"][0]["content"]
        return Round(label, tuple(call["preprocessed_input"]), pieces(text))
    asked = [at for at, message in enumerate(last) if is_question(message)][call["turn"] - 1]
    at = asked + 2 * call["round"] - 1
    return Round(label, tuple(last[:at]), pieces(last[at]["content"]))


def _turn(messages: Sequence[Message]) -> list[Message]:
    """From the latest question on."""
    asked = [at for at, message in enumerate(messages) if is_question(message)]
    return list(messages[asked[-1] :]) if asked else []


def _same_turn(messages: Sequence[Message]) -> Round | None:
    wanted = signatures(_turn(messages))
    return next((r for r in cassette().rounds if signatures(_turn(r.messages)) == wanted), None)


def _hint(messages: Sequence[Message]) -> str:
    turn = _turn(messages)
    if turn and turn[0].get("content") in questions():
        return (
            f"{HINT}The tools have just returned something else than when it was recorded, so it "
            "has no answer to that. Begin a new conversation: its database is fresh."
        )
    asked = "\n".join(f"- {question}" for question in questions())
    return f"{HINT}It knows these questions:\n\n{asked}\n\nTo ask anything else, connect a model."
