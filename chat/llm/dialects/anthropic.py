"""The Messages API of Anthropic: content blocks, a system text apart, results in the role user."""

from collections.abc import Sequence
from typing import Any

from chat.llm.dialects import unsaid
from chat.llm.dialects.anthropic_answer import AnthropicStream
from chat.llm.dialects.anthropic_request import (
    choice_of,
    system_blocks,
    wire_messages,
    wire_tools,
)
from chat.llm.dialects.contract import Answer, WireMessage, WireRequest
from chat.llm.history import Pairing
from chat.llm.messages import Message, ToolChoice, ToolDefinition


class Anthropic:
    """Keeps `thinking_blocks`: the API wants them back, signed as they came, in a tool round."""

    name = "anthropic"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """`{"system"?, "messages", "tools"?, "tool_choice"?}`."""
        paired = Pairing(messages)
        history = paired.history()
        body: dict[str, Any] = {"messages": wire_messages(history)}
        if system := system_blocks(history):
            body = {"system": system, **body}
        if functions := wire_tools(tools):
            body["tools"] = functions
        body |= choice_of(functions, tool_choice)
        return WireRequest(
            body,
            [
                *unsaid.left_out(paired.orphans),
                *unsaid.no_functions(tools),
                *unsaid.nothing_to_choose(functions, tool_choice),
            ],
        )

    def answer(self, wire_message: WireMessage) -> Answer:
        """Takes a whole message of the API."""
        stream = self.stream()
        stream.feed(wire_message)
        return stream.finish()[1]

    def stream(self) -> AnthropicStream:
        """Takes the events of a streamed message."""
        return AnthropicStream()
