"""Small charts as SVG: stacked columns, without a style or a script (docs/decisions/charts.md).

Colours come from classes (static/css/dashboard.css). Each column carries the words for its values,
which the page shows where the pointer or the arrow keys are.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, GAP = 600, 120, 0.2
SPARK_WIDTH, SPARK_HEIGHT = 90, 18


def columns(
    lines: Mapping[str, Sequence[Any]],
    labels: Sequence[str],
    worded: Callable[[str, Any], str],
    title: str,
) -> SafeString:
    """A chart with a column for each label, in which the lines lie on each other from below."""
    stacks = list(zip(*lines.values(), strict=True))
    most = float(max(map(sum, stacks), default=0)) or 1.0
    step = WIDTH / max(1, len(labels))
    body = format_html_join(
        "",
        '<g class="column" data-said="{}"><rect class="hit" x="{}" y="0" width="{}" height="{}"/>'
        "{}</g>",
        (
            (
                f"{label}: {_said(lines, stack, worded)}",
                _short(number * step),
                _short(step),
                HEIGHT,
                _stack(list(lines), stack, number * step, step, most),
            )
            for number, (label, stack) in enumerate(zip(labels, stacks, strict=True))
        ),
    )
    return format_html(
        '<svg class="chart-drawing" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{}">{}</svg>',
        WIDTH,
        HEIGHT,
        title,
        body,
    )


def spark(values: Sequence[int], title: str) -> SafeString:
    """A line of small columns."""
    most = max(values, default=0) or 1
    step = SPARK_WIDTH / max(1, len(values))
    body = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}"/>',
        (
            (_short(number * step), _short(SPARK_HEIGHT - height), _short(step * 0.8), height)
            for number, value in enumerate(values)
            if value
            for height in [_short(max(1.5, value / most * SPARK_HEIGHT))]
        ),
    )
    return format_html(
        '<svg class="spark" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{}">{}</svg>',
        SPARK_WIDTH,
        SPARK_HEIGHT,
        title,
        body,
    )


def bar(share: float) -> SafeString:
    """A level bar behind a figure; says nothing that the figure does not."""
    return format_html(
        '<svg class="level" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="4"/></svg>',
        _short(100 * min(1.0, max(0.0, share))),
    )


def _stack(
    names: list[str], stack: Sequence[Any], left: float, step: float, most: float
) -> SafeString:
    rects = []
    top = float(HEIGHT)
    for name, figure in zip(names, stack, strict=True):
        if not figure:
            continue
        # What is there at all can be seen.
        height = max(1.5, float(figure) / most * (HEIGHT - 2))
        top -= height
        rects.append((name, left + step * GAP / 2, top, step * (1 - GAP), height))
    return format_html_join(
        "",
        '<rect class="line-{}" x="{}" y="{}" width="{}" height="{}"/>',
        ((name, *map(_short, place)) for name, *place in rects),
    )


def _said(
    lines: Mapping[str, Sequence[Any]], stack: Sequence[Any], worded: Callable[[str, Any], str]
) -> str:
    pairs = zip(lines, stack, strict=True)
    said = [worded(name, figure) for name, figure in pairs if figure]
    return ", ".join(said) or "nothing"


def _short(number: float) -> float:
    return round(max(0.0, number), 2)
