"""The figures of the conversation's page, as JSON and as a table."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "results"


@dataclass(frozen=True)
class PageFigures:
    """`cpu_ms` is that of the web process, `open_ms` until the response is complete, both medians;
    bytes are of the body. `paints_ms`: first contentful paint in Chromium and until the scripts
    have run, with an empty cache and of the next visit; empty for a part of a page."""

    name: str
    queries: int
    open_ms: float
    cpu_ms: float
    bytes: int
    gzip_bytes: int
    paints_ms: Sequence[float] = ()


def write(head: dict[str, Any], pages: Sequence[PageFigures]) -> Path:
    """Replaces the earlier figures; returns the path of the table."""
    result = {**head, "pages": [asdict(page) for page in pages]}
    (RESULTS / "chat_page.json").write_text(json.dumps(result, indent=1) + "\n")
    table = RESULTS / "chat_page.md"
    table.write_text(render(head, pages))
    return table


def render(head: dict[str, Any], pages: Sequence[PageFigures]) -> str:
    lines = [
        "# The page of a conversation, and the sidebar",
        "",
        "Of a running product, over HTTP, warm, medians. CPU is that of the web process. First "
        "paint and ready in Chromium, at 1440 × 900: with an empty cache | of the next visit. "
        "`python -m benchmarks.chat_page` writes this.",
        "",
        f"{head['cores']} cores, load {head['load']} before, Python {head['python']}. Web process: "
        f"{head['web_mb_before']:.0f} MB before, {head['web_mb_after']:.0f} MB after.",
        "",
        "| page | queries | ms | CPU ms | KB | KB with gzip | first paint ms | ready ms "
        "| again: paint | ready |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    return "\n".join([*lines, *map(_line, pages)]) + "\n"


def _line(page: PageFigures) -> str:
    sizes = f"{page.bytes / 1000:.0f} | {page.gzip_bytes / 1000:.0f}"
    times = f"{page.open_ms:.0f} | {page.cpu_ms:.0f}"
    browser = " | ".join(f"{ms:.0f}" for ms in page.paints_ms) or " | | |"
    return f"| {page.name} | {page.queries} | {times} | {sizes} | {browser} |"
