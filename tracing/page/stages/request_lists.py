"""Tools and parameters of a request, with changes since the baseline."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db.fields import dump_json
from limits.trace_pages import MAX_TOOL_DEFINITION
from tracing.diff import text_diff
from tracing.diff.text_diff import TextChange
from tracing.formatting.json_text import indented
from tracing.formatting.text import Clip, clip, visible
from tracing.page.stages.messages import tool_name


@dataclass(frozen=True)
class ToolLine:
    """`change`: `added`, `removed`, `mutated`, or empty; `definition` is its JSON."""

    name: str
    definition: Clip
    change: str = ""
    changes: list[TextChange] = field(default_factory=list)


@dataclass(frozen=True)
class ParameterLine:
    """A parameter, its JSON, and the previous JSON (`was`) if it is `mutated`."""

    name: str
    value: Clip
    change: str = ""
    was: Clip = field(default_factory=lambda: Clip(""))


def tool_lines(
    blobs: Mapping[int, bytes], tools: Sequence[int], before: Sequence[int] | None
) -> list[ToolLine]:
    """The tools in order, then removed ones. Without `before` there are no changes."""
    earlier = before or []
    was = {tool_name(blobs[one]): one for one in earlier if one in blobs and one not in tools}
    lines = []
    for ordinal in tools:
        if ordinal in blobs:
            name = tool_name(blobs[ordinal])
            is_new = before is not None and ordinal not in earlier
            old = blobs.get(was.pop(name, -1)) if is_new else None
            lines.append(_line(name, blobs[ordinal], is_new, old))
    gone = [ToolLine(name, _definition(blobs[one]), "removed") for name, one in was.items()]
    return [*lines, *gone]


def parameter_lines(
    rest: Mapping[str, Any], before: Mapping[str, Any] | None
) -> list[ParameterLine]:
    """The parameters in order, then removed ones; changed ones come first."""
    lines = list(_parameter_lines(rest, before))
    return sorted(lines, key=lambda line: not line.change)


def _parameter_lines(
    rest: Mapping[str, Any], before: Mapping[str, Any] | None
) -> Iterator[ParameterLine]:
    for key, value in rest.items():
        if before is None or (key in before and before[key] == value):
            yield ParameterLine(visible(key), _json(value))
        elif key in before:
            yield ParameterLine(visible(key), _json(value), "mutated", _json(before[key]))
        else:
            yield ParameterLine(visible(key), _json(value), "added")
    for key, value in (before or {}).items():
        if key not in rest:
            yield ParameterLine(visible(key), _json(value), "removed")


def _line(name: str, definition: bytes, is_new: bool, old: bytes | None) -> ToolLine:
    if not is_new:
        return ToolLine(name, _definition(definition))
    if old is None:
        return ToolLine(name, _definition(definition), "added")
    changes = text_diff.diff_texts(_indented(old), _indented(definition)) or []
    return ToolLine(name, _definition(definition), "mutated", changes)


def _definition(element: bytes) -> Clip:
    return clip(_indented(element), MAX_TOOL_DEFINITION)


def _indented(element: bytes) -> str:
    try:
        return indented(json.loads(element))
    except (ValueError, RecursionError):
        return element.decode(errors="replace")


def _json(value: Any) -> Clip:
    return clip(dump_json(value), 2_000)
