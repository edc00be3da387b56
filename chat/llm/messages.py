"""Canonical messages: those of OpenAI's chat completions, with additional keys.

An assistant message may have `reasoning_content` and `refusal`; a tool message `is_error`, and
`is_cut` if the model gets a truncated result. Dialects translate them to the wire and back. Keys
that a dialect adds for itself (`Answer.kept`) are sent by no other dialect.
"""

from collections.abc import Sequence
from typing import Any, Literal, Required, TypedDict

# The name of a call without one: providers refuse an empty name in the history.
UNNAMED = "unnamed_tool"
NO_NAME = "A tool call has no name; it is answered as one of a tool that does not exist."

Role = Literal["system", "user", "assistant", "tool"]
ContentPart = dict[str, Any]  # `{"type": "text", "text": …}`, `{"type": "image_url", …}`, …
ToolDefinition = dict[str, Any]  # `{"type": "function", "function": {"name", …}}`
ToolChoice = str | dict[str, Any]  # auto, none, required, or `{"type": "function", …}`


class FunctionCall(TypedDict):
    """`arguments` is JSON text, exactly as the model wrote it."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    id: str
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict, total=False):
    """One entry of a conversation. Which keys it has depends on the role."""

    role: Required[Role]
    content: str | list[ContentPart] | None
    name: str
    reasoning_content: str
    refusal: str
    tool_calls: list[ToolCall]
    tool_call_id: str
    is_error: bool
    is_cut: bool
    is_note: bool  # of a user message that was put into a running turn
    reminder: str  # text that the product appends to the content
    sources: list[dict[str, Any]]  # of a result: `{"number", "title", "url"}` of what it quotes
    # Texts that the product appends to a system prompt (`chat.agent.system_prompt`).
    skills: str
    custom_instructions: str
    instructions: str
    memory: str
    thinking_blocks: list[dict[str, Any]]  # kept by the dialect anthropic
    kept_by: str  # identity of the model that the dialect's own keys came from


def text_of(content: str | list[ContentPart] | None) -> str:
    """The text of a content: its text parts without a separator."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content or ""


def cited_sources(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The sources that the answer to the last question may cite: those of the results since."""
    sources: list[dict[str, Any]] = []
    for message in reversed(messages):
        if message["role"] == "user" and not message.get("is_note"):
            break
        sources = [*(message.get("sources") or ()), *sources]
    return sources


def assistant_message(
    content: str, reasoning: str = "", refusal: str = "", calls: Sequence[ToolCall] = ()
) -> Message:
    """An assistant message; empty values other than the content are omitted."""
    message: Message = {"role": "assistant", "content": content}
    if reasoning:
        message["reasoning_content"] = reasoning
    if refusal:
        message["refusal"] = refusal
    if calls:
        message["tool_calls"] = list(calls)
    return message


def tool_call(call_id: str, name: str, arguments: str) -> ToolCall:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
