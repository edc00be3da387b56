"""The moments of each of many sends, which came one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Outcome
from benchmarks.timeline.moments import MODEL, MOMENTS, RECEIVED, Moment

# Microseconds after the send, by the moment's label.
Times = dict[str, int]


@dataclass(frozen=True, order=True)
class Edge:
    """A call of a function, or a return from it, at a moment of CLOCK_MONOTONIC."""

    at_us: int
    edge: str
    function: str


def read_edges(folder: Path) -> list[Edge]:
    """All edges that the processes wrote, in the order of time."""
    lines = [line for file in folder.glob("calls-*.txt") for line in file.read_text().splitlines()]
    return sorted(_edge(line) for line in lines)


def _edge(line: str) -> Edge:
    at_us, edge, function = line.split(" ")
    return Edge(int(at_us), edge, function)


def times(edges: Sequence[Edge], outcome: Outcome) -> Times:
    """The moments of one send up to its first token; those that it did not pass are absent."""
    assert outcome.first_token_us is not None
    received_us = outcome.began_us + outcome.first_token_us
    within = [edge for edge in edges if outcome.began_us <= edge.at_us <= received_us]
    found: Times = {}
    for moment in MOMENTS:
        if moment.label == MODEL:
            found[MODEL] = outcome.tally.sent_us[0] - outcome.began_us
        elif (at_us := _first(within, moment, outcome.began_us, found)) is not None:
            found[moment.label] = at_us - outcome.began_us
    return {**found, RECEIVED: outcome.first_token_us}


def _first(edges: Sequence[Edge], moment: Moment, began_us: int, found: Times) -> int | None:
    since_us = began_us + (found.get(moment.after, 0) if moment.after else 0)
    told = (
        edge.at_us
        for edge in edges
        if edge.at_us >= since_us and (edge.edge, edge.function) in moment.edges
    )
    return next(told, None)
