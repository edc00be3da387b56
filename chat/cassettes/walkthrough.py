"""The article's conversation as a cassette; it answers other questions with those that it knows.

`walkthrough.json` holds what the article prints (see `NOTICE`): seven of nine model calls. The two
that it omits are taken from the history of the last turn.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from chat.cassettes.text_cassette import Message, TextCassette, TextRound, signatures

FILE = Path(__file__).with_name("walkthrough.json")
MODEL = "walkthrough"
PIECE = 3
HINT = "This walkthrough is a recording. "
RESULT = "<tool_response>"


@cache
def article() -> dict[str, Any]:
    """The content of the article."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@cache
def cassette() -> TextCassette:
    """All nine rounds."""
    calls = article()["calls"]
    last = calls[-1]["preprocessed_input"]
    rounds = [_round(call, last) for call in calls]
    return TextCassette("walkthrough", MODEL, tuple(rounds))


@cache
def questions() -> tuple[str, ...]:
    """The known questions, in the article's order."""
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
    """The recorded pieces for these messages, or a hint instead.

    Questions may come in another order, and hints between them: then the current turn decides, by
    its question and the results of its tools.
    """
    known = without_hints(messages)
    match = cassette().find(known) or _same_turn(known)
    return match.pieces if match else pieces(_hint(known))


def without_hints(messages: Sequence[Message]) -> list[Message]:
    """The messages without earlier hints and the questions that those answered."""
    remaining: list[Message] = []
    for message in messages:
        if message.get("role") == "assistant" and str(message.get("content")).startswith(HINT):
            while (
                remaining
                and remaining[-1].get("role") != "assistant"
                and not _is_system(remaining[-1])
            ):
                dropped = remaining.pop()
                if is_question(dropped):
                    break
            continue
        remaining.append(message)
    return remaining


def pieces(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + PIECE] for at in range(0, len(text), PIECE))


def _is_system(message: Message) -> bool:
    return message.get("role") == "system"


def _round(call: dict[str, Any], last: list[Message]) -> TextRound:
    label = f"turn {call['turn']}, round {call['round']}"
    if call["raw_output"] is not None:
        text = call["raw_output"][0]["content"]
        return TextRound(label, tuple(call["preprocessed_input"]), pieces(text))
    question_at = [at for at, message in enumerate(last) if is_question(message)][call["turn"] - 1]
    at = question_at + 2 * call["round"] - 1
    return TextRound(label, tuple(last[:at]), pieces(last[at]["content"]))


def _turn(messages: Sequence[Message]) -> list[Message]:
    """The messages from the latest question on."""
    questions_at = [at for at, message in enumerate(messages) if is_question(message)]
    return list(messages[questions_at[-1] :]) if questions_at else []


def _same_turn(messages: Sequence[Message]) -> TextRound | None:
    wanted = signatures(_turn(messages))
    return next((r for r in cassette().rounds if signatures(_turn(r.messages)) == wanted), None)


def _hint(messages: Sequence[Message]) -> str:
    turn = _turn(messages)
    if turn and turn[0].get("content") in questions():
        return (
            f"{HINT}The tools have just returned something else than when it was recorded, so it "
            "has no answer to that. Begin a new conversation: its database is fresh."
        )
    known = "\n".join(f"- {question}" for question in questions())
    return f"{HINT}It knows these questions:\n\n{known}\n\nTo ask anything else, connect a model."
