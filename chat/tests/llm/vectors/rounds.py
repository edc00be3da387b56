"""Conversations at random, the same ones for the same seed."""

import json
import random
from typing import Any

from chat.llm.messages import Message
from chat.tests.llm.conversations import WEATHER, assistant, call, result, system, user

NAMES = ("weather", "sqlite-read_query", "now")
WORDS = (
    "Hello",
    "北京",
    "\n",
    " ",
    "<b>",
    '"',
    "\\",
    "{",
    "😀",
    "é",
    "<tool_call>",
    "\u2028",
    "1.0",
)
SCALARS = (
    0,
    1,
    -5,
    10**25,
    1.0,
    0.1,
    1e-7,
    True,
    False,
    None,
    "",
    "北",
    "a\nb",
    '"',
    "</tool_call>",
)


class Conversations:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._calls = 0

    def one(self) -> dict[str, Any]:
        """A conversation in which every call is answered."""
        messages = [system(self._text())] if self._random.random() < 0.6 else []
        for _ in range(self._random.randint(1, 3)):
            messages += self._turn()
        tools = [WEATHER, {"type": "function", "function": {"name": "now"}}]
        return {"messages": messages, "tools": tools[: self._random.randint(0, 2)]}

    def _turn(self) -> list[Message]:
        turn = [user(self._text()) for _ in range(self._random.choice((1, 1, 2)))]
        for _ in range(self._random.randint(0, 2)):
            turn += self._round()
        return [*turn, assistant(self._text())]

    def _round(self) -> list[Message]:
        calls = [self._call() for _ in range(self._random.choice((1, 1, 2, 3)))]
        results = [result(self._text(), one["id"]) for one in calls]
        self._random.shuffle(results)
        if self._random.random() < 0.2:
            results[0]["is_error"] = True
        said = self._random.choice((None, "", self._text()))
        return [assistant(said, *calls), *results]

    def _call(self) -> Any:
        self._calls += 1
        arguments = {key: self._value(0) for key in self._random.sample(("city", "q", "数"), 2)}
        written = json.dumps(arguments, ensure_ascii=self._random.random() < 0.5)
        return call(self._random.choice(NAMES), written, f"call_{self._calls}")

    def _value(self, depth: int) -> Any:
        if depth == 3 or self._random.random() < 0.6:
            return self._random.choice(SCALARS)
        inner = [self._value(depth + 1) for _ in range(self._random.randint(0, 3))]
        return inner if self._random.random() < 0.5 else dict(zip("abc", inner, strict=False))

    def _text(self) -> str:
        return "".join(self._random.choices(WORDS, k=self._random.randint(0, 4)))
