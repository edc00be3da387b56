"""A model endpoint with a real context window: what is longer it refuses, in words of the test's
choosing, and so it does with roles that do not alternate, as strict templates do."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from chat.tests.providers.scripted import Asked, Reply, Scripted, scripted, streamed

WINDOW = 4_000
ANSWER = "Noted, and here is what I make of it."
# How many calls of `odd-echo_many` the model makes for a question that has this word in it.
CALLS = {"[one]": 1, "[many]": 6}
RESULT_CHARACTERS = 30_000

Messages = list[dict[str, Any]]


def named(window: int, tokens: int) -> str:
    """As OpenAI says it."""
    return (
        f"This model's maximum context length is {window} tokens. However, your messages resulted "
        f"in {tokens} tokens. Please reduce the length of the messages."
    )


def unnamed(window: int, tokens: int) -> str:
    """As those say it who name no number."""
    return "Your input exceeds the context window of this model. Please adjust your input."


@dataclass
class Narrow:
    """`sent` are the messages that were taken, of each request; `refused` counts the others."""

    words: Callable[[int, int], str] = named
    window: int = WINDOW
    sent: list[Messages] = field(default_factory=list)
    refused: int = 0

    def running(self) -> AbstractContextManager[Scripted]:
        return scripted(self.answer)

    def answer(self, asked: Asked) -> Reply:
        if not asked.path.endswith("/chat/completions"):
            return Reply({"error": {"message": "not found"}}, 404)
        messages: Messages = asked.body["messages"]
        tokens = len(json.dumps([messages, asked.body.get("tools")])) // 4
        if tokens > self.window:
            self.refused += 1
            return _error(self.words(self.window, tokens), "context_length_exceeded")
        if not alternates(messages):
            return _error("Conversation roles must alternate user/assistant/user/…", "invalid")
        self.sent.append(messages)
        return streamed(_calls(messages) if "tools" in asked.body else {"content": ANSWER})


def alternates(messages: Sequence[Any]) -> bool:
    """Whether user and assistant take turns, the user first; results stand right behind the calls
    that they answer, and an answer behind the results."""
    allowed = {"system", "user"}
    for message in messages:
        role = message["role"]
        if role not in allowed:
            return False
        if role in ("system", "tool"):
            allowed = {"user"} if role == "system" else {"tool", "assistant"}
        elif role == "user":
            allowed = {"assistant"}
        else:
            allowed = {"tool"} if message.get("tool_calls") else {"user"}
    return True


def _calls(messages: Messages) -> dict[str, Any]:
    """The calls that the latest question asks for, until they have been answered."""
    latest = messages[-1]
    text = str(latest.get("content"))
    wanted = next((count for word, count in CALLS.items() if word in text), 0)
    if latest["role"] != "user" or not wanted:
        return {"content": ANSWER}
    arguments = json.dumps({"text": str(RESULT_CHARACTERS)})
    function = {"name": "odd-echo_many", "arguments": arguments}
    calls = [
        {"index": n, "id": f"call_{len(messages)}_{n}", "type": "function", "function": function}
        for n in range(wanted)
    ]
    return {"tool_calls": calls}


def _error(sentence: str, code: str) -> Reply:
    error = {"message": sentence, "type": "invalid_request_error", "code": code}
    return Reply({"error": error}, 400)
