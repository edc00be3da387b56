"""The prompt text that a model finally reads, for display: of Qwen2.5 or of another template.

Model servers render it from the messages and tools of a request.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chat.llm.chat_template import rendered
from chat.llm.dialects import request_notes
from chat.llm.dialects.contract import WireRequest
from chat.llm.json_text import parse_json
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition
from chat.llm.parts import as_text
from chat.llm.template_process import render_in_process

QWEN2_5 = (Path(__file__).parent / "qwen2_5.jinja").read_text(encoding="utf-8")
_READ = ("role", "name", "reasoning_content", "tool_call_id")


class ChatML:
    name = "chatml"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """`{"prompt"}`. Raises BadTemplate if there are no messages."""
        offered = [tool for tool in tools if "function" in tool and tool_choice != "none"]
        return WireRequest(
            {"prompt": render(messages, offered)},
            [
                *request_notes.unsent_parts(messages),
                *request_notes.provider_tools(tools),
                *request_notes.unenforced_choice(tool_choice),
            ],
        )


def render(
    messages: Sequence[Message],
    tools: Sequence[ToolDefinition] = (),
    template: str = QWEN2_5,
    tokens: Mapping[str, str] | None = None,
) -> str:
    """The prompt for the model's next message, as a chat template writes it. Raises BadTemplate.

    `tokens` are the special tokens that a template asks for by name (`bos_token`, `eos_token`).
    Any template but Qwen2.5's is rendered in a process of its own, which may take seconds.
    """
    variables = {
        "bos_token": "",
        "eos_token": "",
        **(tokens or {}),
        "messages": [_template_message(message) for message in messages],
        "tools": list(tools) or None,
        "add_generation_prompt": True,
    }
    return (rendered if template == QWEN2_5 else render_in_process)(template, variables)


def _template_message(message: Message) -> dict[str, Any]:
    """The message for templates: content as text, arguments as values."""
    readable: dict[str, Any] = {key: value for key, value in message.items() if key in _READ}
    readable["content"] = as_text(message.get("content"))
    if calls := message.get("tool_calls"):
        readable["tool_calls"] = [_template_call(call) for call in calls]
    return readable


def _template_call(call: ToolCall) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = parse_json(function["arguments"])
    except ValueError:
        arguments = function["arguments"]
    return {**call, "function": {"name": function["name"], "arguments": arguments}}
