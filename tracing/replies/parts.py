"""What a model said, in the places of its wire message where it said it."""

from dataclasses import dataclass, field
from typing import Literal

from tracing.formatting.text import join_surrogates

Kind = Literal["content", "reasoning", "refusal", "call", "other"]


@dataclass(frozen=True)
class Said:
    """A text, or a call with its arguments as `text`.

    `path` leads to it in the wire message: `content`, `tool_calls[0]`, `content[1]` (a block).
    """

    path: str
    kind: Kind
    text: str
    name: str = ""
    id: str = ""


@dataclass
class Saying:
    """A part that is still being joined. `restarts` counts how often what it had said was void."""

    path: str
    kind: Kind
    name: str = ""
    id: str = ""
    pieces: list[str] = field(default_factory=list)
    restarts: int = 0

    @property
    def text(self) -> str:
        """All pieces; a character that was cut between two of them is whole again."""
        return join_surrogates("".join(self.pieces))

    def restart(self) -> None:
        self.pieces.clear()
        self.restarts += 1

    def said(self) -> Said:
        return Said(self.path, self.kind, self.text, self.name, self.id)


def string(value: object) -> str:
    """A text where one is expected."""
    return value if isinstance(value, str) else ""
