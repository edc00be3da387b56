"""The timings of pages, as JSON and as a table."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


@dataclass(frozen=True)
class Timing:
    """Milliseconds of a page: `most` is the aim; `median` and `p95` are wall-clock time, `cpu` that
    of the process which makes the page, without a database server. `size` is in bytes."""

    name: str
    most: int
    median: float
    p95: float
    cpu: float
    size: int


def write(database: str, traces: int, spans: int, load: float, timings: list[Timing]) -> Path:
    """Replaces the earlier timings of the same database; returns the path of the table."""
    file = RESULTS / "pages.json"
    results: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    results[database] = {
        "traces": traces,
        "spans": spans,
        "load": round(load, 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pages": [asdict(timing) for timing in timings],
    }
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    table = RESULTS / "pages.md"
    table.write_text(render(results))
    return table


def render(results: dict[str, Any]) -> str:
    heads = [f"{name} median | p95 | CPU" for name in results]
    lines = [
        "# Pages of traces",
        "",
        "Server time in milliseconds, in one process, warm, the whole answer. CPU is that of the "
        "process which makes the page. **Bold**: above what is aimed at.",
        "",
        *(_database_line(name, result) for name, result in results.items()),
        "",
        f"| page | aim | {' | '.join(heads)} |",
        f"|---|---:|{'---:|---:|---:|' * len(results)}",
    ]
    by_name = {
        name: {page["name"]: page for page in result["pages"]} for name, result in results.items()
    }
    names = dict.fromkeys(page for pages in by_name.values() for page in pages)
    for name in names:
        cells = [_cells(pages.get(name)) for pages in by_name.values()]
        most = next(pages[name]["most"] for pages in by_name.values() if name in pages)
        lines.append(f"| {name} | {most} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _database_line(name: str, result: dict[str, Any]) -> str:
    return (
        f"- {name}: {result['traces']:,} traces, {result['spans']:,} spans; {result['cores']} "
        f"cores, load {result['load']} before, Python {result['python']}"
    )


def _cells(page: dict[str, Any] | None) -> str:
    if page is None:
        return " | | "
    figures = (_bold_above_aim(page[key], page["most"]) for key in ("median", "p95"))
    return f"{' | '.join(figures)} | {page['cpu']:.0f}"


def _bold_above_aim(ms: float, most: int) -> str:
    return f"**{ms:.0f}**" if ms > most else f"{ms:.0f}"
