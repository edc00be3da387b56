"""What the bytes of a response say, read as Chat Completions: a stream of events or one object.

Only for the eye. It takes what it can and never fails: the bytes may be anything.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reply:
    """The text of the deltas joined, before anything of ours has looked for calls in it."""

    events: int = 0
    content: str = ""
    reasoning: str = ""
    calls: dict[int, dict[str, str]] = field(default_factory=dict)

    @property
    def says_something(self) -> bool:
        return bool(self.content or self.reasoning or self.calls)


def read_reply(body: bytes) -> Reply:
    """Joins what the events of a body say; an empty reply if they say nothing."""
    pieces: list[tuple[str, str]] = []
    reply = Reply()
    for event in _events(body):
        reply.events += 1
        said = _said(event)
        pieces += [(name, text) for name, text in said.items() if isinstance(text, str)]
        _add_calls(reply, said.get("tool_calls"))
    reply.content = "".join(text for name, text in pieces if name == "content")
    reply.reasoning = "".join(text for name, text in pieces if name.startswith("reasoning"))
    return reply


def _events(body: bytes) -> Iterator[Any]:
    text = body.decode(errors="replace")
    if text.lstrip().startswith("{"):
        lines = [text]
    else:
        lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
    for line in lines:
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            continue


def _said(event: Any) -> dict[str, Any]:
    """The delta or message of an event's first choice."""
    choices = event.get("choices") if isinstance(event, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return {}
    said = choice.get("delta") or choice.get("message")
    return said if isinstance(said, dict) else {}


def _add_calls(reply: Reply, calls: Any) -> None:
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        if not isinstance(call, dict):
            continue
        index = call.get("index")
        key = index if isinstance(index, int) else place
        joined = reply.calls.setdefault(key, {"name": "", "arguments": ""})
        function = call.get("function")
        for name in joined:
            text = function.get(name) if isinstance(function, dict) else None
            joined[name] += text if isinstance(text, str) else ""
