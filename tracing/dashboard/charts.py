"""Small charts as SVG: stacked columns, without a style or a script (docs/decisions/charts.md).

Colours come from classes (static/css/dashboard.css). Each column carries the words for its values,
which the page shows where the pointer or the arrow keys are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT, GAP = 600, 120, 0.2
SPARK_WIDTH, SPARK_HEIGHT = 90, 18


def columns(
    lines: Mapping[str, Sequence[Any]],
    labels: Sequence[str],
    worded: Callable[[str, Any], str],
    title: str,
) -> SafeString:
    """A chart with a column for each label, in which the lines lie on each other from below.

    The names of lines are ours; what else is text is escaped.
    """
    stacks = list(zip(*lines.values(), strict=True))
    most = float(max(map(sum, stacks), default=0)) or 1.0
    step = WIDTH / max(1, len(labels))
    body = "".join(
        f'<g class="column" data-said="{escape(f"{label}: {_said(lines, stack, worded)}")}">'
        f'<rect class="hit" x="{number * step:.2f}" y="0" width="{step:.2f}" height="{HEIGHT}"/>'
        f"{_stack(list(lines), stack, number * step, step, most)}</g>"
        for number, (label, stack) in enumerate(zip(labels, stacks, strict=True))
    )
    return _svg("chart-drawing", WIDTH, HEIGHT, title, body)


def spark(values: Sequence[int], title: str) -> SafeString:
    """A line of small columns."""
    most = max(values, default=0) or 1
    step = SPARK_WIDTH / max(1, len(values))
    heights = [max(1.5, value / most * SPARK_HEIGHT) if value else 0.0 for value in values]
    body = "".join(
        _rect(number * step, SPARK_HEIGHT - height, step * 0.8, height)
        for number, height in enumerate(heights)
        if height
    )
    return _svg("spark", SPARK_WIDTH, SPARK_HEIGHT, title, body)


def bar(share: float) -> SafeString:
    """A level below a figure; says nothing that the figure does not."""
    width = 100 * min(1.0, max(0.0, share))
    return mark_safe(
        '<svg class="level" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="4"/></svg>'
    )


def rows(values: Iterable[tuple[str, Sequence[str]]]) -> SafeString:
    """The rows of the table behind the charts."""
    return mark_safe(
        "\n".join(
            f'<tr><th scope="row">{escape(label)}</th>'
            + "".join(f'<td class="number">{escape(figure)}</td>' for figure in figures)
            + "</tr>"
            for label, figures in values
        )
    )


def _svg(css: str, width: int, height: int, title: str, body: str) -> SafeString:
    return mark_safe(
        f'<svg class="{css}" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img"'
        f' aria-label="{escape(title)}">{body}</svg>'
    )


def _stack(names: list[str], stack: Sequence[Any], left: float, step: float, most: float) -> str:
    drawn, top = "", float(HEIGHT)
    for name, figure in zip(names, stack, strict=True):
        if not figure:
            continue
        # What is there at all can be seen.
        height = max(1.5, float(figure) / most * (HEIGHT - 2))
        top = max(0.0, top - height)
        drawn += _rect(left + step * GAP / 2, top, step * (1 - GAP), height, f"line-{name}")
    return drawn


def _rect(x: float, y: float, width: float, height: float, css: str = "") -> str:
    named = f'class="{css}" ' if css else ""
    return f'<rect {named}x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'


def _said(
    lines: Mapping[str, Sequence[Any]], stack: Sequence[Any], worded: Callable[[str, Any], str]
) -> str:
    pairs = zip(lines, stack, strict=True)
    said = [worded(name, figure) for name, figure in pairs if figure]
    return ", ".join(said) or "nothing"
