"""Tool calling in plain text, as in Qwen-Agent and Hermes: tools are listed in the system prompt,
calls and results are tagged text."""

from collections.abc import Sequence

from chat.llm.dialects import nous_prompt
from chat.llm.dialects.answer_texts import AnswerTexts
from chat.llm.dialects.contract import Answer, TextDelta, WireMessage, WireRequest
from chat.llm.dialects.delta_texts import DeltaTextReader
from chat.llm.dialects.nous_text import NousReader
from chat.llm.messages import Message, ToolChoice, ToolDefinition


class Nous:
    name = "nous"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """Messages of the roles system, user and assistant, with text only."""
        wire = nous_prompt.wire_messages(messages)
        functions = [tool["function"] for tool in tools if "function" in tool]
        if functions and tool_choice != "none":
            wire = nous_prompt.with_tools(wire, functions)
        return WireRequest(
            {"messages": wire}, nous_prompt.inexpressible(messages, tools, tool_choice)
        )

    def answer(self, wire_message: WireMessage) -> Answer:
        stream = self.stream()
        stream.feed(wire_message)
        return stream.finish()[1]

    def stream(self) -> "NousStream":
        return NousStream()


class NousStream:
    """Reads one answer as it arrives."""

    def __init__(self) -> None:
        texts = AnswerTexts()
        self._reader = NousReader(texts)
        self._text = DeltaTextReader(self._reader, texts, foreign=("tool_calls", "function_call"))

    def feed(self, delta: WireMessage) -> list[TextDelta]:
        return [*self._text.read(delta), *self._reader.call_texts.take()]

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        deltas = self._text.finish()
        reader = self._reader
        return deltas, self._text.answer(
            reader.calls, reader.problems, reader.origins, finish_reason, notes=reader.notes
        )
