"""The section "Limits" of docs/operations.md, generated from the limits."""

from collections.abc import Iterator
from pathlib import Path

from limits import words
from limits.areas import AREAS
from limits.table import Area, Entry

FILE = Path(__file__).parents[1] / "docs" / "operations.md"
BEGIN, END = "<!-- limits: written by `python -m limits` -->", "<!-- /limits -->"


def section() -> str:
    """The text between the two markers."""
    return "\n".join(line for area in AREAS for line in _table(area))


def updated(text: str) -> str:
    """`text`, its section replaced by the current one. Raises ValueError without the markers."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{FILE.name} lacks {BEGIN} or {END}")
    return f"{head}{BEGIN}\n{section()}\n{END}{tail}"


def _table(area: Area) -> Iterator[str]:
    has_settings = any(entry.limit.setting for entry in area.entries)
    columns = ["limit", "value", "what it bounds", "beyond it", *["setting"] * has_settings]
    yield from ("", f"### {area.title}", "", _row(columns), "|---" * len(columns) + "|")
    for entry in area.entries:
        yield _row(_cells(entry)[: len(columns)])


def _cells(entry: Entry) -> list[str]:
    limit = entry.limit
    return [f"`{entry.name}`", words.value(entry), limit.bounds, limit.beyond, limit.setting]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
