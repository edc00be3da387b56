"""How long a turn was held up is counted from the end of the last fault in its silence."""

from tests.chaos.journal import Lines
from tests.chaos.recovery import by_fault, held_up


def fault(name: str, began: float, ended: float) -> dict[str, object]:
    return {"kind": "fault", "name": name, "began": began, "ended": ended, "error": ""}


def gap(began: float, ended: float) -> dict[str, object]:
    return {"kind": "gap", "turn": "t", "tab": "p", "began": began, "ended": ended}


def seconds(*lines: dict[str, object]) -> list[float]:
    return [one.seconds for one in held_up(Lines(list(lines)))]


def test_a_kill_is_counted_from_its_moment_and_a_lock_from_its_end() -> None:
    assert seconds(fault("kill-web", 10, 10), gap(9, 12.5)) == [2.5]
    assert seconds(fault("lock-database", 10, 20), gap(9, 22)) == [2]


def test_of_two_faults_the_last_one_counts() -> None:
    assert seconds(fault("kill-web", 10, 10), fault("kill-turns", 15, 15), gap(9, 22)) == [7]


def test_silence_without_a_fault_and_silence_that_ends_in_one_are_not_counted() -> None:
    assert seconds(fault("kill-web", 30, 30), gap(9, 22)) == []
    assert seconds(fault("redis-down", 10, 20), gap(9, 18)) == []


def test_a_fault_has_the_silences_in_which_it_was_alone() -> None:
    lines = [fault("kill-web", 10, 10), fault("kill-turns", 40, 40), fault("kill-web", 41, 41)]
    (turns, web) = by_fault(Lines([*lines, gap(9, 12), gap(9, 14), gap(39, 55)]))
    assert (web.fault, web.count, web.held, web.longest) == ("kill-web", 2, [2, 4], 4)
    assert (turns.fault, turns.held) == ("kill-turns", [])
