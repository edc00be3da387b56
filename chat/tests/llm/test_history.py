from hypothesis import given
from hypothesis import strategies as st

from chat.llm.history import INTERRUPTED, complete_history, in_call_order
from chat.llm.messages import Message
from chat.tests.llm.conversations import assistant, call, result, system, user

ONE, TWO = call("f", call_id="1"), call("g", call_id="2")

histories = st.lists(
    st.one_of(
        st.builds(user, st.just("?")),
        st.builds(system, st.just("!")),
        st.builds(result, st.text(max_size=2), st.sampled_from(["", "1", "2", "3"])),
        st.lists(st.sampled_from(["", "1", "2"]), max_size=3).map(
            lambda ids: assistant("", *(call("f", call_id=one) for one in ids))
        ),
    ),
    max_size=10,
)


def test_a_complete_history_stays_as_it_is() -> None:
    history = [system("s"), user("?"), assistant("", ONE, TWO), result("a", "1"), result("b", "2")]

    assert complete_history(history) == history


def test_results_are_brought_into_the_order_of_the_calls() -> None:
    first, second = result("a", "1"), result("b", "2")

    assert complete_history([assistant("", ONE, TWO), second, first])[1:] == [first, second]


def test_a_result_that_comes_late_is_brought_to_its_call() -> None:
    asked, late = assistant("", ONE), result("a", "1")

    assert complete_history([asked, user("?"), late]) == [asked, late, user("?")]


def test_a_missing_result_becomes_an_error_that_says_so() -> None:
    assert complete_history([assistant("", ONE), user("?")])[1] == {
        "role": "tool",
        "tool_call_id": "1",
        "content": INTERRUPTED,
        "is_error": True,
    }


def test_a_second_result_for_the_same_call_is_left_out() -> None:
    history = [assistant("", ONE), result("first", "1"), result("second", "1")]

    assert complete_history(history) == history[:2]


def test_a_result_without_a_call_is_left_out() -> None:
    assert complete_history([user("?"), result("a", "1")]) == [user("?")]


def test_a_result_before_its_call_is_not_its_result() -> None:
    history = complete_history([result("early", "1"), assistant("", ONE)])

    assert [message["content"] for message in history] == ["", INTERRUPTED]


def test_ids_that_each_round_uses_again_belong_to_the_latest_round() -> None:
    history = [assistant("", ONE), result("a", "1"), assistant("", ONE), result("b", "1")]

    assert complete_history(history) == history


def test_a_duplicate_id_within_a_message_gets_another_with_its_own_result() -> None:
    completed = complete_history([assistant("", ONE, ONE), result("a", "1"), result("b", "1")])

    asked, *answers = completed
    ids = [one["id"] for one in asked["tool_calls"]]
    assert len(set(ids)) == 2
    assert [(one["tool_call_id"], one["content"]) for one in answers] == [
        (ids[0], "a"),
        (ids[1], "b"),
    ]


def test_calls_and_results_without_ids_are_paired_in_order() -> None:
    nameless = call("f", call_id="")

    completed = complete_history([assistant("", nameless, nameless), result("a", ""), user("?")])

    assert [message["content"] for message in completed] == ["", "a", INTERRUPTED, "?"]
    assert completed[1]["tool_call_id"] == completed[0]["tool_calls"][0]["id"] != ""


@given(history=histories)
def test_every_call_has_its_own_id_and_one_result_right_behind(history: list[Message]) -> None:
    completed = iter(complete_history(history))

    for message in completed:
        assert message["role"] != "tool"
        ids = [one["id"] for one in message.get("tool_calls", [])]
        assert len(set(ids) - {""}) == len(ids)
        assert [next(completed)["tool_call_id"] for _ in ids] == ids


@given(history=histories)
def test_completing_twice_changes_nothing_more(history: list[Message]) -> None:
    completed = complete_history(history)

    assert complete_history(completed) == completed


@given(history=histories)
def test_everything_but_results_keeps_its_order(history: list[Message]) -> None:
    def others(messages: list[Message]) -> list[object]:
        return [(one["role"], one["content"]) for one in messages if one["role"] != "tool"]

    assert others(complete_history(history)) == others(history)


def test_call_order_sorts_only_results_that_stand_together() -> None:
    first, second, unknown = result("a", "1"), result("b", "2"), result("c", "3")
    asked = assistant("", ONE, TWO)

    assert in_call_order([asked, unknown, second, user("?"), first]) == [
        asked,
        second,
        unknown,
        user("?"),
        first,
    ]
