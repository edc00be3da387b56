"""What differs between two model calls, of one trace or of two."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from api.mcp_server.reading import ROUND, TRACE_ID, find_round, find_trace
from api.mcp_server.texts import cut, text_of
from api.mcp_server.tool import Arguments, Caller, Result, ServerTool, ToolError
from api.mcp_server.tools.rounds import attempt_of
from db.fields import dump_json
from limits.mcp_server import MAX_MCP_ENTRIES
from limits.trace_pages import MAX_CHANGED_MESSAGES, MAX_READ_STAGE_BYTES
from tracing.diff.myers import hunks
from tracing.diff.text_diff import TextChange, diff_texts
from tracing.models import Payload, Span
from tracing.store import payloads

_MARKS = {"same": "", "removed": "[-", "added": "{+"}
_ENDS = {"same": "", "removed": "-]", "added": "+}"}


class CompareArguments(Arguments):
    trace: UUID = TRACE_ID
    round: int = ROUND
    attempt: int | None = Field(default=None, ge=1)
    other_trace: UUID | None = Field(default=None, description="By default the same trace.")
    other_round: int | None = Field(
        default=None,
        ge=1,
        description="By default the round before; in another trace the same number.",
    )
    other_attempt: int | None = Field(default=None, ge=1)


class Change(BaseModel):
    what: str = Field(description="removed, added or changed; from the other to this one.")
    position: int = Field(description="From 1, in the list where it stands.")
    role: str
    text: str = Field(description="Of a changed message: [-removed-] and {+added+}.")


class Difference(BaseModel):
    name: str
    other: str | None = None
    this: str | None = None


class CompareResult(Result):
    is_same: bool
    same_messages: int
    messages: list[Change]
    tools_added: list[str]
    tools_removed: list[str]
    tools_changed: list[str]
    parameters: list[Difference]
    answer: str | None = Field(default=None, description="[-the other's-] and {+this one's+}.")
    answer_is_same: bool


@dataclass(frozen=True)
class ModelCall:
    """What a model call was given, and its answer."""

    messages: list[Any] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    answer: str = ""


def _compare(caller: Caller, arguments: CompareArguments) -> CompareResult:
    this = _read(caller, arguments.trace, arguments.round, arguments.attempt)
    number = arguments.other_round or _default_round(arguments)
    other = _read(caller, arguments.other_trace or arguments.trace, number, arguments.other_attempt)
    same, changes = _messages(other.messages, this.messages)
    shared = this.tools.keys() & other.tools.keys()
    parameters = _parameters(other.parameters, this.parameters)
    result = CompareResult(
        is_same=False,
        same_messages=same,
        messages=changes[:MAX_MCP_ENTRIES],
        tools_added=sorted(this.tools.keys() - other.tools.keys()),
        tools_removed=sorted(other.tools.keys() - this.tools.keys()),
        tools_changed=sorted(name for name in shared if this.tools[name] != other.tools[name]),
        parameters=parameters,
        answer=None if this.answer == other.answer else _text_change(other.answer, this.answer),
        answer_is_same=this.answer == other.answer,
        note=f"{len(changes)} changes in all; read_stage with stage input has all messages."
        if len(changes) > MAX_MCP_ENTRIES
        else None,
    )
    differs = (
        changes, result.tools_added, result.tools_removed, result.tools_changed, parameters
    )  # fmt: skip
    return result.model_copy(update={"is_same": result.answer_is_same and not any(differs)})


def _default_round(arguments: CompareArguments) -> int:
    if arguments.other_trace not in (None, arguments.trace) or arguments.other_attempt:
        return arguments.round
    if arguments.round == 1:
        raise ToolError("Round 1 has none before it: say which other_round or other_trace.")
    return arguments.round - 1


def _read(caller: Caller, trace_id: UUID, number: int, attempt: int | None) -> ModelCall:
    trace = find_trace(caller, trace_id)
    span = attempt_of(find_round(trace, number), attempt)
    given = _stage(span, "input")
    if not isinstance(given, dict):
        raise ToolError(
            f"What round {number} was given is not stored as messages; read_stage has its bytes."
        )
    output = _stage(span, "output")
    message = output.get("message") if isinstance(output, dict) else None
    return ModelCall(
        _list(given.get("messages")),
        {_name(one): dump_json(one) for one in _list(given.get("tools"))},
        {name: value for name, value in given.items() if name not in ("messages", "tools")},
        _answer(message) if isinstance(message, dict) else "",
    )


def _stage(span: Span, stage: str) -> Any:
    payload = Payload.objects.of_stage(span.pk, stage)
    if payload is None:
        return None
    if payload.size > MAX_READ_STAGE_BYTES:
        raise ToolError(f"{stage} has {payload.size:,} bytes, too many to compare.")
    try:
        return payloads.read_json(payload)
    except (ValueError, RecursionError):
        return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _name(tool: Any) -> str:
    function = tool.get("function") if isinstance(tool, dict) else None
    return str(function.get("name", "")) if isinstance(function, dict) else "?"


def _answer(message: dict[str, Any]) -> str:
    parts = [str(message.get("reasoning_content") or ""), text_of(message.get("content"))]
    calls = [dump_json(one.get("function")) for one in _list(message.get("tool_calls"))]
    return "\n".join(filter(None, [*parts, *calls]))


def _messages(before: list[Any], after: list[Any]) -> tuple[int, list[Change]]:
    """The number of messages that are the same, and the changes in order."""
    old, new = [dump_json(one) for one in before], [dump_json(one) for one in after]
    same, changes = 0, []
    for hunk in hunks(old, new, MAX_CHANGED_MESSAGES):
        if hunk.same:
            same += hunk.new_end - hunk.new
            continue
        removed = list(range(hunk.old, hunk.old_end))
        added = list(range(hunk.new, hunk.new_end))
        while removed and added and _role(before[removed[0]]) == _role(after[added[0]]):
            was, now = before[removed.pop(0)], after[place := added.pop(0)]
            text = _text_change(_shown(was), _shown(now))
            changes.append(Change(what="changed", position=place + 1, role=_role(now), text=text))
        for what, places, messages in (("removed", removed, before), ("added", added, after)):
            changes += [_whole(what, place, messages[place]) for place in places]
    return same, changes


def _whole(what: str, place: int, message: Any) -> Change:
    return Change(what=what, position=place + 1, role=_role(message), text=cut(_shown(message)))


def _role(message: Any) -> str:
    return str(message.get("role", "")) if isinstance(message, dict) else ""


def _shown(message: Any) -> str:
    """The text of a message, its calls as JSON; the JSON of what is no message."""
    return _answer(message) if isinstance(message, dict) else dump_json(message)


def _text_change(before: str, after: str) -> str:
    changes = diff_texts(before, after)
    if changes is None:
        changes = [TextChange("removed", before), TextChange("added", after)]
    return cut("".join(map(_marked, changes)))


def _marked(change: TextChange) -> str:
    hidden = f"[… {change.hidden:,} characters]" if change.hidden else ""
    if not change.text and not hidden:
        return ""
    return f"{_MARKS[change.change]}{change.text}{hidden}{_ENDS[change.change]}"


def _parameters(before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    flat_before, flat_after = _flat(before), _flat(after)
    names = sorted({*flat_before, *flat_after})
    return [
        Difference(name=name, other=flat_before.get(name), this=flat_after.get(name))
        for name in names
        if flat_before.get(name) != flat_after.get(name)
    ]


def _flat(values: dict[str, Any]) -> dict[str, str]:
    """Each parameter's JSON by its name."""
    parameters = values.get("parameters")
    inner = parameters if isinstance(parameters, dict) else {}
    outer = {name: value for name, value in values.items() if name != "parameters"}
    return {name: cut(dump_json(value), 1_000) for name, value in {**outer, **inner}.items()}


async def compare(caller: Caller, arguments: CompareArguments) -> CompareResult:
    return await caller.in_thread(_compare, caller, arguments)


COMPARE = ServerTool(
    "compare_rounds",
    "Compare two rounds",
    "What changed from one model call to another, of one trace or of two: messages, offered tools, "
    "parameters and the answer.",
    CompareArguments,
    CompareResult,
    compare,
)
