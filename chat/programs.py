"""What a program sends with a message over the API, beside its text (`api.openai`).

A program talks to an assistant, whose tools run here; or to a plain model, which is sent what the
program sent and nothing else: its system prompt, its messages, its tools. The calls of those tools
end the turn, since the program runs them; their results come with its next message.

`Conversation.program` keeps `{"plain": bool, "tools": [definitions], "tool_choice": …,
"parameters": {…}}` of the last message.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.messages import Message, ToolChoice, ToolDefinition
from chat.models import Conversation


@dataclass(frozen=True)
class Program:
    """Of a message that begins a conversation: the public id that this is to have, the system
    prompt of a plain model or the instructions for an assistant, and the messages that came before.
    Of one that goes on: `after`, the turn (public id) that the conversation has to end with.

    `parameters` are canonical (`chat.llm.parameters.NAMES`); `passed_on` those that go into the
    request's body as they are. `results` are the tool messages that answer the last calls.
    """

    conversation_id: uuid.UUID = field(default_factory=uuid.uuid4)
    after: uuid.UUID | None = None
    is_plain: bool = True
    prompt: str = ""
    earlier: Sequence[Message] = ()
    results: Sequence[Message] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    passed_on: dict[str, Any] = field(default_factory=dict)
    tools: Sequence[ToolDefinition] = ()
    tool_choice: ToolChoice | None = None

    def described(self) -> dict[str, Any]:
        """The value of `Conversation.program`."""
        return {
            "plain": self.is_plain,
            "tools": list(self.tools),
            "tool_choice": self.tool_choice,
            "parameters": self.passed_on,
        }

    def columns(self) -> dict[str, Any]:
        """Columns of a conversation that begins with it."""
        return {
            "public_id": self.conversation_id,
            "is_of_program": True,
            "program": self.described(),
            "parameters": self.parameters,
            "instructions": "" if self.is_plain else self.prompt,
        }


def is_plain(conversation: Conversation) -> bool:
    """Whether a request has nothing but what the program sent."""
    return bool(_stored(conversation).get("plain"))


def tools(conversation: Conversation) -> list[ToolDefinition]:
    """The tools that the program itself runs."""
    return list(_stored(conversation).get("tools") or ())


def tool_choice(conversation: Conversation) -> ToolChoice | None:
    return _stored(conversation).get("tool_choice")


def parameters(conversation: Conversation) -> dict[str, Any]:
    """Those that go into the body of a request as they are."""
    return dict(_stored(conversation).get("parameters") or {})


def _stored(conversation: Conversation) -> dict[str, Any]:
    return conversation.program if isinstance(conversation.program, dict) else {}
