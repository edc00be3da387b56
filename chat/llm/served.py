"""What a model call is made of: what is meant, and who is asked in which dialect."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from chat.llm.dialects.contract import Dialect
from chat.llm.endpoint import Endpoint
from chat.llm.messages import Message, ToolChoice, ToolDefinition
from chat.llm.parameters import Quirks, WireParameters, wire_parameters


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
    quirks: Quirks = field(default_factory=Quirks)

    def parameters(self, meant: ModelInput) -> WireParameters:
        """What is meant by the parameters, as this model takes it."""
        return wire_parameters(self.endpoint.kind, self.name, meant.parameters, self.quirks)

    @property
    def identity(self) -> str:
        """Who answers, as far as it matters to what a dialect keeps: `model at host`."""
        return f"{self.name} at {urlsplit(self.endpoint.base_url).netloc.rpartition('@')[2]}"

    def own(self, messages: Sequence[Message]) -> list[Message]:
        """The messages without what was kept of another model's: its signature would be refused."""
        return [
            message if message.get("kept_by", self.identity) == self.identity else _bare(message)
            for message in messages
        ]

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no payload may hold."""
        return (self.endpoint.api_key,)


def _bare(message: Message) -> Message:
    bare = message.copy()
    bare.pop("thinking_blocks", None)
    return bare
