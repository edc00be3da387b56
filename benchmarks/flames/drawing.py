"""A flame graph as SVG without scripts: width is the share of samples, the root stands at the top.

Pointing at a frame shows its name and share. Frames of the product are orange, of the standard
library grey, of other packages blue.
"""

import re
from collections.abc import Iterator
from html import escape

from benchmarks.flames.stacks import Frame

WIDTH = 1200
LINE = 16
TOP = 40
CHARACTER = 6.3  # width of a character of 11 pixels in a monospace font
OWN = frozenset(
    (
        *("api", "audit", "chat", "config", "db", "host", "jobs"),
        *("limits", "tokens", "tools", "tracing", "wire"),
    )
)
STYLE = (
    "text{font:11px ui-monospace,monospace;fill:#1a1a1a;pointer-events:none}"
    ".title{font-size:13px}rect{stroke:#fff;stroke-width:.5}"
    ".own{fill:#f2a65a}.library{fill:#a9c9e8}.standard{fill:#d9d9d9}"
)
# The least share of the samples that is drawn; it grows until the file is small enough.
MIN_SHARE = 0.001
MAX_BYTES = 250_000


def flame_graph(tree: Frame, title: str) -> str:
    """The SVG; at most `MAX_BYTES` long."""
    min_share = MIN_SHARE
    while len((svg := _svg(tree, title, min_share)).encode()) > MAX_BYTES:
        min_share *= 1.25
    return svg


def _svg(tree: Frame, title: str, min_share: float) -> str:
    frames = list(tree.walk(tree.samples * min_share))
    height = TOP + LINE * (1 + max(depth for _, depth, _ in frames))
    note = f"{title}; {tree.samples} samples, frames of at least {min_share:.2%}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}"><style>{STYLE}</style>',
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            f'<text class="title" x="8" y="24">{escape(note)}</text>',
            *(_drawn(frame, depth, left, tree.samples) for frame, depth, left in frames),
            "</svg>\n",
        ]
    )


def _drawn(frame: Frame, depth: int, left: int, total: int) -> str:
    x, width, y = left / total * WIDTH, frame.samples / total * WIDTH, TOP + depth * LINE
    return "".join(
        [
            f"<g><title>{escape(frame.name)} {frame.samples / total:.1%}</title>",
            f'<rect class="{_origin(frame.name)}" x="{x:.1f}" y="{y}" width="{width:.1f}" '
            f'height="{LINE}"/>',
            *_label(frame.name, x, y, width),
            "</g>",
        ]
    )


def _label(name: str, x: float, y: int, width: float) -> Iterator[str]:
    """The name, as much of it as has room."""
    room = int((width - 6) / CHARACTER)
    if room >= 3:
        short = name if len(name) <= room else f"{name[: room - 1]}…"
        yield f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(short)}</text>'


def _origin(name: str) -> str:
    """Whose code a frame `function (path:line)` is: `own`, `standard` or another `library`."""
    match = re.search(r"\(([^()]*)\)$", name)
    path = match[1] if match else ""
    first, slash, _ = path.partition("/")
    if first in OWN and slash:
        return "own"
    return "library" if slash and first not in STANDARD_FOLDERS else "standard"


STANDARD_FOLDERS = frozenset(
    {"asyncio", "concurrent", "json", "logging", "sqlite3", "http", "urllib", "email", "encodings"}
)
