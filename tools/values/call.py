"""The values of one tool call: what it is given, and what it gives back."""

import json
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict

from django.conf import settings

from db.fields import dump_json
from limits.tools import MAX_SHOWN_RESULT
from tools.errors import Failure
from tools.results.content import decoded
from tools.values.folders import Folder
from tools.values.questions import Asker, InputGiven, InputNeeded
from tools.values.sources import SourcedText
from tools.values.timing import CallTiming
from tracing.models.attributes import CallAttributes

# The last sentence of a result that is `unknown`.
NOT_KNOWN = "Whether it took effect is not known: check before doing it again."


class Frame(TypedDict):
    """A JSON-RPC message of a session; a `note` counts messages that were not kept. `at` is in
    seconds since the epoch."""

    direction: Literal["sent", "received", "note"]
    at: float
    message: dict[str, Any]


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


async def _nothing() -> None:
    """The default `before_send`: does nothing."""


def _no_earlier(handle: str) -> str | None:
    """The default `earlier`: there are no earlier results."""
    return None


@dataclass(frozen=True)
class CallContext:
    """Where and for whom a tool runs, and how long it may take.

    `before_send` is awaited once, just before the call leaves (for MCP, when the session is open);
    if it raises, nothing is sent. `frames` and `stderr` are filled as the call goes: frames are
    `{"direction": "sent" | "received", "at": seconds since the epoch, "message": {…}}`. `earlier`
    gives the whole text of an earlier result of the conversation by its handle, or None.
    """

    workspace: Path
    timezone: str = "UTC"
    call_id: str = ""
    deadline_s: float = 60.0
    before_send: Callable[[], Awaitable[None]] = _nothing
    earlier: Callable[[str], str | None] = _no_earlier
    frames: list[Frame] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    timing: CallTiming = field(default_factory=CallTiming)
    # `ask` puts a server's question to a person; `caller` is for whom the call is made, since one
    # session serves many. With `keeps_questions` a question of a server of 2026 ends the call with
    # `ToolResult.needs`; it is made again with `given`.
    ask: Asker | None = None
    caller: str = ""
    keeps_questions: bool = False
    given: InputGiven | None = None
    # W3C Trace Context: the parent of the server's spans is the call's exported span.
    traceparent: str = ""
    # Folders that the workspace's tools see beside the workspace.
    folders: Sequence[Folder] = ()
    # Set when the call is over or given up; a slow local tool has to check it.
    cancelled: threading.Event = field(default_factory=threading.Event)
    # Attributes for the call's span, filled by a local tool.
    facts: CallAttributes = field(default_factory=CallAttributes)
    # Called with done, total and message: on the loop, or by a local tool from its thread.
    progress: Callable[[float, float | None, str], None] | None = None


@dataclass(frozen=True)
class ToolResult:
    """The whole result of a tool, and the part of it that the model is shown.

    `content` holds blocks as MCP writes them (`{"type": "text", "text": …}`). `unknown` means that
    the call was sent, but not whether the tool ran is known. `failure` is set if the server could
    not be used. `sourced` is the text before its sources were numbered, if it has any.
    """

    content: list[dict[str, Any]]
    structured: Any = None
    is_error: bool = False
    unknown: bool = False
    needs: InputNeeded | None = None
    failure: Failure | None = None
    sourced: SourcedText | None = None

    @classmethod
    def of_text(cls, text: str | SourcedText) -> "ToolResult":
        sourced = text if isinstance(text, SourcedText) else None
        return cls([text_block(str(text))], sourced=sourced)

    @classmethod
    def error(cls, text: str, failure: Failure | None = None) -> "ToolResult":
        return cls([text_block(text)], is_error=True, failure=failure)

    @classmethod
    def not_known(cls, why: str) -> "ToolResult":
        """The result of a call that was sent and may have run; `why` is a sentence."""
        return replace(cls.error(f"{why} {NOT_KNOWN}"), unknown=True)

    def numbered(self, numbers: Sequence[int]) -> "ToolResult":
        """The same with these numbers of its sources. What was added to it stays."""
        if self.sourced is None:
            return self
        text = text_block(self.sourced.numbered(numbers))
        return replace(self, content=[text, *self.content[1:]])

    @cached_property
    def text(self) -> str:
        """The result as text, uncut."""
        if self.content:
            return "\n".join(_readable(block) for block in self.content)
        return "(no output)" if self.structured is None else dump_json(self.structured)

    @property
    def is_cut(self) -> bool:
        """Whether the model is shown only a part of `text`."""
        return len(self.text) > _cap()

    @cached_property
    def shown(self) -> str:
        """`text`, cut in the middle where it is longer than `TOOL_RESULT_CHARACTERS`."""
        return _capped(self.text, _cap())

    def shown_as(self, handle: str) -> str:
        """The same, with a note of how `read_result` reads what was cut."""
        return _capped(self.text, _cap(), handle)


def _cap() -> int:
    return int(getattr(settings, "TOOL_RESULT_CHARACTERS", MAX_SHOWN_RESULT))


def _capped(text: str, cap: int, handle: str = "") -> str:
    """At most `cap` characters: the beginning, a note of what was cut, and the end."""
    if len(text) <= cap:
        return text
    room = max(cap - len(_note(text, cap, len(text), handle)), 0)
    tail = room // 5
    head = room - tail
    return text[:head] + _note(text, cap, head, handle) + text[len(text) - tail :]


def _note(text: str, cap: int, head: int, handle: str) -> str:
    how = f'; read_result with call="{handle}" and offset={head} reads on' if handle else ""
    whole = f"{len(text):,} characters in all"
    return f"\n\n[… {whole}; the middle was cut to fit {cap:,}{how} …]\n\n"


def _readable(block: dict[str, Any]) -> str:
    """One content block as text; what is not text is named by kind, type and size."""
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "audio" as kind, "data": str(encoded)}:
            return f"[{kind}, {block.get('mimeType', 'unknown type')}, {_size(encoded)}]"
        case {"type": "resource", "resource": {"text": str(text), "uri": uri}}:
            return f"[resource {uri}]\n{text}"
        case {"type": "resource", "resource": {"blob": str(encoded), "uri": uri}}:
            return f"[resource {uri}, {_size(encoded)}]"
        case {"type": "resource_link", "uri": uri}:
            about = block.get("description") or block.get("title") or block.get("name") or ""
            return f"[link {uri}] {about}".rstrip()
    return json.dumps(block, ensure_ascii=False)


def _size(encoded: str) -> str:
    content = decoded(encoded)
    return "broken base64, nothing can be shown" if content is None else f"{len(content):,} bytes"
