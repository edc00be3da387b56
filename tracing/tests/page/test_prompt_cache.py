from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracing.models import Span
from tracing.page.budget.prompt_cache import cached_share, compare, read_prefix_match
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

SYSTEM = {"role": "system", "content": "You look after a database of many tables."}
QUESTION = {"role": "user", "content": "How many tables are there in this database?"}
ANSWER = {"role": "assistant", "content": "There are two of them: students and log."}
FUNCTION = {"name": "read_query", "description": "Runs a SELECT."}
TOOL = {"type": "function", "function": FUNCTION}


def elements(*ordinals: int, section: str = "messages") -> list[tuple[str, int]]:
    return [(section, ordinal) for ordinal in ordinals]


def test_a_request_that_only_grew_can_reuse_all_of_the_one_before() -> None:
    match = compare(elements(1, 2, 3), elements(1, 2), {1: 10, 2: 20, 3: 70})
    assert match is not None
    assert (match.is_extension, match.same, match.percent, match.element) == (
        True,
        2,
        30,
        "message 3",
    )


def test_the_first_element_that_differs_ends_what_can_be_reused() -> None:
    match = compare(elements(1, 9, 3), elements(1, 2, 3), {1: 50, 9: 25, 3: 25})
    assert match is not None
    assert (match.is_extension, match.same, match.percent, match.element) == (
        False,
        1,
        50,
        "message 2",
    )


def test_the_same_request_again_has_no_element_that_differs() -> None:
    match = compare(elements(1, 2), elements(1, 2), {1: 1, 2: 1})
    assert match is not None
    assert (match.is_extension, match.percent, match.element) == (True, 100, "")


def test_a_request_that_is_not_cut_into_elements_is_not_compared() -> None:
    assert compare([], elements(1), {}) is None


def test_tools_come_before_the_system_prompt_and_the_messages(db: None) -> None:
    archive = an_archive()
    other = {**TOOL, "function": {**FUNCTION, "name": "write_query"}}
    bodies = [
        {"messages": [SYSTEM, QUESTION], "tools": [TOOL]},
        {"messages": [SYSTEM, QUESTION, ANSWER], "tools": [TOOL, other]},
    ]
    before, request = (
        payloads.store(a_span(archive, number=number), "request", wire(body))
        for number, body in enumerate(bodies, 1)
    )
    match = read_prefix_match(request, before, {})
    assert match is not None
    assert (match.same, match.count, match.element) == (1, 5, "tool 2")
    assert not match.is_message


@pytest.mark.parametrize(
    ("usage", "share"),
    [
        ({"prompt_tokens": 200, "prompt_tokens_details": {"cached_tokens": 150}}, (150, 75)),
        ({"prompt_tokens": 200, "prompt_cache_hit_tokens": 0}, (0, 0)),
        ({"prompt_tokens": 200, "cache_read_input_tokens": 50}, (50, 25)),
        ({"prompt_tokens": 200}, None),
        ({"prompt_tokens": 200, "prompt_tokens_details": None}, None),
        ("much", None),
    ],
)
def test_what_the_provider_says_of_its_cache_is_told(usage: Any, share: Any) -> None:
    assert cached_share(Span(attributes={"usage": usage})) == share


ordinals = st.lists(st.integers(0, 5), max_size=8)


@given(ordinals, ordinals)
def test_what_can_be_reused_is_a_beginning_of_both(now: list[int], before: list[int]) -> None:
    sizes = {ordinal: ordinal + 1 for ordinal in now}
    match = compare(elements(*now), elements(*before), sizes)
    if match is not None:
        assert now[: match.same] == before[: match.same]
        assert 0 <= match.percent <= 100
        assert match.is_extension == (match.same == len(before))
