"""A seed decides everything, and its plan has all kinds of messages and faults."""

import pytest

from tests.chaos import plan


def made(seed: int, faults: str = "all") -> plan.Plan:
    return plan.make(seed, 500, 20, plan.chosen(faults, postgres=True))


def test_the_same_seed_makes_the_same_plan_and_another_one_another() -> None:
    assert made(1) == made(1)
    assert made(1).conversations != made(2).conversations
    assert made(1).faults != made(2).faults


def test_a_long_run_has_every_kind_of_message_and_every_fault() -> None:
    whole = made(1)
    messages = [message for of in whole.conversations for message in of]
    assert len(messages) == 500
    assert {message.kind for message in messages} == set(plan.KINDS)
    assert {message.beside for message in messages} == set(plan.BESIDE)
    assert any(message.edits for message in messages)
    assert {fault.name for fault in whole.faults} == {*plan.FAULTS, *plan.OF_POSTGRES}


def test_no_two_messages_ask_for_the_same_side_effect() -> None:
    messages = [message for of in made(1).conversations for message in of]
    lines = [line for message in messages for line in message.lines]
    assert len(lines) == len(set(lines)) > 100


def test_what_is_sent_does_not_depend_on_the_faults() -> None:
    assert made(1).conversations == made(1, "none").conversations
    assert made(1, "none").faults == []


def test_a_fault_that_does_not_exist_is_said() -> None:
    with pytest.raises(ValueError, match="no such fault: kill-everything"):
        plan.chosen("kill-web,kill-everything", postgres=False)
