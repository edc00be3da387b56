"""A tool as a value."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.values.server_config import ServerConfig
from tools.values.sources import SourcedText


@dataclass(frozen=True)
class Tool:
    """What a model can call: a local function, or a tool of an MCP server.

    `name` is what the model is offered, `tool` the server's own name for it. `parameters` is the
    JSON Schema exactly as written or listed, key order kept. Exactly one of `function` and `config`
    is set, unless the engine itself runs it (`by_engine`). An `opt_in` tool is offered only where a
    preset or a person names it; one that is `off_by_default` only after an admin switched it on.
    `tidied` makes of the arguments what the schema means, where a model wrote something near it.
    `annotations` are what a server says of its tool, without proof (MCP, "ToolAnnotations").
    `missing` answers what the deployment lacks for it, as a sentence for admins, or "".
    """

    name: str
    description: str
    parameters: dict[str, Any]
    server: str = ""
    tool: str = ""
    idempotent: bool = False
    # The policy of its calls (`allow`, `ask`, `deny`), and the hash of the approved definition.
    policy: str = "allow"
    hash: str = ""
    annotations: dict[str, Any] | None = field(default=None, compare=False)
    by_engine: bool = False
    opt_in: bool = False
    off_by_default: bool = False
    tidied: Callable[[dict[str, Any]], dict[str, Any]] = field(
        default=lambda arguments: arguments, repr=False, compare=False
    )
    missing: Callable[[], str] = field(default=lambda: "", repr=False, compare=False)
    function: Callable[..., str | SourcedText] | None = field(
        default=None, repr=False, compare=False
    )
    config: ServerConfig | None = field(default=None, repr=False, compare=False)
    # Replaces `parameters` in requests, if providers would refuse those.
    offered_schema: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as the OpenAI chat-completions API writes it, in this key order."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.offered_schema or self.parameters,
        }
        return {"type": "function", "function": function}
