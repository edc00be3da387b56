"""What a model call is made of: what is meant, and who is asked in which dialect."""

from dataclasses import dataclass, field
from typing import Any

from chat.llm.clients import Endpoint
from chat.llm.dialects.contract import Dialect
from chat.llm.messages import Message, ToolChoice, ToolDefinition


@dataclass(frozen=True)
class ModelInput:
    """What the application means, before any pre-processing: the stage `input`.

    `notes` say in sentences what of the conversation is not in it.
    """

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    tool_choice: ToolChoice | None = None
    notes: list[str] = field(default_factory=list)

    def described(self) -> dict[str, Any]:
        """The JSON value of the stage."""
        value: dict[str, Any] = {
            "messages": self.messages,
            "tools": self.tools,
            "parameters": self.parameters,
        }
        if self.tool_choice is not None:
            value["tool_choice"] = self.tool_choice
        return value


@dataclass(frozen=True)
class ServedModel:
    """A model id, where it is served, and the dialect to speak with it."""

    name: str
    endpoint: Endpoint
    dialect: Dialect

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no payload may hold."""
        return (self.endpoint.api_key,)
