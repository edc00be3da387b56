"""Tool calling of OpenAI's chat completions and of compatible servers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from chat.llm.dialects import request_notes
from chat.llm.dialects.answer_texts import AnswerTexts
from chat.llm.dialects.contract import Answer, TextDelta, WireMessage, WireRequest
from chat.llm.dialects.delta_texts import DeltaTextReader
from chat.llm.dialects.native_calls import NativeCalls
from chat.llm.dialects.result_images import images_apart
from chat.llm.dialects.think_tags import ThinkTagReader
from chat.llm.history import Pairing
from chat.llm.messages import ContentPart, Message, ToolCall, ToolChoice, ToolDefinition, tool_call
from chat.llm.parts import text_of_part

_SENT = ("role", "content", "name", "tool_calls", "tool_call_id")
ReturnsReasoning = Literal["never", "tool_rounds", "always"]


@dataclass(frozen=True, slots=True)
class Native:
    """`returns_reasoning`: which messages are sent back with `reasoning_content`. DeepSeek requires
    it for those that called tools, others for all."""

    returns_reasoning: ReturnsReasoning = "never"
    name: ClassVar[str] = "native"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """The messages without the product's own keys, each call with its result."""
        paired = Pairing(messages)
        history = images_apart(paired.history())
        body: dict[str, Any] = {"messages": [self._wire(message) for message in history]}
        if tools:
            body["tools"] = list(tools)
            if tool_choice is not None:
                body["tool_choice"] = tool_choice
        return WireRequest(
            body,
            [
                *request_notes.orphaned_results(paired.orphans),
                *request_notes.choice_without_tools(tools, tool_choice),
            ],
        )

    def answer(self, wire_message: WireMessage) -> Answer:
        stream = self.stream()
        stream.feed(wire_message)
        return stream.finish()[1]

    def stream(self) -> "NativeStream":
        return NativeStream()

    def _wire(self, message: Message) -> dict[str, Any]:
        wire: dict[str, Any] = {key: value for key, value in message.items() if key in _SENT}
        calls = wire.pop("tool_calls", None)
        if isinstance(content := wire.get("content"), list):
            wire["content"] = [_wire_part(part) for part in content]
        if self._returns_reasoning_of(message):
            wire["reasoning_content"] = message.get("reasoning_content", "")
        if calls:
            wire["tool_calls"] = [_wire_call(call) for call in calls]
        return wire

    def _returns_reasoning_of(self, message: Message) -> bool:
        """Whether the key is sent with a message; with calls even if there is no reasoning."""
        if message["role"] != "assistant" or self.returns_reasoning == "never":
            return False
        if message.get("tool_calls"):
            return True
        return self.returns_reasoning == "always" and bool(message.get("reasoning_content"))


def _wire_part(part: ContentPart) -> ContentPart:
    """The part; a text file as text, since most servers accept only PDF as files, if any."""
    text = text_of_part(part) if part.get("type") == "file" else None
    return part if text is None else {"type": "text", "text": text}


def _wire_call(call: ToolCall) -> ToolCall:
    """The call without additional keys of a provider's answer or an import."""
    return tool_call(call["id"], call["function"]["name"], call["function"]["arguments"])


class NativeStream:
    """Reads one answer as it arrives."""

    def __init__(self) -> None:
        texts = AnswerTexts()
        self._text = DeltaTextReader(ThinkTagReader(texts), texts, foreign=("function_call",))
        self._calls = NativeCalls()

    def feed(self, delta: WireMessage) -> list[TextDelta]:
        if "tool_calls" in delta:
            self._calls.feed(delta["tool_calls"])
            return [*self._text.read(delta), *self._calls.text.take()]
        return self._text.read(delta)

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        deltas = self._text.finish()
        merged = self._calls.finish()
        return deltas, self._text.answer(
            merged.calls,
            merged.problems,
            merged.origins,
            finish_reason,
            merged.reissued,
            merged.notes,
        )
