"""Arguments and results of tools, formatted by their type: a table, a tree, or text.

A value is JSON, or the Python literal that some servers print instead (`[{'name': 'log'}]`). What
is large is cut for the page, with a note; the trace has the whole.
"""

import ast
import json
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext, ngettext

from chat.markdown.highlight import highlight
from chat.presentation.text import well_formed
from limits.files import (
    MAX_UNFOLDED_VALUE_LINES,
    MAX_VALUE,
    MAX_VALUE_COLUMNS,
    MAX_VALUE_DEPTH,
    MAX_VALUE_NODES,
    MAX_VALUE_ROWS,
)
from tracing.formatting.text import visible

_CODE_KEYS = {"query": "sql", "sql": "sql", "code": "python", "command": "bash"}


@dataclass(frozen=True)
class Node:
    """A node of a tree: its key, and either text (`html` if it is code) or children."""

    key: str
    text: str = ""
    html: str = ""
    kind: str = ""
    children: list["Node"] = field(default_factory=list)


@dataclass(frozen=True)
class Value:
    """A value as a table (columns and rows), a tree (nodes) or text. `note` says what is cut.

    `raw` is the exact text, for copying, unless it is too long for a page.
    """

    kind: str
    raw: str = ""
    text: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    note: str = ""

    @property
    def is_long(self) -> bool:
        return self.text.count("\n") > MAX_UNFOLDED_VALUE_LINES


def parse(text: str) -> Any:
    """The JSON value or Python literal that this text is; ValueError if it is neither."""
    if len(text) > 1_000_000:
        raise ValueError("too long to be shown as more than text")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("too deep") from error
    except ValueError:
        return _literal(text)


def value(text: str) -> Value:
    """The view of a text."""
    shown = _shown(text) if text.strip() else Value("empty")
    return replace(shown, raw=well_formed(text) if len(text) <= MAX_VALUE else "")


def _shown(text: str) -> Value:
    try:
        parsed = parse(text)
    except ValueError:
        return _text(text)
    if _is_table(rows := _unwrapped(parsed)):
        return _table(rows)
    if isinstance(parsed, dict | list) and parsed:
        return _tree(parsed, text)
    return _text(parsed) if isinstance(parsed, str) else _text(text)


def summary(text: str) -> str:
    """A result in short: a single value, the number of rows, or the text itself."""
    try:
        parsed = parse(text)
    except ValueError:
        return text
    if isinstance(parsed, str):
        return parsed
    if not isinstance(parsed, dict | list):
        return text
    if not parsed:
        return gettext("nothing")
    if isinstance(parsed, dict):
        only = next(iter(parsed.values()))
        return str(only) if len(parsed) == 1 and _is_scalar(only) else field_count(len(parsed))
    if not _is_table(parsed):
        return item_count(len(parsed))
    if len(parsed) == len(parsed[0]) == 1:
        return str(next(iter(parsed[0].values())))
    return _row_count(len(parsed))


def item_count(number: int) -> str:
    return ngettext("%(count)s item", "%(count)s items", number) % {"count": f"{number:,}"}


def field_count(number: int) -> str:
    return ngettext("%(count)s field", "%(count)s fields", number) % {"count": f"{number:,}"}


def _row_count(number: int) -> str:
    return ngettext("%(count)s row", "%(count)s rows", number) % {"count": f"{number:,}"}


def _literal(text: str) -> Any:
    stripped = text.strip()
    if not stripped.startswith(("[", "{", "(")) or len(stripped) > MAX_VALUE:
        raise ValueError("not a literal")
    try:
        literal = ast.literal_eval(stripped)
        str(literal)  # raises ValueError for an integer that Python does not print (`0xff…`)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("not a literal") from error
    return literal


def _unwrapped(parsed: Any) -> Any:
    """The one value of an object: results that have to be objects wrap their rows in one."""
    return next(iter(parsed.values())) if isinstance(parsed, dict) and len(parsed) == 1 else parsed


def _is_scalar(item: Any) -> bool:
    return item is None or isinstance(item, str | int | float | bool)


def _is_table(parsed: Any) -> bool:
    """A list of flat objects that share at least one key."""
    if not isinstance(parsed, list) or not parsed or not isinstance(parsed[0], dict):
        return False
    sample = parsed[:MAX_VALUE_ROWS]
    if not all(isinstance(row, dict) and row for row in sample):
        return False
    return all(_is_scalar(cell) for row in sample for cell in row.values())


def _table(rows: list[dict[str, Any]]) -> Value:
    shown = rows[:MAX_VALUE_ROWS]
    columns = list(dict.fromkeys(str(key) for row in shown for key in row))
    shown_columns = columns[:MAX_VALUE_COLUMNS]
    note = []
    if len(rows) > MAX_VALUE_ROWS:
        note.append(
            gettext("%(most)s of %(count)s rows")
            % {"most": MAX_VALUE_ROWS, "count": f"{len(rows):,}"}
        )
    if len(columns) > len(shown_columns):
        note.append(
            gettext("%(count)s of %(columns)s columns")
            % {"count": len(shown_columns), "columns": len(columns)}
        )
    return Value(
        "table",
        columns=[visible(column) for column in shown_columns],
        rows=[[_cell(row, column) for column in shown_columns] for row in shown],
        note=", ".join(note),
    )


def _cell(row: dict[str, Any], column: str) -> str:
    by_name = {str(key): item for key, item in row.items()}
    return _scalar(by_name[column]) if column in by_name else ""


def _scalar(item: Any) -> str:
    if isinstance(item, str):
        return visible(item[:2000])
    if item is None or isinstance(item, bool):
        return {None: "null", True: "true", False: "false"}[item]
    return str(item)


def _text(text: str) -> Value:
    note = ""
    if len(text) > MAX_VALUE:
        note = gettext("the first %(most)s of %(count)s characters") % {
            "most": f"{MAX_VALUE:,}",
            "count": f"{len(text):,}",
        }
    return Value("text", text=visible(text[:MAX_VALUE]), note=note)


class _TooLarge(Exception):
    """The tree has more nodes, or more levels, than a page shows."""


def _tree(parsed: Any, text: str) -> Value:
    budget = [MAX_VALUE_NODES]
    try:
        return Value("tree", nodes=_children(parsed, budget, MAX_VALUE_DEPTH))
    except _TooLarge:
        return _text(text)


def _children(parsed: Any, budget: list[int], depth: int) -> list[Node]:
    pairs = parsed.items() if isinstance(parsed, dict) else enumerate(parsed)
    return [_node(str(key), item, budget, depth) for key, item in pairs]


def _node(key: str, item: Any, budget: list[int], depth: int) -> Node:
    budget[0] -= 1
    if budget[0] < 0 or depth == 0:
        raise _TooLarge
    key = visible(key)
    if isinstance(item, dict | list | tuple) and item:
        kind = (field_count if isinstance(item, dict) else item_count)(len(item))
        return Node(key, kind=kind, children=_children(item, budget, depth - 1))
    if isinstance(item, str):
        shown = visible(item[:MAX_VALUE])
        language = _CODE_KEYS.get(key)
        return Node(key, shown, highlight(shown, language) if language else "", kind="string")
    return Node(key, _scalar(item), kind="literal")
