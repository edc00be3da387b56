"""Questions of a server to a person during a tool call, and the answers.

MCP calls this elicitation. Servers before 2026 ask on the live session, which waits (`Asker`);
newer ones end the call with what they need (`InputNeeded`), and it is made again with the answers
(`InputGiven`), on any session.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

FORM: Literal["form"] = "form"
URL: Literal["url"] = "url"


@dataclass(frozen=True)
class Asked:
    """A form of a restricted JSON Schema, or a page to visit. `key` is the server's name for it."""

    kind: Literal["form", "url"]
    message: str
    schema: dict[str, Any] | None = None
    url: str = ""
    key: str = ""


@dataclass(frozen=True)
class Answered:
    """`accept` with the form's values, `decline` (the person said no), or `cancel` (nobody did).

    `secrets` are the values that traces mask.
    """

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class InputNeeded:
    """The call has ended without a result: the server needs these answers first.

    `state` is the server's own and goes back to it unread; without one the call is simply made
    again once the pages have been visited.
    """

    state: str
    asked: tuple[Asked, ...]


@dataclass(frozen=True)
class InputGiven:
    """The answers with which a call is made again, by the server's keys.

    `asked` is the count of questions of the call so far, in all attempts.
    """

    state: str
    answers: dict[str, Answered] = field(default_factory=dict)
    asked: int = 0

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(secret for answer in self.answers.values() for secret in answer.secrets)


CANCEL = Answered("cancel")
Asker = Callable[[Asked], Coroutine[Any, Any, Answered]]
