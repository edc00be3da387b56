"""What a message from a server goes through before the session has it.

- A list of tools with broken ones among them loses those, and not all: the SDK would refuse it
  whole. What was left out is told, and the frames keep the list as it came.
- A server that floods is slowed down while it is asked something, and ended when nobody asked:
  an idle session must cost nothing.
"""

from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest, JSONRPCResponse
from mcp_types.methods import parse_server_result
from pydantic import ValidationError

from tools.errors import ConnectionFailed
from tools.mcp.throttle import Throttle

MESSAGES_PER_SECOND = 2_000
UNASKED = 1_000  # messages at once that no call waits for, and how many more come back a second
UNASKED_PER_SECOND = 20
LIST = "tools/list"
NOTES = 20  # tools that were left out are named up to this many


class Inbound:
    """Belongs to one session. `protocol` is the negotiated revision, as soon as there is one."""

    def __init__(self) -> None:
        self.protocol = ""
        self.left_out: list[str] = []
        self._lists: set[Any] = set()  # ids of the requests for a page
        self._all = Throttle(MESSAGES_PER_SECOND)
        self._unasked = Throttle(UNASKED_PER_SECOND, most=UNASKED)

    def asked(self, message: JSONRPCMessage) -> None:
        """A request that is sent."""
        if isinstance(message, JSONRPCRequest) and message.method == LIST:
            self._lists.add(message.id)

    async def taken(self, item: SessionMessage, *, is_asked: bool) -> SessionMessage:
        """The message as the session may see it. Raises `ConnectionFailed` where it is a flood."""
        await self._all.spend(1)
        if not is_asked and not self._unasked.take(1):
            raise ConnectionFailed("sends messages without end that nobody asked for")
        message = item.message
        if isinstance(message, JSONRPCResponse) and message.id in self._lists:
            self._lists.discard(message.id)
            return SessionMessage(self._usable(message), item.metadata)
        return item

    def _usable(self, message: JSONRPCResponse) -> JSONRPCResponse:
        tools = message.result.get("tools")
        if not isinstance(tools, list) or not (first := _problem(message.result, self.protocol)):
            return message
        problems = [_problem({**message.result, "tools": [tool]}, self.protocol) for tool in tools]
        kept = [tool for tool, problem in zip(tools, problems, strict=True) if not problem]
        if not kept and tools and _problem({**message.result, "tools": []}, self.protocol):
            self._note([first])  # it is not the tools
            return message
        named = [
            f"the tool {_name(tool)} was left out: {problem}"
            for tool, problem in zip(tools, problems, strict=True)
            if problem
        ]
        self._note(named)
        return message.model_copy(update={"result": {**message.result, "tools": kept}})

    def _note(self, notes: list[str]) -> None:
        self.left_out = [*self.left_out, *notes][:NOTES]


def _problem(result: dict[str, Any], protocol: str) -> str:
    """What the SDK would refuse it for; empty if nothing."""
    try:
        parse_server_result(LIST, protocol, result)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("tools", 0))
        return f"{where}: {first['msg']}"[:300]
    except (KeyError, ValueError, RecursionError):
        return ""  # a revision that is not known here; the session judges
    return ""


def _name(tool: Any) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return repr(name)[:100] if isinstance(name, str) else "without a name"
