"""What every dialect is: pure functions between canonical messages and one kind of model.

`request` and `answer` know no I/O and no state. Only a stream parser has state, for one answer.
The shared tests in `chat/tests/llm/test_contract.py` run over every dialect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from chat.llm.dialects.problems import ParseProblem
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition, text_of

Part = Literal["content", "reasoning"]
ShownPart = Literal["content", "reasoning", "calls"]
WireMessage = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """The dialect's part of a request: `body` has messages, tools and how to choose among them.

    `notes` say in sentences what was meant and could not be expressed.
    """

    body: dict[str, Any]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text to append to a part of what is shown; of `calls` see `calls_text`.

    With `restart` everything that the part has shown so far is void first: it was shown before it
    could be known that it belongs to the other part.
    """

    part: ShownPart
    text: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something stood in the wire message.

    `path` leads to a value (`content`, `reasoning`, `tool_calls[0]`). In a text, `start` and `end`
    are the characters, counted over all deltas; they are None where the whole value is meant.
    """

    path: str
    became: Literal["content", "reasoning", "tool_call"]
    start: int | None = None
    end: int | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, in canonical form.

    `message` has text as content, never None, and all its texts can be encoded: a surrogate without
    its other half is U+FFFD. `problems` are what was malformed; what could be read of it is in the
    message all the same. `notes` say what was written in another way than it should have
    been, which is no error. `reissued` maps ids that we gave to the ids that were taken.

    `kept` is what the dialect wants to find beside the canonical keys of the message when it is
    sent back, and no other dialect sends: `{**message, **kept}` is what to store.
    """

    message: Message
    problems: list[ParseProblem] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    reissued: dict[str, str] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def errors(self) -> list[str]:
        """The sentences of the problems."""
        return [problem.text for problem in self.problems]

    @property
    def content(self) -> str:
        return text_of(self.message.get("content"))

    @property
    def tool_calls(self) -> list[ToolCall]:
        return self.message.get("tool_calls", [])


class StreamParser(Protocol):
    """Reads one answer as it arrives.

    The deltas of all `feed`s and of `finish`, applied in order, are exactly the message's content
    and `reasoning_content`; and the message is the one that `Dialect.answer` reads from the whole,
    however the text was cut.
    """

    def feed(self, delta: WireMessage) -> list[TextDelta]:
        """Takes `choices[0].delta` of a chunk, or an event of the Messages API; gives the text that
        can be shown now."""
        ...

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        """The answer, after the last text. To be called once; `feed` not any more."""
        ...


class Writing(Protocol):
    """Turns canonical messages into something else."""

    @property
    def name(self) -> str: ...

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """What to send."""
        ...


class Dialect(Writing, Protocol):
    """Turns them into what a model reads, and what it says into them."""

    def answer(self, wire_message: WireMessage) -> Answer:
        """What a whole wire message says."""
        ...

    def stream(self) -> StreamParser:
        """A parser for one streamed answer."""
        ...
