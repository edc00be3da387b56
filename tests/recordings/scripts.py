"""What the model says in the recorded conversations, by the text that it was asked."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Said:
    """One answer: text, calls as pairs of name and arguments, the reasoning before them, and how
    often the request is refused with status 429 first."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reasoning: str = ""
    refusals: int = 0

    def message(self, number: int) -> dict[str, Any]:
        """The assistant message; `number` makes the ids of its calls its own."""
        calls = [
            {
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for at, (name, arguments) in enumerate(self.calls)
        ]
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        return {**message, "tool_calls": calls} if calls else message


def _todos(*states: str) -> tuple[str, dict[str, Any]]:
    texts = ("Write hello.py", "Copy it to greeting.py", "Comment the copy")
    items = zip(texts, states, strict=True)
    return "todo", {
        "items": [
            {"id": str(at), "text": text, "status": status}
            for at, (text, status) in enumerate(items, 1)
        ]
    }


def _moved(*states: str) -> tuple[str, dict[str, Any]]:
    """The same list, by ids alone."""
    return "todo", {"items": [{"id": str(at), "status": one} for at, one in enumerate(states, 1)]}


HELLO = 'print("Hello, world!")\n'
GREETING = "Hello, world!\nThis file was written as the skill hello-world says.\n"
COMMENT = "# Greets the world.\n"
CODE = "Create hello.py that greets the world, copy it to greeting.py, and comment the copy."
SKILL = "Show me the hello-world skill at work."
NOTES = "Write into notes/a.txt that the sky is blue, and into notes/b.txt that grass is green."

COMPARE = "What do notes/a.txt and notes/b.txt say? Let two subagents look at the same time."
READ_A = "Read the file notes/a.txt in the workspace and tell in one sentence what it says."
READ_B = "Read the file notes/b.txt in the workspace and tell in one sentence what it says."

SEATS = "How many seats do seven rows of six have, and how many stay free if 39 guests come?"
HARVEST = "What does the almanac say about the harvest?"

# Files and their questions, in order.
CONVERSATIONS = {"hello": [CODE], "skill": [SKILL], "subagents": [NOTES, COMPARE]}

SCRIPTS: dict[str, list[Said]] = {
    SEATS: [
        Said(
            reasoning="Seven rows of six seats: the product tells how many seats there are. Minus "
            "39 guests, the rest stays free. I let the calculator do both.",
            calls=[("calculate", {"expr": "7 * 6"}), ("calculate", {"expr": "7 * 6 - 39"})],
        ),
        Said(
            "| | |\n|---|--:|\n| Seats | 42 |\n| Guests | 39 |\n| **Free** | **3** |\n\n"
            "Seven rows of six are 42 seats, so **three** of them stay free.",
            reasoning="42 seats, 3 of them free: a small table shows it.",
        ),
    ],
    HARVEST: [
        Said(
            "The almanac expects a late harvest: a cool spring delays the grain by about ten days. "
            "Apples and pears should be picked in the first half of October, before the frost.",
            refusals=2,
        )
    ],
    CODE: [
        Said("I will do this in three steps.", [_todos("in_progress", "pending", "pending")]),
        Said(calls=[("write_file", {"path": "hello.py", "content": HELLO})]),
        Said(calls=[_moved("completed", "in_progress", "pending")]),
        Said(calls=[("bash", {"command": "cp hello.py greeting.py && ls"})]),
        Said(calls=[_moved("completed", "completed", "in_progress")]),
        Said(
            calls=[
                (
                    "edit_file",
                    {"path": "greeting.py", "old_text": HELLO, "new_text": COMMENT + HELLO},
                )
            ]
        ),
        Said(calls=[("bash", {"command": "python3 greeting.py && head -n 1 greeting.py"})]),
        Said(calls=[_moved("completed", "completed", "completed")]),
        Said(
            "Done: `hello.py` greets the world, and `greeting.py` is its copy with a comment above."
        ),
    ],
    SKILL: [
        Said("I read its instructions first.", [("load_skill", {"name": "hello-world"})]),
        Said(calls=[("write_file", {"path": "hello.txt", "content": GREETING})]),
        Said(calls=[("bash", {"command": "sh /skills/hello-world/scripts/check.sh hello.txt"})]),
        Said(f"`hello.txt` is written:\n\n```\n{GREETING}```"),
    ],
    NOTES: [
        Said(
            calls=[
                ("write_file", {"path": "notes/a.txt", "content": "The sky is blue.\n"}),
                ("write_file", {"path": "notes/b.txt", "content": "Grass is green.\n"}),
            ]
        ),
        Said("Both notes are written."),
    ],
    COMPARE: [
        Said(
            "Two subagents read them at the same time.",
            [
                ("task", {"prompt": READ_A, "description": "Read a.txt"}),
                ("task", {"prompt": READ_B, "description": "Read b.txt"}),
            ],
        ),
        Said("`a.txt` says that the sky is blue; `b.txt` says that grass is green."),
    ],
    READ_A: [
        Said(calls=[("read_file", {"path": "notes/a.txt"})]),
        Said("The file says that the sky is blue."),
    ],
    READ_B: [
        Said(calls=[("read_file", {"path": "notes/b.txt"})]),
        Said("The file says that grass is green."),
    ],
}
