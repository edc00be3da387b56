"""Timelines of one or two versions as a table."""

import statistics
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.tables import table
from benchmarks.timeline.moments import MOMENTS, RECEIVED, SENT
from benchmarks.timeline.sends import Times

PROCESSES = {SENT: "client", RECEIVED: "client", **{one.label: one.process for one in MOMENTS}}


def medians(sends: Sequence[Times]) -> dict[str, float]:
    """Milliseconds after the send, by moment, in the order of time; without the moments that fewer
    than half of the sends passed."""
    labels = dict.fromkeys(label for times in sends for label in times)
    of_label = {label: [times[label] for times in sends if label in times] for label in labels}
    found = {
        label: statistics.median(values) / 1000
        for label, values in of_label.items()
        if len(values) * 2 >= len(sends)
    }
    return dict(sorted({SENT: 0.0, **found}.items(), key=lambda item: item[1]))


def as_markdown(versions: Mapping[str, Sequence[Times]]) -> str:
    """A row for each moment; of each version the milliseconds since the send, and those since the
    moment before."""
    timelines = {name: medians(sends) for name, sends in versions.items()}
    heading = ["process", "moment"]
    for name in timelines:
        heading += [f"{name}: ms", "step"]
    return table(heading, _rows(list(timelines.values())))


def _rows(timelines: Sequence[Mapping[str, float]]) -> Iterator[Sequence[str]]:
    steps = [_steps(timeline) for timeline in timelines]
    for label in (SENT, *(one.label for one in MOMENTS), RECEIVED):
        if not any(label in timeline for timeline in timelines):
            continue
        cells = [PROCESSES[label], label]
        for timeline, step in zip(timelines, steps, strict=True):
            if label in timeline:
                cells += [f"{timeline[label]:.2f}", f"{step[label]:.2f}"]
            else:
                cells += ["", ""]
        yield cells


def _steps(timeline: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds since the moment before."""
    moments, before = list(timeline.values()), 0.0
    steps = {}
    for label, at_ms in zip(timeline, moments, strict=True):
        steps[label], before = at_ms - before, at_ms
    return steps
