"""The types of every dialect: pure functions between canonical messages and one kind of model.

`request` and `answer` have no I/O and no state; a stream parser has the state of one answer.
The shared tests in `chat/tests/llm/test_contract.py` run over every dialect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from chat.llm.dialects.problems import ParseProblem
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition, text_of

Part = Literal["content", "reasoning"]
ShownPart = Literal["content", "reasoning", "calls"]
WireMessage = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """The dialect's part of a request: `body` has messages, tools and tool choice.

    `notes`: sentences about parts of the input that it cannot express.
    """

    body: dict[str, Any]
    notes: list[str] = field(default_factory=list)


class TextDelta(NamedTuple):
    """Text to append to a part of the running text; for `calls` see `calls_text`.

    With `restart` the text replaces the part: what it had before turned out to belong to the other
    part.
    """

    part: ShownPart
    text: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a part of the answer was in the wire message.

    `path`: a value of the message (`content`, `reasoning`, `tool_calls[0]`). `start`, `end`:
    characters of a text, counted over all deltas; None for the whole value.
    """

    path: str
    became: Literal["content", "reasoning", "tool_call"]
    start: int | None = None
    end: int | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model in canonical form.

    `message`: its content is text, never None, and lone surrogates are replaced by U+FFFD.
    `problems`: what is malformed; readable parts of it are in the message all the same. `notes`:
    deviations that are no error. `reissued`: new ids of calls, with the duplicate ids that they
    replace.

    `kept`: keys of this dialect alone, stored with the message (`{**message, **kept}`) for when it
    is sent back.
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
        """Reads `choices[0].delta` of a chunk, or an event of the Messages API; returns the text
        that can be shown now."""
        ...

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        """The last deltas and the answer. To be called once, after the last `feed`."""
        ...


class RequestWriter(Protocol):
    """Translates canonical messages to a request."""

    @property
    def name(self) -> str: ...

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """The dialect's part of the request."""
        ...


class Dialect(RequestWriter, Protocol):
    """Translates canonical messages to a request, and wire messages to answers."""

    def answer(self, wire_message: WireMessage) -> Answer:
        """The answer that a whole wire message is."""
        ...

    def stream(self) -> StreamParser:
        """A parser for one streamed answer."""
        ...
