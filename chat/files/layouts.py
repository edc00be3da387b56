"""Readable forms of data files: tables for CSV, line breaks for JSON."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from limits.files import MAX_INDENTED_JSON, MAX_PREVIEW_CELL, MAX_PREVIEW_COLUMNS, MAX_PREVIEW_ROWS

_DELIMITERS = ",;\t|"
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True)
class Table:
    """The beginning of a table; `more` if it has further rows or columns."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    more_rows: bool
    more_columns: bool


def table(text: str, *, tabs: bool, is_cut: bool) -> Table | None:
    """The table of a CSV text, the first row being the head; None if it is no CSV. With `is_cut`
    the last line is left out."""
    lines = text.splitlines(keepends=True)
    lines = lines[:-1] if is_cut and len(lines) > 1 else lines
    reader = csv.reader(lines, delimiter="\t" if tabs else _delimiter(lines[0] if lines else ""))
    try:
        rows = [row for row in islice(reader, MAX_PREVIEW_ROWS + 2) if row]
    except csv.Error:
        return None
    if not rows or max(map(len, rows)) < 2:
        return None
    width = min(MAX_PREVIEW_COLUMNS, max(map(len, rows)))
    cells = [_cells(row, width) for row in rows[: MAX_PREVIEW_ROWS + 1]]
    more_rows = is_cut or len(rows) > MAX_PREVIEW_ROWS + 1
    return Table(cells[0], cells[1:], more_rows, any(len(row) > width for row in rows))


def laid_out(text: str) -> str | None:
    """A JSON text of one line, with a line for each value and the tokens unchanged; None if it is
    no JSON, has line breaks, or would become too long."""
    if "\n" in text.strip():
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    pieces = _pieces(_TOKEN.findall(text))
    return "".join(pieces) if sum(map(len, pieces)) <= MAX_INDENTED_JSON else None


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _cells(row: Sequence[str], width: int) -> list[str]:
    cells = [
        f"{cell[:MAX_PREVIEW_CELL]}…" if len(cell) > MAX_PREVIEW_CELL else cell
        for cell in row[:width]
    ]
    return cells + [""] * (width - len(cells))


def _pieces(tokens: Sequence[str]) -> list[str]:
    pieces: list[str] = []
    depth, before = 0, ""
    for token in tokens:
        if token in "}]" and len(token) == 1:
            depth -= 1
            pieces.append("" if before in ("{", "[") else _line(depth))
        elif before in ("{", "[", ","):
            pieces.append(_line(depth))
        pieces.append(": " if token == ":" else token)
        depth += token in ("{", "[")
        before = token
    return pieces


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, 40)
