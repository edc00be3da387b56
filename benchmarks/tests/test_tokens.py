from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stub.text import timed_tokens
from benchmarks.tokens import TokenTally


def tallied(expected: int, *indexes: int) -> TokenTally:
    tally = TokenTally(expected)
    for index in indexes:
        tally.feed(f" {index}:1000.", 1500)
    return tally


def test_latency_is_receipt_minus_send_time() -> None:
    assert tallied(2, 0, 1).latencies_us == [500, 500]


def test_a_token_that_never_came_is_lost() -> None:
    tally = tallied(4, 0, 1, 3)
    assert (tally.lost, tally.duplicated, tally.reordered) == (1, 0, 0)


def test_a_token_that_came_twice_is_duplicated() -> None:
    tally = tallied(3, 0, 1, 1, 2)
    assert (tally.lost, tally.duplicated, tally.reordered) == (0, 1, 0)
    assert len(tally.latencies_us) == 3


def test_a_token_behind_a_later_one_is_reordered() -> None:
    tally = tallied(3, 0, 2, 1)
    assert (tally.lost, tally.duplicated, tally.reordered) == (0, 0, 1)


def test_an_unexpected_token_does_not_stand_for_a_lost_one() -> None:
    assert tallied(3, 0, 1, 7).lost == 1


def test_a_restart_counts_the_text_anew_and_no_latency_twice() -> None:
    tally = tallied(4, 0, 1)
    tally.restart("0:1000. 1:1000. 2:1000.", 9000)
    tally.feed(" 3:1000.", 9000)
    assert (tally.lost, tally.duplicated, tally.reordered) == (0, 0, 0)
    assert tally.latencies_us == [500, 500, 8000, 8000]


@given(st.integers(0, 60), st.lists(st.integers(1, 30)))
def test_the_count_does_not_depend_on_where_the_text_is_cut(count: int, lengths: list[int]) -> None:
    text, tally = "".join(timed_tokens(count)), TokenTally(count)
    for length in lengths:
        tally.feed(text[:length], 0)
        text = text[length:]
    tally.feed(text, 0)
    assert (tally.lost, tally.duplicated, tally.reordered) == (0, 0, 0)
