"""Charts of stacked columns as SVG, without styles and scripts (docs/decisions/charts.md).

Colours come from classes (static/css/dashboard/charts.css). Each column has its values as text
(`data-values`), which the page shows for the column under the pointer or the arrow keys.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

WIDTH, HEIGHT, GAP = 600, 120, 0.2
SPARK_WIDTH, SPARK_HEIGHT = 90, 18


def columns(
    lines: Mapping[str, Sequence[Any]],
    labels: Sequence[str],
    values_text: Callable[[int], str],
    href: Callable[[str, int], str],
) -> SafeString:
    """A chart with a column for each label and the lines stacked in it, the first at the bottom.

    `values_text` is the text of a column's figures; `href` the link of a line's segment in it, or,
    with an empty line, of the column. Names of lines are constants; other text is escaped. The
    drawing is hidden from assistive technology, which reads the table of values; its links are no
    tab stops (arrow keys select a column, Enter opens it).
    """
    stacks = list(zip(*lines.values(), strict=True))
    most = float(max(map(sum, stacks), default=0)) or 1.0
    step = WIDTH / max(1, len(labels))
    body = ""
    for number, (label, stack) in enumerate(zip(labels, stacks, strict=True)):
        left = number * step
        hit = f'<rect class="hit" x="{left:.2f}" y="0" width="{step:.2f}" height="{HEIGHT}"/>'
        if any(stack):
            hit = _link(href("", number), hit)
            hit += _stack(lines, stack, left, step, most, partial(_at, href, number))
        body += (
            f'<g class="column" data-values="{escape(f"{label}: {values_text(number)}")}">{hit}</g>'
        )
    return _svg("chart-drawing", WIDTH, HEIGHT, 'aria-hidden="true"', body)


def _at(href: Callable[[str, int], str], number: int, line: str) -> str:
    return href(line, number)


def _link(href: str, body: str) -> str:
    return f'<a href="{escape(href)}" tabindex="-1">{body}</a>'


def spark(values: Sequence[int], title: str) -> SafeString:
    """A sparkline of columns."""
    most = max(values, default=0) or 1
    step = SPARK_WIDTH / max(1, len(values))
    heights = [max(1.5, value / most * SPARK_HEIGHT) if value else 0.0 for value in values]
    body = "".join(
        _rect(number * step, SPARK_HEIGHT - height, step * 0.8, height)
        for number, height in enumerate(heights)
        if height
    )
    named = f'role="img" aria-label="{escape(title)}"'
    return _svg("spark", SPARK_WIDTH, SPARK_HEIGHT, named, body)


def bar(share: float) -> SafeString:
    """A bar below a figure; `share` (0 to 1) is its width. Hidden from assistive technology."""
    width = 100 * min(1.0, max(0.0, share))
    return mark_safe(
        '<svg class="level" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="4"/></svg>'
    )


def rows(values: Iterable[tuple[str, str, Sequence[str]]]) -> SafeString:
    """Rows of the table of the charts' values: label, link, figures."""
    return mark_safe(
        "\n".join(
            f'<tr><th scope="row"><a href="{escape(href)}">{escape(label)}</a></th>'
            + "".join(f'<td class="number">{escape(figure)}</td>' for figure in figures)
            + "</tr>"
            for label, href, figures in values
        )
    )


def _svg(css: str, width: int, height: int, named: str, body: str) -> SafeString:
    return mark_safe(
        f'<svg class="{css}" viewBox="0 0 {width} {height}" preserveAspectRatio="none" {named}>'
        f"{body}</svg>"
    )


def _stack(
    lines: Mapping[str, Any],
    stack: Sequence[Any],
    left: float,
    step: float,
    most: float,
    href: Callable[[str], str],
) -> str:
    drawn, top = "", float(HEIGHT)
    whole = href("")
    for name, figure in zip(lines, stack, strict=True):
        if not figure:
            continue
        # At least 1.5 high, so that it is visible.
        height = max(1.5, float(figure) / most * (HEIGHT - 2))
        top = max(0.0, top - height)
        rect = _rect(left + step * GAP / 2, top, step * (1 - GAP), height, f"line-{name}")
        # A segment with the link of the whole column has none of its own.
        drawn += rect if (own := href(name)) == whole else _link(own, rect)
    return drawn


def _rect(x: float, y: float, width: float, height: float, css: str = "") -> str:
    named = f'class="{css}" ' if css else ""
    return f'<rect {named}x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'
