"""`Call`: what a request asks for, whichever of the two ways it is written."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.llm.messages import Message, ToolChoice, ToolDefinition


@dataclass(frozen=True)
class File:
    """A file or an image of the question, which is stored as an attachment."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Asked:
    """The messages of a request: `prompt` of the system, then what came `earlier`, up to the last
    answer; then what is new: results of the tools that the answer called, and the question."""

    prompt: str = ""
    earlier: Sequence[Message] = ()
    results: Sequence[Message] = ()
    text: str = ""
    files: Sequence[File] = ()


@dataclass(frozen=True)
class Call:
    """`parameters` are canonical, `passed_on` goes into the request of the model as it is. `kept`
    are fields that are stored with the call and come back with it. `previous` is the response to go
    on with. With `background` the answer comes at once, and the turn goes on."""

    model: str
    asked: Asked
    parameters: dict[str, Any] = field(default_factory=dict)
    passed_on: dict[str, Any] = field(default_factory=dict)
    tools: Sequence[ToolDefinition] = ()
    tool_choice: ToolChoice | None = None
    kept: dict[str, Any] = field(default_factory=dict)
    is_stream: bool = False
    with_usage: bool = False
    with_tools: bool = False
    is_response: bool = False
    is_stored: bool = True
    is_background: bool = False
    previous: uuid.UUID | None = None
