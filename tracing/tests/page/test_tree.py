from datetime import UTC, datetime, timedelta
from typing import Any

from limits.trace_pages import MAX_LISTED_ROUNDS
from tracing.journal.trace_rounds import Round
from tracing.models import Action, Span
from tracing.page.timeline.tree import Tree, read_branches, read_tree
from tracing.page.timeline.waterfall import Scale

START = datetime(2026, 1, 1, tzinfo=UTC)
LATER = START + timedelta(seconds=1000)


def at(ms: float) -> datetime:
    return START + timedelta(milliseconds=ms)


def a_span(kind: str, begin: float, end: float | None, number: int = 1, **fields: Any) -> Span:
    fields = {"name": "qwen", "attributes": {}, **fields}
    ended = None if end is None else at(end)
    return Span(
        kind=kind, number=number, created=at(begin), started=at(begin), ended=ended, **fields
    )


def a_round(number: int, calls: int = 0, attempts: int = 1, prompt: int = 0) -> Round:
    noted = {"usage": {"prompt_tokens": prompt}}
    return Round(
        a_span("round", number * 100, number * 100 + 90, number, pk=number),
        [a_span("generation", 0, 9, one, attributes=noted) for one in range(1, attempts + 1)],
        [a_span("tool", 10, 20, one, name="read_query") for one in range(1, calls + 1)],
    )


def a_tree(rounds: list[Round], chosen: int = 1, actions: list[Action] | None = None) -> Tree:
    return read_tree(rounds, chosen, Scale(START, LATER - START), LATER, actions or [])


def test_below_a_round_are_its_attempts_and_its_calls() -> None:
    branches = read_branches(a_round(3, calls=1, attempts=2), LATER)
    assert [branch.query for branch in branches.attempts] == [
        "?round=3&attempt=1",
        "?round=3&attempt=2",
    ]
    assert [branch.name for branch in branches.calls] == ["read_query"]
    assert branches.calls[0].query.startswith("?round=3&span=")


def test_the_only_attempt_is_the_round_itself() -> None:
    assert read_branches(a_round(3), LATER).attempts[0].query == "?round=3"


def test_parallel_calls_share_a_row_in_which_their_bars_overlap() -> None:
    fan = read_branches(a_round(1, calls=3), LATER).fan
    assert fan is not None
    assert [y for y, _ in fan.rows] == [0, 3, 6]
    assert len({bars[0].x for _, bars in fan.rows}) == 1


def test_one_call_and_calls_in_series_share_none() -> None:
    series = Round(a_span("round", 0, 9), [], [a_span("tool", 0, 5), a_span("tool", 5, 9)])
    assert read_branches(a_round(1, calls=1), LATER).fan is None
    assert read_branches(series, LATER).fan is None


def test_short_turns_are_unfolded_and_of_long_ones_the_chosen_round() -> None:
    short = a_tree([a_round(number) for number in range(1, 4)])
    assert all(line.branches for line in short.lines)
    long = a_tree([a_round(number, calls=3) for number in range(1, 60)], chosen=7)
    assert [line.round.number for line in long.lines if line.branches] == [7]


def test_a_long_list_is_a_window_around_the_chosen_round() -> None:
    rounds = [a_round(number) for number in range(1, 501)]
    tree = a_tree(rounds, chosen=250)
    assert len(tree.lines) == MAX_LISTED_ROUNDS
    assert (tree.lines[0].round.number, tree.lines[-1].round.number) == (201, 300)
    assert (tree.earlier, tree.later) == ((101, 200), (301, 400))


def test_the_round_that_runs_is_listed_wherever_the_window_is() -> None:
    rounds = [a_round(number) for number in range(1, 251)]
    assert a_tree(rounds, chosen=1).running is None
    rounds[-1].span.ended = None
    tree = a_tree(rounds, chosen=1)
    assert tree.running
    assert [lines[-1].round.number for lines in tree.lists] == [100, 250]
    assert a_tree(rounds, chosen=250).running is None


def test_the_ends_have_no_window_beyond_them() -> None:
    rounds = [a_round(number) for number in range(1, 151)]
    assert a_tree(rounds, chosen=1).earlier is None
    assert a_tree(rounds, chosen=150).later is None
    assert a_tree([]).lines == []


def test_the_growth_of_the_prompt_is_told_by_round() -> None:
    tree = a_tree([a_round(1, prompt=250), a_round(2, prompt=1000), a_round(3)])
    assert [(line.prompt, line.full) for line in tree.lines] == [(250, 250), (1000, 1000), (0, 0)]


def test_what_people_did_is_marked_in_the_round_that_it_was_about() -> None:
    call = a_span("tool", 0, 9, parent_id=2)
    action = Action(kind="approve", span=call, at=START + (LATER - START) / 2)
    tree = a_tree([a_round(1), a_round(2)], actions=[action, Action(kind="stop", at=LATER)])
    assert [line.marks for line in tree.lines] == [[], [500]]
