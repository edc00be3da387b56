"""The figures of the search, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AIM_MS = 150
RESULT = Path(__file__).parent.parent / "results" / "conversation_search.md"


@dataclass(frozen=True)
class Figures:
    """Of a whole request: p50 and p95 of many, the first one with nothing in memory, and its
    queries."""

    name: str
    p50_ms: float
    p95_ms: float
    cold_ms: float
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
        f"{_filled(head)}The whole database: {head['database_mb']:.0f} MB.",
        "",
        "| request | p50 ms | p95 ms | cold ms | queries | KB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def write(section: str) -> None:
    """Puts the section into the file, in place of one with the same heading."""
    heading = section.partition("\n")[0]
    text = RESULT.read_text() if RESULT.exists() else _HEAD
    head, *sections = text.split("\n## ")
    kept = [one for one in sections if f"## {one.partition(chr(10))[0]}" != heading]
    RESULT.write_text("\n## ".join([head, *kept, section.removeprefix("## ")]))


def _filled(head: dict[str, Any]) -> str:
    """Nothing of a database that had been filled before."""
    if "texts" not in head:
        return ""
    return (
        f"Texts: {head['text_mb']:.0f} MB in UTF-8. Index: {head['index_mb']:.0f} MB, "
        f"**{head['index_mb'] / head['text_mb']:.2f} bytes for a byte of message**. Indexed "
        f"{head['texts']:,} texts in {head['seconds']:.0f} s: "
        f"{head['seconds'] / head['texts'] * 1000:.2f} ms each. "
    )


def _line(row: Figures) -> str:
    times = " | ".join(_ms(ms) for ms in (row.p50_ms, row.p95_ms, row.cold_ms))
    return f"| {row.name} | {times} | {row.queries} | {row.kilobytes:.0f} |"


def _ms(ms: float) -> str:
    return f"**{ms:.0f}**" if ms > AIM_MS else f"{ms:.0f}"


_HEAD = """# The search of conversations, and their list

`python -m benchmarks.conversation_search [--conversations 10000] [--messages 100]` fills an empty
database of a home of its own (after `python -m tests.postgres`: of a server of its own) and writes
this. A request is the whole view with its template, by Django's test client: p50 and p95 of 20,
and before them one with a new connection, for which SQLite's file is read from the disk. **Bold**:
above 150 ms. Half of the texts are English, half Chinese; a question has about 120 characters, an
answer about 500 (in Chinese a third of that).
"""
