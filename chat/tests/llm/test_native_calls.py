"""What servers make of streamed calls."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.llm.dialects.contract import Answer
from chat.llm.dialects.native import Native
from chat.llm.messages import NO_NAME, UNNAMED
from chat.tests.llm.conversations import asked, cuts, ids, piece


def read(*entries: dict[str, Any]) -> Answer:
    """The answer of a stream whose deltas have these calls' pieces, one each."""
    return read_lists(*([entry] for entry in entries))


def read_lists(*lists: Any) -> Answer:
    parser = Native().stream()
    for entries in lists:
        parser.feed({"tool_calls": entries})
    return parser.finish()[1]


def test_the_id_may_come_only_once_and_arguments_in_pieces() -> None:
    answer = read(
        piece("", "f", index=0, id="x", type="function"),
        piece('{"a"', index=0),
        piece(": 1}", index=0),
    )

    assert (ids(answer), asked(answer)) == (["x"], [("f", '{"a": 1}')])


def test_calls_may_be_interleaved() -> None:
    answer = read(
        piece("", "f", index=0, id="x"),
        piece("", "g", index=1, id="y"),
        piece('{"a":', index=0),
        piece('{"b":', index=1),
        piece("1}", index=0),
        piece("2}", index=1),
    )

    assert asked(answer) == [("f", '{"a":1}'), ("g", '{"b":2}')]


def test_calls_are_in_the_order_of_their_indexes() -> None:
    answer = read(piece("{}", "g", index=1, id="y"), piece("{}", "f", index=0, id="x"))

    assert ids(answer) == ["x", "y"]


def test_calls_without_index_are_told_apart_by_id() -> None:
    answer = read(
        piece('{"a":', "f", id="x"),
        piece('{"b":', "g", id="y"),
        piece("1}", id="x"),
        piece("2}", id="y"),
    )

    assert asked(answer) == [("f", '{"a":1}'), ("g", '{"b":2}')]


def test_a_piece_with_neither_index_nor_id_belongs_to_the_latest_call() -> None:
    answer = read(
        piece("", "f", id="x"), piece("{}"), piece("", "g", id="y"), piece('{"a":'), piece("1}")
    )

    assert asked(answer) == [("f", "{}"), ("g", '{"a":1}')]


@pytest.mark.parametrize("key", [{"index": 0}, {"id": "x"}, {"index": 0, "id": "x"}, {}])
def test_a_name_may_be_repeated_in_every_piece(key: dict[str, Any]) -> None:
    answer = read(*(piece(text, "f", **key) for text in ["", '{"a": ', '"b', '"}', ""]))

    assert asked(answer) == [("f", '{"a": "b"}')]


def test_a_name_may_come_in_pieces() -> None:
    answer = read(piece("", "get_", index=0, id="x"), piece("{}", "weather", index=0))

    assert asked(answer) == [("get_weather", "{}")]


@pytest.mark.parametrize("key", [{"index": 0}, {}])
def test_whole_calls_that_share_an_index_or_have_none_are_told_apart_by_id(
    key: dict[str, Any],
) -> None:
    answer = read(*(piece("", "f", id=one, **key) for one in "xyz"))

    assert ids(answer) == ["x", "y", "z"]


@pytest.mark.parametrize("key", [{"index": 0}, {"index": 0, "id": ""}, {}, {"id": "x"}])
def test_whole_calls_that_nothing_tells_apart_end_with_their_arguments(
    key: dict[str, Any],
) -> None:
    answer = read(*(piece(f'{{"n": {n}}}', "f", **key) for n in range(3)))

    assert asked(answer) == [("f", '{"n": 0}'), ("f", '{"n": 1}'), ("f", '{"n": 2}')]
    assert len(set(ids(answer))) == 3


@pytest.mark.parametrize("key", [{"index": 0}, {}, {"id": "x"}])
def test_a_name_by_itself_after_a_complete_call_begins_another_with_the_arguments_that_follow(
    key: dict[str, Any],
) -> None:
    head, rest = piece("", "f", **key), {name: key[name] for name in key if name == "index"}

    answer = read(*(one for n in "123" for one in (head, piece('{"n":', **rest), piece(n + "}"))))

    assert asked(answer) == [("f", '{"n":1}'), ("f", '{"n":2}'), ("f", '{"n":3}')]
    assert len(set(ids(answer))) == 3


