"""Frames against docs/protocol.md are named; those that it allows are not."""

from typing import Any

import pytest

from tests.chaos.state_machine import Frame, StateMachine

TURN = {"type": "turn", "turn": "t", "epoch": 1, "state": "streaming"}
BEGIN = {"type": "generation", "turn": "t", "epoch": 1, "generation": "g", "state": "running"}
TEXT = {"type": "delta", "turn": "t", "epoch": 1, "generation": "g", "part": "content"}
HELLO = {**TEXT, "offset": 0, "text": "Hello 😀"}
BLOCK = {"type": "block", "turn": "t", "epoch": 1, "generation": "g", "part": "content"}
CALL = {"type": "call", "turn": "t", "call": "c"}


def broken(*frames: Frame) -> list[str]:
    """The rules that these frames break, as events with ids without a gap."""
    return broken_as_sent(*({"id": f"1-{n}", **frame} for n, frame in enumerate(frames, 1)))


def broken_as_sent(*frames: Frame) -> list[str]:
    rules: list[str] = []
    machine = StateMachine(lambda rule, _: rules.append(rule))
    for frame in frames:
        machine.take(frame)
    return rules


def snapshot(cursor: str, **turn: Any) -> Frame:
    whole = {**TURN, "attempt": None, "running": None, "calls": [], **turn}
    return {"type": "snapshot", "cursor": cursor, "turns": [whole]}


def test_an_answer_in_order_breaks_nothing() -> None:
    more = {**TEXT, "offset": 8, "text": "!"}
    ended = {**BEGIN, "state": "succeeded"}
    block = {**BLOCK, "index": 0, "start": 0, "end": 9}
    assert broken(TURN, BEGIN, HELLO, more, block, ended, {**TURN, "state": "done"}) == []


@pytest.mark.parametrize(
    ("frames", "rule"),
    [
        ([TURN, HELLO], "text of a generation that has not begun"),
        ([TURN, HELLO, BEGIN], "a generation begins after its text"),
        ([TURN, BEGIN, BEGIN], "it begins twice"),
        ([TURN, BEGIN, {**BEGIN, "state": "failed"}, HELLO], "that has ended"),
        ([TURN, BEGIN, {**HELLO, "offset": 3}], "text that does not fit"),
        ([{**TURN, "state": "done"}, TURN], "a turn that was done is streaming"),
        ([{**TURN, "state": "done"}, BEGIN], "begins in a turn that has ended"),
        ([TURN, BEGIN, {**TURN, "state": "stopped"}, HELLO], "text of a turn that has ended"),
        ([TURN, BEGIN, {**BLOCK, "index": 0, "end": 4}], "text that has not come"),
        ([TURN, BEGIN, HELLO, {**BLOCK, "index": 1, "end": 4}], "a block is missing"),
        ([{**CALL, "state": "succeeded"}, {**CALL, "state": "sent"}], "was succeeded is sent"),
        ([{**CALL, "state": "sent"}, {**CALL, "state": "proposed"}], "was sent is proposed"),
    ],
)
def test_a_frame_against_the_order_is_named(frames: list[Frame], rule: str) -> None:
    assert any(rule in one for one in broken(*frames))


def test_a_missing_event_is_named_once() -> None:
    assert broken_as_sent({"id": "1-1", **TURN}, {"id": "1-3", **TURN}, {"id": "1-4", **TURN}) == [
        "a gap in the numbers"
    ]


def test_another_incarnation_without_a_snapshot_is_named() -> None:
    assert broken_as_sent({"id": "1-1", **TURN}, {"id": "2-1", **TURN}) == ["no snapshot"]


def test_another_incarnation_with_a_snapshot_breaks_nothing() -> None:
    running = {"generation": "g", "round": 1, "epoch": 1, "parts": {"content": "Hello"}}
    frames = [{"id": "1-1", **TURN}, snapshot("2-4", running=running)]
    assert broken_as_sent(*frames, {"id": "2-5", **TEXT, "offset": 5, "text": "!"}) == []


def test_an_ended_turn_that_a_snapshot_shows_running_is_named() -> None:
    frames = [{"id": "1-1", **TURN, "state": "done"}, snapshot("2-1")]
    assert broken_as_sent(*frames) == ["a turn that was done is streaming, in a snapshot"]


def test_text_of_an_older_epoch_and_old_events_are_dropped() -> None:
    frames = [{**TURN, "epoch": 2}, HELLO, {**BEGIN, "epoch": 2}]
    assert broken(*frames) == []
    assert broken_as_sent({"id": "1-2", **TURN}, {"id": "1-2", **HELLO}) == []


def test_a_call_that_may_be_repeated_is_sent_again() -> None:
    states = ("proposed", "approved", "sent", "approved", "sent", "succeeded")
    assert broken(*({**CALL, "state": state} for state in states)) == []
