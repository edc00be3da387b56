from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tracing.models import Archive, Blob, Span
from tracing.page.budget.context_budget import Budget, read_budget
from tracing.store import payloads
from tracing.tests.builders import a_span, an_archive, wire

pytestmark = pytest.mark.django_db

PROMPT = "You look after a database of many tables, and answer what is asked about them."
SYSTEM = {"role": "system", "content": PROMPT}
EARLIER = {"role": "user", "content": "How many tables are there in this database of yours?"}
ANSWER = {"role": "assistant", "content": "There are two of them: one of students, and a log."}
QUESTION = {"role": "user", "content": "And how many rows are there in each of these tables?"}
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": "students 12, log 7" * 5}
TOOL = {"type": "function", "function": {"name": "read_query", "description": "Runs a SELECT."}}
PICTURE = {
    "role": "user",
    "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA" * 9}}],
}


@pytest.fixture
def archive() -> Archive:
    return an_archive()


def budget(
    archive: Archive, body: dict[str, Any], meant: dict[str, Any] | None = None, **noted: Any
) -> Budget:
    span = a_span(archive)
    span.attributes = noted
    request = payloads.store(span, "request", wire(body))
    stored = payloads.store(span, "input", wire(meant)) if meant else None
    found = read_budget(archive, span, request, stored, None)
    assert found is not None
    assert sum(item.bytes for item in found.items) == found.bytes == request.size
    return found


def parts(found: Budget) -> dict[str, int]:
    return {str(item.part): item.bytes for item in found.items}


def test_each_element_belongs_to_a_part(archive: Archive) -> None:
    messages = [SYSTEM, EARLIER, ANSWER, QUESTION, TOLD]
    found = parts(budget(archive, {"model": "m", "messages": messages, "tools": [TOOL]}))
    assert found["system"] == len(wire(SYSTEM))
    assert found["tools"] == len(wire(TOOL))
    assert found["history"] == len(wire(EARLIER)) + len(wire(ANSWER))
    assert found["question"] == len(wire(QUESTION))
    assert found["results"] == len(wire(TOLD))


def test_images_are_told_apart(archive: Archive) -> None:
    found = parts(budget(archive, {"messages": [PICTURE, QUESTION]}))
    assert found["images"] == len(wire(PICTURE))


@pytest.mark.parametrize(
    "result",
    [
        {"role": "user", "content": [{"type": "tool_result", "content": "12" * 40}]},
        {"role": "user", "content": "<tool_response>\n" + "12" * 40 + "\n</tool_response>"},
    ],
)
def test_results_in_a_user_message_are_results(archive: Archive, result: dict[str, Any]) -> None:
    found = parts(budget(archive, {"messages": [QUESTION, result]}))
    assert found["results"] == len(wire(result))
    assert found["question"] == len(wire(QUESTION))


def test_a_system_text_beside_the_messages_is_the_system_prompt(archive: Archive) -> None:
    found = parts(budget(archive, {"max_tokens": 9, "system": PROMPT, "messages": [QUESTION]}))
    assert found["system"] >= len(PROMPT)


def test_definitions_that_the_dialect_wrote_into_the_prompt_are_tools(archive: Archive) -> None:
    written = "\n\n# Tools\n\n<tools>" + "read_query" * 20 + "</tools>"
    sent = {"role": "system", "content": PROMPT + written}
    meant = {"messages": [SYSTEM, QUESTION], "tools": [TOOL]}
    found = parts(budget(archive, {"messages": [sent, QUESTION]}, meant))
    assert found["system"] == len(wire(SYSTEM))
    assert found["tools"] == len(wire(sent)) - len(wire(SYSTEM))


def test_tokens_of_the_parts_sum_to_those_of_the_prompt(archive: Archive) -> None:
    usage = {"prompt_tokens": 101}
    found = budget(archive, {"messages": [SYSTEM, QUESTION]}, usage=usage, context_window=1010)
    assert sum(item.tokens or 0 for item in found.items) == 101
    assert found.filled == 10


def test_without_reported_tokens_there_are_none(archive: Archive) -> None:
    found = budget(archive, {"messages": [SYSTEM, QUESTION]}, context_window="many")
    assert [item.tokens for item in found.items] == [None, None, None]
    assert found.filled is None


def test_results_of_which_the_model_was_not_shown_all_are_counted(archive: Archive) -> None:
    cut = {**TOLD, "is_cut": True}
    said = {**QUESTION, "content": 'a person may write {"is_cut": true} as often as they want'}
    meant = {"messages": [cut, said, TOLD]}
    assert budget(archive, {"messages": [TOLD, QUESTION]}, meant).cut == 1


def test_of_a_long_message_the_beginning_tells_what_it_is(archive: Archive) -> None:
    url = "data:image/png;base64," + "AbC9" * 500_000
    large = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    found = parts(budget(archive, {"messages": [QUESTION, large]}))
    assert found["images"] == len(wire(large))


def test_a_damaged_message_still_has_its_size(archive: Archive) -> None:
    span = a_span(archive)
    request = payloads.store(span, "request", wire({"messages": [QUESTION, TOLD]}))
    Blob.objects.filter(size=len(wire(TOLD))).update(compressed=b"\7changed")
    found = read_budget(archive, span, request, None, None)
    assert found is not None
    assert found.bytes == sum(item.bytes for item in found.items) == request.size


def test_what_a_message_is_is_read_once(
    archive: Archive, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    span = a_span(archive)
    request = payloads.store(span, "request", wire({"messages": [QUESTION, TOLD]}))
    first = read_budget(archive, span, request, None, None)
    with django_assert_num_queries(1):
        assert read_budget(archive, span, request, None, None) == first


def test_a_body_that_is_no_request_is_one_part(archive: Archive) -> None:
    span = a_span(archive)
    request = payloads.store(span, "request", b"\xff" * 500)
    found = read_budget(archive, span, request, None, Span(attributes={}))
    assert found is not None
    assert parts(found) == {"other": 500}
