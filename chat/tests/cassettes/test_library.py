"""Which recorded round answers a request, and what is said if none does."""

from typing import Any

import pytest

from chat.cassettes.library import CassetteAttempt, Library, NoMatch
from chat.cassettes.recorded import CassetteGeneration
from chat.tests.cassettes.builders import HELLO, cassette, generation, response, stream

ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'},
        }
    ],
}
THREE = [{"type": "text", "text": "3"}]
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "3"}


def recorded(*messages: Any, text: str = "Hi", **rest: Any) -> list[dict[str, Any]]:
    return [generation(list(messages), response(stream(text)), **rest)]


def find(
    library: Library, *messages: Any, protocol: str = "openai", **rest: Any
) -> CassetteAttempt | NoMatch:
    return library.find(protocol, {"model": "m", "messages": list(messages), **rest})


@pytest.mark.parametrize(
    "messages",
    [
        [*HELLO, ASKED, RESULT],
        [{"role": "user", "content": [{"type": "text", "text": "hello"}]}, ASKED, RESULT],
        [*HELLO, {**ASKED, "content": "", "reasoning_content": "Well."}, RESULT],
        [*HELLO, ASKED, {**RESULT, "tool_call_id": "another", "name": "add"}],
        [
            *HELLO,
            {
                **ASKED,
                "tool_calls": [
                    {"id": "x", "function": {"name": "add", "arguments": '{"b":2,"a":1}'}}
                ],
            },
            RESULT,
        ],
    ],
)
def test_role_and_content_calls_and_results_count_and_nothing_else(messages: list[Any]) -> None:
    library = Library(cassette(recorded(*HELLO), recorded(*HELLO, ASKED, RESULT)))
    found = find(library, *messages, tools=[{"type": "function"}], temperature=1)
    assert isinstance(found, CassetteAttempt)
    assert found.label == "turn 1, round 2"


def test_the_tool_list_of_a_dialect_does_not_count() -> None:
    block = "# Tools\n\nYou may call one or more functions to assist"
    library = Library(
        cassette(
            recorded({"role": "system", "content": f"Be kind.\n\n{block} A"}, *HELLO),
            recorded({"role": "system", "content": f"{block} B"}, *HELLO, ASKED),
        )
    )
    kind = {"role": "system", "content": "Be kind."}
    assert isinstance(find(library, kind, *HELLO), CassetteAttempt)
    assert isinstance(find(library, *HELLO, ASKED), CassetteAttempt)


def test_attempts_come_in_their_order_and_then_from_the_first() -> None:
    attempts = [
        generation(HELLO, response("{}", status=429), status="failed"),
        generation(HELLO, response(stream("Hi")), attempt=2),
    ]
    library = Library(cassette(attempts))
    found = [find(library, *HELLO) for _ in range(3)]
    labels = [take.label for take in found if isinstance(take, CassetteAttempt)]
    assert [label[-1] for label in labels] == ["1", "2", "1"]


def test_an_attempt_that_a_person_stopped_is_given_only_if_there_is_no_other() -> None:
    stopped = recorded(*HELLO, status="cancelled")
    assert isinstance(find(Library(cassette(stopped)), *HELLO), CassetteAttempt)
    both = Library(cassette([*stopped, *recorded(*HELLO, attempt=2)]))
    found = find(both, *HELLO)
    assert isinstance(found, CassetteAttempt)
    assert found.generation.attempt == 2


def test_of_two_models_the_one_that_is_asked_answers() -> None:
    library = Library(cassette(recorded(*HELLO, model="small"), recorded(*HELLO, model="large")))
    found = library.find("openai", {"model": "large", "messages": HELLO})
    assert isinstance(found, CassetteAttempt)
    assert found.generation.model == "large"


def test_the_nearest_round_and_the_first_difference_are_named() -> None:
    library = Library(cassette(recorded(*HELLO), recorded(*HELLO, ASKED, RESULT)))
    found = find(library, *HELLO, ASKED, {**RESULT, "content": "4"})
    assert isinstance(found, NoMatch)
    assert found.sentence == (
        "No recorded round has these messages. The nearest is turn 1, round 2; the first "
        "difference is messages[2].content: recorded '3', sent '4'."
    )


def test_a_difference_is_quoted_from_shortly_before_it() -> None:
    library = Library(cassette(recorded({"role": "user", "content": "x" * 500 + "one"})))
    found = find(library, {"role": "user", "content": "x" * 500 + "two"})
    assert isinstance(found, NoMatch)
    assert found.difference is not None
    assert found.difference.sent == repr("…" + "x" * 20 + "two")


@pytest.mark.parametrize(
    ("messages", "difference"),
    [
        ([], "messages[0].role: recorded 'user', sent nothing more"),
        ([*HELLO, *HELLO], "messages[1].role: recorded nothing more, sent 'user'"),
        ([{**HELLO[0], "role": "system"}], "messages[0].role: recorded 'user', sent 'system'"),
        ([*HELLO, {**ASKED, "content": "?"}], "messages[1].role: recorded nothing more"),
    ],
)
def test_what_is_missing_or_too_much_is_a_difference(messages: list[Any], difference: str) -> None:
    found = find(Library(cassette(recorded(*HELLO))), *messages)
    assert isinstance(found, NoMatch)
    assert difference in found.sentence


def test_a_call_of_another_name_is_a_difference_of_the_calls() -> None:
    library = Library(cassette(recorded(*HELLO, ASKED, RESULT)))
    other = {**ASKED, "tool_calls": [{"function": {"name": "sub", "arguments": "{}"}}]}
    found = find(library, *HELLO, other, RESULT)
    assert isinstance(found, NoMatch)
    assert "messages[1].tool_calls: recorded 'add(" in found.sentence


def test_an_empty_cassette_says_that_it_is_empty() -> None:
    assert "has no such rounds" in str(getattr(find(Library(cassette()), *HELLO), "sentence", ""))


def test_the_messages_api_comes_down_to_the_same_entries() -> None:
    blocks = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Well.", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1, "b": 2}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": THREE},
            {"type": "text", "text": "So?", "cache_control": {"type": "ephemeral"}},
        ]},
    ]  # fmt: skip
    library = Library(cassette([generation(blocks, response(stream("3")), protocol="anthropic")]))
    changed = [
        *blocks[:2],
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "other", "content": "3"},
            {"type": "text", "text": "So?"},
        ]},
    ]  # fmt: skip
    assert isinstance(find(library, *changed, protocol="anthropic"), CassetteAttempt)
    assert isinstance(find(library, *changed), NoMatch)


@pytest.mark.long
def test_a_round_among_ten_thousand_is_found_without_looking_at_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds = [recorded({"role": "user", "content": f"question {n}"}) for n in range(10_000)]
    library = Library(cassette(*rounds))
    monkeypatch.setattr(CassetteGeneration, "sent", property(lambda _: pytest.fail("a scan")))
    found = find(library, {"role": "user", "content": "question 9876"})
    assert isinstance(found, CassetteAttempt)
    assert found.label == "turn 1, round 9877"
