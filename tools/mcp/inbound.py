"""What a message from a server goes through before the session has it.

- A list of tools with broken ones among them loses those, and not all: the SDK would refuse it
  whole. What was left out is told, and the frames keep the list as it came.
- Lists in an answer have a longest length: checking what is in them takes the loop's time. Content
  beyond it is put together to one text, which is what a model reads anyway; content of a kind that
  is not known becomes text too.
- A server that floods is slowed down while it is asked something, and ended when nobody asked:
  an idle session must cost nothing. Of notes that only tell how far it is the surplus is dropped,
  so that the answer behind them comes in time.
"""

import json
from typing import Any

from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.methods import parse_server_result
from pydantic import ValidationError

from limits.mcp import (
    MAX_DROPPED_RATE,
    MAX_LEFT_OUT_NOTES,
    MAX_LIST_ENTRIES,
    MAX_MESSAGE_RATE,
    MAX_NOTIFICATION_RATE,
    MAX_UNANSWERABLE,
    MAX_UNSOLICITED,
    MAX_UNSOLICITED_RATE,
)
from tools.errors import ConnectionFailed
from tools.mcp.sdk import (
    SdkError,
    SessionMessage,
    coerce_request_id,
    is_invalid_json,
    sdk_error,
)
from tools.mcp.transports.lines import UNREADABLE
from tools.mcp.transports.throttle import Throttle

LIST = "tools/list"
CANCELLED = "notifications/cancelled"
# Of these it does no harm to miss one.
NOTES_METHODS = frozenset(
    f"notifications/{name}" for name in ("progress", "message", "resources/updated")
)
LISTS = ("tools", "resources", "resourceTemplates", "prompts", "messages", "contents")
# What a block of content needs to be one, by its type: names of its texts.
BLOCKS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}


class Inbound:
    """Belongs to one session. `protocol` is the negotiated revision, as soon as there is one."""

    def __init__(self) -> None:
        self.protocol = ""
        self.left_out: list[str] = []
        self._lists: set[Any] = set()  # ids of the requests for a page
        self._open: dict[Any, int] = {}  # when each request without an answer was sent, by its id
        self._unanswerable: list[int] = []  # when what nobody answers was sent: notifications
        self._sent = 0  # messages; the clock of the two above
        self._all = Throttle(MAX_MESSAGE_RATE)
        self._notes = Throttle(MAX_NOTIFICATION_RATE)
        self._dropped = Throttle(MAX_DROPPED_RATE)
        self._unasked = Throttle(MAX_UNSOLICITED_RATE, most=MAX_UNSOLICITED)

    def asked(self, message: JSONRPCMessage) -> None:
        """A message that is sent."""
        self._sent += 1
        if isinstance(message, JSONRPCRequest):
            number = coerce_request_id(message.id)
            self._open[number] = self._sent
            if message.method == LIST:
                self._lists.add(number)
            return
        self._unanswerable = [*self._unanswerable, self._sent][-MAX_UNANSWERABLE:]
        if isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._open.pop((message.params or {}).get("requestId"), None)

    async def taken(self, item: SessionMessage, *, is_asked: bool) -> SessionMessage | None:
        """The message as the session may see it; None if it may not. Raises `ConnectionFailed`
        where it is a flood."""
        if not is_asked and not self._unasked.take(1):
            raise ConnectionFailed("sends messages without end that nobody asked for")
        if _is_note(item.message) and not self._notes.take(1):
            await self._dropped.spend(1)
            return None
        await self._all.spend(1)
        if isinstance(item.message, JSONRPCError):
            return SessionMessage(self._of_somebody(item.message), item.metadata)
        if not isinstance(item.message, JSONRPCResponse):
            return item
        message, cut = _bounded(item.message)
        self._note(cut)
        number = coerce_request_id(message.id)
        self._settle(number)
        if number in self._lists:
            self._lists.discard(number)
            message = self._usable(message)
        return SessionMessage(message, item.metadata)

    def _of_somebody(self, message: JSONRPCError) -> JSONRPCError:
        """An error without an id answers a request that could not be read: whose, is only clear if
        there is one (JSON-RPC 2.0, 5). Some servers answer notifications with such an error: it
        belongs to nobody while one may explain it."""
        message = message.model_copy(update={"error": _in_words(message.error)})
        if message.id is not None:
            self._settle(coerce_request_id(message.id))
        elif self._unanswerable:
            self._unanswerable.pop(0)
        elif len(self._open) == 1:
            return message.model_copy(update={"id": self._open.popitem()[0]})
        return message

    def _settle(self, number: Any) -> None:
        """A request has its answer. A server that reads one message after the other has read what
        was sent before, and complained of it or not."""
        sent = self._open.pop(number, None)
        if sent is not None:
            self._unanswerable = [other for other in self._unanswerable if other > sent]

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
        self.left_out = list(dict.fromkeys([*self.left_out, *notes]))[:MAX_LEFT_OUT_NOTES]


def _in_words(error: ErrorData) -> ErrorData:
    """What the SDK says of an answer over HTTP that it could not read, without its dump of it."""
    if sdk_error(error.code, error.message) is not SdkError.UNPARSED:
        return error
    is_json = not is_invalid_json(error.message)
    why = "it is not a JSON-RPC message" if is_json else "it is not valid JSON"
    return ErrorData(code=UNREADABLE, message=why)


def _is_note(message: JSONRPCMessage) -> bool:
    return isinstance(message, JSONRPCNotification) and message.method in NOTES_METHODS


def _bounded(message: JSONRPCResponse) -> tuple[JSONRPCResponse, list[str]]:
    """The answer with lists of a length that can be checked, and with content that is known; and
    what was cut, as sentences."""
    changed: dict[str, Any] = {}
    cut = []
    for name in LISTS:
        value = message.result.get(name)
        if isinstance(value, list) and len(value) > MAX_LIST_ENTRIES:
            changed[name] = value[:MAX_LIST_ENTRIES]
            cut.append(
                f"of {len(value):,} {name} in one answer the first {MAX_LIST_ENTRIES:,} count"
            )
    content = message.result.get("content")
    if isinstance(content, list) and (
        len(content) > MAX_LIST_ENTRIES or not all(map(_fits, content))
    ):
        changed["content"] = _readable(content)
    if not changed:
        return message, cut
    return message.model_copy(update={"result": message.result | changed}), cut


def _fits(block: Any) -> bool:
    """Whether this is a block of content, as far as it matters to whoever reads it."""
    match block:
        case {"type": "resource", "resource": {"uri": str(), "text": str()}}:
            return True
        case {"type": "resource", "resource": {"uri": str(), "blob": str()}}:
            return True
        case {"type": str(kind)} if kind in BLOCKS:
            return all(isinstance(block.get(name), str) for name in BLOCKS[kind])
    return not isinstance(block, dict)  # the session says so


def _readable(content: list[Any]) -> list[Any]:
    kept = [one if _fits(one) else _text(_line(one)) for one in content[: MAX_LIST_ENTRIES - 1]]
    rest = content[MAX_LIST_ENTRIES - 1 :]
    return [*kept, _text("\n".join(map(_line, rest)))] if rest else kept


def _line(block: Any) -> str:
    is_text = isinstance(block, dict) and isinstance(block.get("text"), str)
    return block["text"] if is_text else json.dumps(block, ensure_ascii=False)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


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
