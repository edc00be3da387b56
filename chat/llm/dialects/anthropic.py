"""Anthropic's Messages API: content blocks, separate system texts, results in the role user."""

from collections.abc import Sequence
from typing import Any

from chat.llm.dialects import anthropic_request as wire
from chat.llm.dialects import request_notes
from chat.llm.dialects.anthropic_answer import AnthropicStream
from chat.llm.dialects.anthropic_names import with_fit_ids
from chat.llm.dialects.contract import Answer, WireMessage, WireRequest
from chat.llm.history import Pairing
from chat.llm.messages import Message, ToolChoice, ToolDefinition


class Anthropic:
    """Keeps `thinking_blocks`, which the API requires back unchanged in a round of tools."""

    name = "anthropic"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """`{"system"?, "messages", "tools"?, "tool_choice"?}`; each call has its result."""
        paired = Pairing(messages)
        history = list(with_fit_ids(paired.history()))
        with_blocks = wire.message_blocks(history)
        body: dict[str, Any] = {"messages": wire.wire_messages(with_blocks)}
        if system := wire.system_blocks(history):
            body = {"system": system, **body}
        if offered := wire.wire_tools(tools):
            body["tools"] = offered
            if tool_choice is not None:
                body["tool_choice"] = wire.wire_choice(tool_choice)
        return WireRequest(
            body,
            [
                *request_notes.orphaned_results(paired.orphans),
                *wire.inexpressible(with_blocks, tools),
                *request_notes.provider_tools(tools),
                *request_notes.choice_without_tools(offered, tool_choice),
            ],
        )

    def answer(self, wire_message: WireMessage) -> Answer:
        """Reads a whole message of the API."""
        stream = self.stream()
        stream.feed(wire_message)
        return stream.finish()[1]

    def stream(self) -> AnthropicStream:
        """A parser of the events of a streamed message."""
        return AnthropicStream()
