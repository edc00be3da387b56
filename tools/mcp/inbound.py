"""Checks, repairs and limits of a server's messages, before the SDK's session receives them.

- Broken tools are removed from a list of tools: the SDK would refuse the whole list. A note says
  which; the recorded frames keep the list as it came.
- Lists in an answer have a maximum length, because checking their entries takes the loop's time.
  Content blocks beyond it are joined into one text, and blocks of an unknown type become text.
- A flood is slowed down while a request is open, and ends the session otherwise: an idle session
  must cost nothing. Surplus progress and log notifications are dropped, so that the answer behind
  them arrives in time.
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

from languages.stored import stored
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
# Notifications that may be dropped.
NOTES_METHODS = frozenset(
    f"notifications/{name}" for name in ("progress", "message", "resources/updated")
)
LISTS = ("tools", "resources", "resourceTemplates", "prompts", "messages", "contents")
# Required text members of a content block, by its type.
BLOCKS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}


class Inbound:
    """The filter of one session. `protocol` is the negotiated revision; empty until then."""

    def __init__(self) -> None:
        self.protocol = ""
        self.left_out: list[str] = []
        self._lists: set[Any] = set()  # ids of the requests for a page
        self._open: dict[Any, int] = {}  # position of each unanswered request, by its id
        self._unanswerable: list[int] = []  # positions of sent notifications
        self._sent = 0  # count of sent messages: the position of the last one
        self._all = Throttle(MAX_MESSAGE_RATE)
        self._notes = Throttle(MAX_NOTIFICATION_RATE)
        self._dropped = Throttle(MAX_DROPPED_RATE)
        self._unasked = Throttle(MAX_UNSOLICITED_RATE, most=MAX_UNSOLICITED)

    def asked(self, message: JSONRPCMessage) -> None:
        """Notes a message that is being sent."""
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
        """The message for the session, repaired; None if it is dropped. Raises `ConnectionFailed`
        for a flood that nobody asked for."""
        if not is_asked and not self._unasked.take(1):
            raise ConnectionFailed(stored("sends messages without end that nobody asked for"))
        if _is_note(item.message) and not self._notes.take(1):
            await self._dropped.spend(1)
            return None
        await self._all.spend(1)
        if isinstance(item.message, JSONRPCError):
            return SessionMessage(self._of_somebody(item.message), item.metadata)
        if not isinstance(item.message, JSONRPCResponse):
            return item
        message, notes = _bounded(item.message)
        self._note(notes)
        number = coerce_request_id(message.id)
        self._settle(number)
        if number in self._lists:
            self._lists.discard(number)
            message = self._usable(message)
        return SessionMessage(message, item.metadata)

    def _of_somebody(self, message: JSONRPCError) -> JSONRPCError:
        """Gives an error without an id the id of the request that it must answer.

        Such an error answers a request that the server could not read (JSON-RPC 2.0, 5): which one
        is clear only if a single request is open. Some servers answer notifications with such an
        error, so while a notification may explain it, it gets no id."""
        message = message.model_copy(update={"error": _in_words(message.error)})
        if message.id is not None:
            self._settle(coerce_request_id(message.id))
        elif self._unanswerable:
            self._unanswerable.pop(0)
        elif len(self._open) == 1:
            return message.model_copy(update={"id": self._open.popitem()[0]})
        return message

    def _settle(self, number: Any) -> None:
        """Closes a request that is answered. The server has then read all that was sent before it,
        so that no notification before it is still going to be answered by an error."""
        position = self._open.pop(number, None)
        if position is not None:
            self._unanswerable = [other for other in self._unanswerable if other > position]

    def _usable(self, message: JSONRPCResponse) -> JSONRPCResponse:
        tools = message.result.get("tools")
        if not isinstance(tools, list) or not (first := _problem(message.result, self.protocol)):
            return message
        problems = [_problem({**message.result, "tools": [tool]}, self.protocol) for tool in tools]
        valid = [tool for tool, problem in zip(tools, problems, strict=True) if not problem]
        if not valid and tools and _problem({**message.result, "tools": []}, self.protocol):
            self._note([first])  # it is not the tools
            return message
        notes = [
            stored("the tool %(tool)s was left out: %(problem)s", tool=_name(tool), problem=problem)
            for tool, problem in zip(tools, problems, strict=True)
            if problem
        ]
        self._note(notes)
        return message.model_copy(update={"result": {**message.result, "tools": valid}})

    def _note(self, notes: list[str]) -> None:
        self.left_out = list(dict.fromkeys([*self.left_out, *notes]))[:MAX_LEFT_OUT_NOTES]


def _in_words(error: ErrorData) -> ErrorData:
    """The SDK's error for an answer over HTTP that is not JSON-RPC, without its dump of it."""
    if sdk_error(error.code, error.message) is not SdkError.UNPARSED:
        return error
    is_json = not is_invalid_json(error.message)
    why = stored("it is not a JSON-RPC message") if is_json else stored("it is not valid JSON")
    return ErrorData(code=UNREADABLE, message=why)


def _is_note(message: JSONRPCMessage) -> bool:
    return isinstance(message, JSONRPCNotification) and message.method in NOTES_METHODS


def _bounded(message: JSONRPCResponse) -> tuple[JSONRPCResponse, list[str]]:
    """The answer with lists of bounded length and content of known types; sentences about what was
    cut."""
    changed: dict[str, Any] = {}
    notes = []
    for name in LISTS:
        value = message.result.get(name)
        if isinstance(value, list) and len(value) > MAX_LIST_ENTRIES:
            changed[name] = value[:MAX_LIST_ENTRIES]
            notes.append(
                stored(
                    "of %(count)s %(name)s in one answer the first %(most)s count",
                    count=f"{len(value):,}",
                    name=name,
                    most=f"{MAX_LIST_ENTRIES:,}",
                )
            )
    content = message.result.get("content")
    if isinstance(content, list) and (
        len(content) > MAX_LIST_ENTRIES or not all(map(_fits, content))
    ):
        changed["content"] = _readable(content)
    if not changed:
        return message, notes
    return message.model_copy(update={"result": message.result | changed}), notes


def _fits(block: Any) -> bool:
    """Whether this block has the members that its type requires."""
    match block:
        case {"type": "resource", "resource": {"uri": str(), "text": str()}}:
            return True
        case {"type": "resource", "resource": {"uri": str(), "blob": str()}}:
            return True
        case {"type": str(kind)} if kind in BLOCKS:
            return all(isinstance(block.get(name), str) for name in BLOCKS[kind])
    return not isinstance(block, dict)  # the session refuses it with an error


def _readable(content: list[Any]) -> list[Any]:
    blocks = [one if _fits(one) else _text(_line(one)) for one in content[: MAX_LIST_ENTRIES - 1]]
    rest = content[MAX_LIST_ENTRIES - 1 :]
    return [*blocks, _text("\n".join(map(_line, rest)))] if rest else blocks


def _line(block: Any) -> str:
    is_text = isinstance(block, dict) and isinstance(block.get("text"), str)
    return block["text"] if is_text else json.dumps(block, ensure_ascii=False)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _problem(result: dict[str, Any], protocol: str) -> str:
    """Why the SDK would refuse this list of tools; empty if it would not."""
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
    return repr(name)[:100] if isinstance(name, str) else stored("without a name")
