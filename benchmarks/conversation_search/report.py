"""The figures of the search, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULT = Path(__file__).parent.parent / "results" / "conversation_search.md"


@dataclass(frozen=True)
class Figures:
    """`median_ms` and `slowest_ms` of a whole request, and its queries."""

    name: str
    median_ms: float
    slowest_ms: float
    queries: int
    kilobytes: float


def render(head: dict[str, Any], rows: Sequence[Figures]) -> str:
    lines = [
        f"## {head['database']}, {head['conversations']:,} conversations of "
        f"{head['messages']} messages",
        "",
        f"Another user has {head['others']:,} conversations beside them. "
        f"{head['cores']} cores, load {head['load']} before, Python {head['python']}, "
        f"{head['version']}.",
        "",
        f"Texts: {head['text_mb']:.0f} MB in UTF-8. Index: {head['index_mb']:.0f} MB, "
        f"**{head['index_mb'] / head['text_mb']:.2f} bytes for a byte of message**; the whole "
        f"database {head['database_mb']:.0f} MB. Indexed {head['texts']:,} texts in "
        f"{head['seconds']:.0f} s: {head['seconds'] / head['texts'] * 1000:.2f} ms each.",
        "",
        "| request | median ms | slowest ms | queries | KB |",
        "|---|---:|---:|---:|---:|",
    ]
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def write(section: str) -> None:
    """Puts the section into the file, in place of one with the same heading."""
    heading = section.partition("\n")[0]
    text = RESULT.read_text() if RESULT.exists() else _HEAD
    head, *sections = text.split("\n## ")
    kept = [one for one in sections if f"## {one.partition(chr(10))[0]}" != heading]
    RESULT.write_text("\n## ".join([head, *kept, section.removeprefix("## ")]))


def _line(row: Figures) -> str:
    return (
        f"| {row.name} | {row.median_ms:.0f} | {row.slowest_ms:.0f} | {row.queries} "
        f"| {row.kilobytes:.0f} |"
    )


_HEAD = """# The search of conversations, and their list

`python -m benchmarks.conversation_search [--conversations 10000] [--messages 100]` fills an empty
database of a home of its own (`--postgres`: of a server of its own) and writes this. A request is
the whole view with its template, by Django's test client, warm. Half of the texts are English, half
Chinese; a question has about 120 characters, an answer about 500 (in Chinese a third of that).
"""
