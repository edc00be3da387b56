"""The values of a model call: its canonical input, and the model that serves it."""

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
    """The canonical input of a call, before any pre-processing: the stage `input`.

    `notes`: sentences about parts of the conversation that it leaves out.
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
    """A model id with its endpoint, dialect and quirks."""

    name: str
    endpoint: Endpoint
    dialect: Dialect
    quirks: Quirks = field(default_factory=Quirks)

    def parameters(self, meant: ModelInput) -> WireParameters:
        """The parameters in the form that this model takes."""
        return wire_parameters(self.endpoint.kind, self.name, meant.parameters, self.quirks)

    @property
    def identity(self) -> str:
        """The origin of what a dialect keeps in messages: `model at host`."""
        return f"{self.name} at {urlsplit(self.endpoint.base_url).netloc.rpartition('@')[2]}"

    def own(self, messages: Sequence[Message]) -> list[Message]:
        """The messages without thinking blocks of other models, whose signatures would be
        refused."""
        return [
            message if message.get("kept_by", self.identity) == self.identity else _bare(message)
            for message in messages
        ]

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that are redacted in every payload."""
        return (self.endpoint.api_key,)


def _bare(message: Message) -> Message:
    bare = message.copy()
    bare.pop("thinking_blocks", None)
    return bare
