"""What was left out of the context, as the trace shows it."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tracing.journal import trace_rounds
from tracing.models import Span
from tracing.search.texts import collect
from tracing.stats.aggregates import ended_traces
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import ANSWER, QUESTION, SYSTEM, Page

pytestmark = pytest.mark.django_db

USED = {"usage": {"prompt_tokens": 100, "completion_tokens": 10}, "model": "qwen"}
MICRO = {
    "layer": "micro",
    "results": 3,
    "replaced": [{"tool": "read_log", "characters": 11_000}],
    "left_out_characters": 12_000,
    "tokens_before": 9_000,
}
AUTO = {"layer": "auto", "messages": 14, "tokens_before": 9_000, "context_window": 10_000}


def a_compaction(turn: ATurn, number: int, at: tuple[float, float], **fields: object) -> Span:
    return turn.span("compaction", number, at, parent=turn.root, **fields)


def a_summary(turn: ATurn, number: int, at: tuple[float, float], **fields: object) -> Span:
    span = a_compaction(turn, number, at, attributes=AUTO, name="auto", **fields)
    generation = turn.span("generation", 1, at, parent=span, attributes=USED)
    asked = {"messages": [SYSTEM, {"role": "user", "content": "All that was said"}]}
    said = {"message": {"role": "assistant", "content": "They looked for a bug."}}
    stages = {"input": wire(asked), "request": wire(asked), "output": wire(said)}
    turn.store(generation, stages, {})
    return span


@pytest.fixture
def turn() -> ATurn:
    """A round, a placeholder step and a summary, and a round after them."""
    turn = ATurn(a_user())
    turn.a_round(1, (0, 100))
    asked = {"messages": [SYSTEM, QUESTION]}
    turn.a_generation({"input": wire(asked), "request": wire(asked)}, (0, 90), attributes=USED)
    a_compaction(turn, 1, (100, 101), attributes=MICRO, name="micro")
    a_summary(turn, 2, (101, 501))
    turn.a_round(2, (501, 900))
    asked = {"messages": [SYSTEM, ANSWER]}
    turn.a_generation({"input": wire(asked), "request": wire(asked)}, (501, 900), attributes=USED)
    turn.end(1000)
    return turn


@pytest.fixture
def page(turn: ATurn, client: Client) -> Page:
    return Page(turn, client, turn.archive.owner)


def compaction(turn: ATurn, number: int) -> Span:
    return Span.objects.get(trace=turn.trace, kind="compaction", number=number)


def test_what_was_left_out_stands_before_the_round_that_it_made_room_for(turn: ATurn) -> None:
    first, second = trace_rounds.rounds(turn.trace)
    assert [one.number for one in second.compactions] == [1, 2]
    assert (first.all_compactions, second.after) == ([], [])
    assert trace_rounds.find_round(turn.trace, 2) == second
    assert trace_rounds.find_round(turn.trace, 1) == first


def test_one_that_no_round_followed_is_the_last_round_s(turn: ATurn) -> None:
    a_compaction(turn, 3, (901, 902), attributes=MICRO, status="failed", error="No room.")
    assert [one.number for one in trace_rounds.rounds(turn.trace)[1].after] == [3]


def test_each_of_many_stands_before_its_round() -> None:
    turn = ATurn(a_user())
    for number in range(1, 6):
        if number % 2:
            a_compaction(turn, number, (number * 100, number * 100 + 1), attributes=MICRO)
        turn.a_round(number, (number * 100 + 1, number * 100 + 90))
    found = trace_rounds.rounds(turn.trace)
    assert [[one.number for one in item.compactions] for item in found] == [[1], [], [3], [], [5]]
    assert [trace_rounds.find_round(turn.trace, item.number) for item in found] == found


def test_the_number_of_queries_does_not_grow_with_them(page: Page, turn: ATurn) -> None:
    def queries(round_number: int) -> int:
        with CaptureQueriesContext(connection) as captured:
            page.get(round=str(round_number))
        return len(captured)

    few = queries(2)
    turn.a_round(3, (901, 902))
    for number in range(3, 9):
        a_summary(turn, number, (903, 904))
    turn.a_round(4, (905, 990))
    asked = {"messages": [SYSTEM, ANSWER]}
    turn.a_generation({"input": wire(asked), "request": wire(asked)}, (905, 990), attributes=USED)
    assert queries(4) <= few


def test_the_tree_tells_it_between_the_rounds(page: Page) -> None:
    tree = page.get().split('aria-label="Rounds"')[1].split("</nav>")[0]
    between = tree.split("Round 1</span>")[1].split("Round 2</span>")[0]
    assert "older results shortened" in between
    assert "3 results, 12,000 characters, 9,000 tokens before" in between
    assert "14 messages" in between


def test_a_chosen_summary_shows_its_text_and_the_stages_of_its_model_call(
    page: Page, turn: ATurn
) -> None:
    html = page.get(round=2, span=str(compaction(turn, 2).public_id))
    assert "Before round 2: summarised" in html
    assert "They looked for a bug." in html.split('class="ladder"')[0]
    assert "All that was said" in html.split('id="stage-request"')[1]
    assert "Messages replaced by the summary" in html
    assert "Tokens in of round 2" in html


def test_a_chosen_placeholder_step_asked_no_model(page: Page, turn: ATurn) -> None:
    html = page.get(round=2, span=str(compaction(turn, 1).public_id))
    assert 'class="ladder"' not in html
    assert "Characters left out" in html


def test_a_failed_and_a_superseded_one_say_so(page: Page, turn: ATurn) -> None:
    failed = compaction(turn, 2)
    Span.objects.filter(pk=failed.pk).update(status="failed", error="The model wrote no summary.")
    assert "The model wrote no summary." in page.get(round=2, span=str(failed.public_id))
    Span.objects.filter(pk=failed.pk).update(status="superseded", error="")
    assert "it was started again" in page.get(round=2, span=str(failed.public_id))


def test_its_time_and_tokens_count(page: Page) -> None:
    html = page.get()
    ledger = html.split("Where the time of the turn went")[1].split("</ul>")[0]
    assert "making room in the context" in ledger
    assert "40.1 %" in ledger
    assert "<span>300 → 30 tokens</span>" in html


def test_a_round_is_compared_with_the_round_before_and_not_with_a_summary(page: Page) -> None:
    assert "Compared with <strong>round 1</strong>" in page.get(round=2)


def test_the_digest_counts_its_tokens_once(turn: ATurn) -> None:
    ended_traces.aggregate(turn.trace)
    turn.trace.refresh_from_db()
    assert (turn.trace.tokens_in, turn.trace.rounds) == (300, 2)


def test_a_turn_that_ended_before_its_first_round_shows_it_alone(client: Client) -> None:
    turn = ATurn(a_user())
    a_summary(turn, 1, (0, 100), status="failed", error="Too many requests.")
    turn.end(100, "failed")
    assert "Too many requests." in Page(turn, client, turn.archive.owner).get()


def test_the_round_after_it_names_it_as_what_changed(page: Page, turn: ATurn) -> None:
    html = page.get(round=2)
    assert f"?round=2&amp;span={compaction(turn, 1).public_id}" in html
    assert "context older results shortened</a> (3 results" in html


def compared(client: Client, layer: str, before: list[Any], after: list[Any]) -> str:
    """The request of the round after a compaction."""
    turn = ATurn(a_user())
    turn.a_round(1, (0, 100))
    turn.a_generation({"request": wire({"messages": before})}, (0, 90))
    if layer:
        a_compaction(turn, 1, (100, 101), attributes={"layer": layer}, name=layer)
    turn.a_round(2, (101, 200))
    turn.a_generation({"request": wire({"messages": after})}, (101, 190))
    return Page(turn, client, turn.archive.owner).stage("request", round=2)


SHORT = {"role": "tool", "tool_call_id": "call_1", "content": "x" * 101}
PLACEHOLDER = {"role": "tool", "tool_call_id": "call_1", "content": "[Earlier result]"}
SUMMARY = {"role": "user", "content": "[Summary]"}


def test_a_recorded_placeholder_is_compacted_however_short_it_was(client: Client) -> None:
    before, after = [QUESTION, SHORT], [QUESTION, PLACEHOLDER]
    assert 'data-change="compacted"' in compared(client, "micro", before, after)
    assert 'data-change="compacted"' not in compared(client, "", before, after)


def test_a_recorded_summary_stands_for_all_before_it_also_where_more_was_added(
    client: Client,
) -> None:
    shown = compared(client, "auto", [SYSTEM, QUESTION, ANSWER], [SYSTEM, SUMMARY, SHORT])
    assert "replaces 2 messages" in shown
    assert shown.count('data-change="added"') == 1


def test_what_was_edited_is_no_compaction_where_another_one_was_recorded(client: Client) -> None:
    long = {"role": "user", "content": "A question. " * 100}
    edited = {"role": "user", "content": "A question."}
    shown = compared(client, "micro", [SYSTEM, long], [SYSTEM, edited])
    assert 'data-change="compacted"' not in shown


def test_a_placeholder_step_says_which_results_gave_way(page: Page, turn: ATurn) -> None:
    html = page.get(round=2, span=str(compaction(turn, 1).public_id))
    replaced = html.split('class="compaction-replaced"')[1].split("</ul>")[0]
    assert "read_log" in replaced
    assert "11,000 characters" in replaced


def test_a_summary_says_the_reason_that_was_noted(page: Page, turn: ATurn) -> None:
    span = compaction(turn, 2)
    span.attributes |= {"reason": "The provider rejected the request as too long."}
    span.save()
    assert "rejected the request as too long. The older messages" in page.get(
        round=2, span=str(span.public_id)
    )


def test_a_summary_s_request_can_be_copied_and_tried_in_the_playground(
    page: Page, turn: ATurn
) -> None:
    html = page.get(round=2, span=str(compaction(turn, 2).public_id))
    generation = Span.objects.get(parent__kind="compaction")
    assert f"?attempt={generation.public_id}" in html
    assert f'name="attempt" value="{generation.public_id}"' in html
    assert "Fork after round" not in html


def test_a_search_finds_the_question_of_the_turn_not_what_a_summary_was_made_of() -> None:
    turn = ATurn(a_user())
    a_summary(turn, 1, (0, 100))
    turn.a_round(1, (100, 200))
    turn.a_generation({"input": wire({"messages": [SYSTEM, QUESTION]})}, (100, 190))
    turn.end(200)
    found = collect(turn.trace).text
    assert str(QUESTION["content"]) in found
    assert "All that was said" not in found


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_a_turn_after_a_summary_by_hand_is_compared_with_the_turn_before_it(
    client: Client, status: str
) -> None:
    asked = {"model": "qwen", "messages": [SYSTEM, QUESTION], "tools": [{"name": "count"}] * 20}
    turn = ATurn(a_user(), name="The first question")
    turn.a_round(1, (0, 100))
    turn.a_generation({"request": wire(asked)}, (0, 100), attributes=USED)
    turn.begin("Summary of older messages")
    a_summary(turn, 1, (0, 100), status=status)
    turn.begin("The next question")
    turn.a_round(1, (0, 100))
    turn.a_generation({"request": wire(asked)}, (0, 100), attributes=USED)
    html = Page(turn, client, turn.archive.owner).get(round=1)
    assert "nothing to compare with" not in html
    assert "round 1 of “<bdi>The first question" in html
    assert "Prompt cache" in html
    assert ("14 messages" in html) == (status == "succeeded")