@pytest.mark.parametrize("key", [{"index": 0}, {}, {"id": "x"}])
def test_a_name_once_more_at_the_end_changes_nothing(key: dict[str, Any]) -> None:
    assert asked(read(piece("{}", "f", **key), piece("", "f", **key))) == [("f", "{}")]


def test_another_name_after_a_complete_call_of_the_same_index_is_another_call() -> None:
    answer = read(piece("{}", "f", index=0), piece("", "g", index=0), piece("[]", index=0))

    assert asked(answer) == [("f", "{}"), ("g", "[]")]


def test_pieces_of_one_index_and_id_are_one_call_whatever_they_are() -> None:
    answer = read(*[piece("{}", "f", index=0, id="x")] * 2)

    assert asked(answer) == [("f", "{}{}")]
    assert answer.errors


def test_another_name_without_index_is_another_call() -> None:
    assert asked(read(piece("", "f"), piece("", "g"))) == [("f", ""), ("g", "")]


def test_entries_of_one_list_without_index_are_calls_of_their_own() -> None:
    answer = read_lists([piece("", "f"), piece("", "f"), piece("", "f")])

    assert asked(answer) == [("f", "")] * 3


def test_an_id_that_changes_with_every_piece_changes_nothing() -> None:
    answer = read(
        piece("", "f", index=0, id="x"),
        piece('{"a":', index=0, id="y"),
        piece("1}", index=0, id="z"),
    )

    assert (ids(answer), asked(answer)) == (["x"], [("f", '{"a":1}')])


def test_an_id_on_two_indexes_is_two_calls() -> None:
    answer = read(piece("{}", "f", index=0, id="x"), piece("{}", "g", index=1, id="x"))

    assert len(set(ids(answer))) == 2
    assert list(answer.reissued.values()) == ["x"]


def test_fifty_parallel_calls_in_one_delta_are_fifty_calls() -> None:
    answer = read_lists([piece("{}", "f", index=n, id=f"x{n}") for n in range(50)])

    assert ids(answer) == [f"x{n}" for n in range(50)]


def test_arguments_cut_by_the_limit_are_reported_with_the_cause() -> None:
    parser = Native().stream()
    parser.feed({"tool_calls": [piece('{"query": "SEL', "f", index=0, id="x")]})

    _, answer = parser.finish("length")

    assert asked(answer) == [("f", '{"query": "SEL')]
    assert answer.errors[-1] == "The answer was cut at the limit of its length."


@given(data=st.data())
def test_every_way_of_cutting_arguments_gives_the_same_calls(data: st.DataObject) -> None:
    texts = ['{"a": "}{", "b": [1]}', '{"c": "\\"\U0001f600"}']
    steps = [
        piece(text, "f" if n == 0 else None, index=index)
        for index, arguments in enumerate(texts)
        for n, text in enumerate(["", *data.draw(cuts(arguments))])
    ]

    assert asked(read(*steps)) == [("f", text) for text in texts]


@pytest.mark.parametrize("key", [{"id": "x"}, {"index": 0, "id": "x"}, {"index": 0}])
def test_a_call_without_a_name_stays_a_call(key: dict[str, Any]) -> None:
    answer = read(piece('{"a"', "", **key), piece(": 1}", **key))
    assert (asked(answer), answer.errors) == ([(UNNAMED, '{"a": 1}')], [NO_NAME])


def test_an_entry_that_asks_for_nothing_is_no_call() -> None:
    answer = read(piece("{}", "f", index=0, id="x"), piece("", "", index=1))
    assert (ids(answer), answer.errors) == (["x"], ["An empty tool call was left out."])


def test_parameters_are_taken_for_the_arguments_and_noted() -> None:
    answer = read({"id": "x", "function": {"name": "f", "parameters": {"a": 1}}})
    assert (asked(answer), answer.errors) == ([("f", '{"a": 1}')], [])
    assert answer.notes == ["The arguments of a call of f stood under parameters; they were taken."]


@pytest.mark.parametrize("key", ["args", "input", "kwargs"])
def test_arguments_of_another_name_are_an_error_and_are_not_run(key: str) -> None:
    answer = read({"id": "x", "function": {"name": "f", key: {"a": 1}}})
    assert asked(answer) == [("f", f'"{key}": {{"a": 1}}')]
    assert len(answer.errors) == 2


def test_a_name_beside_the_id_is_taken_and_noted() -> None:
    answer = read({"id": "x", "name": "f", "arguments": {"a": 1}})
    assert (asked(answer), len(answer.notes), answer.errors) == ([("f", '{"a": 1}')], 1, [])
