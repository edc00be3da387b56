"""Tables of figures in Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence


def row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def figure(value: float | None) -> str:
    """Three digits, or more before the point."""
    if value is None:
        return ""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def matrices(figures: Mapping[str, float]) -> str:
    """All figures: a table for each part, with a row for each figure and a column for each point
    (a number of streams, say)."""
    return "\n".join(_matrix(part, figures) for part in dict.fromkeys(map(_part, figures)))


def _part(name: str) -> str:
    return name.partition(".")[0]


def _matrix(part: str, figures: Mapping[str, float]) -> str:
    cells = {_place(name): value for name, value in figures.items() if _part(name) == part}
    points = list(dict.fromkeys(point for point, _ in cells))
    lines = [f"## {part}", "", row(["", *points]), row(["---"] * (len(points) + 1))]
    for what in dict.fromkeys(what for _, what in cells):
        lines.append(row([what, *(figure(cells.get((point, what))) for point in points)]))
    return "\n".join([*lines, ""])


def _place(name: str) -> tuple[str, str]:
    """The point of a figure, a column, and the rest of its name, a row."""
    match = re.fullmatch(
        r"\w+\.(\d+|\d+x\d+|new|later|floor|web|turns|tools|redis|supervisor|render_process)\.(.+)",
        name,
    )
    if match:
        return match[1], match[2]
    return "", name.partition(".")[2]


def table(heading: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    return "\n".join([row(heading), row(["---"] * len(heading)), *map(row, rows)]) + "\n"
