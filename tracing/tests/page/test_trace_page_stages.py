"""The stages of a model call on the page of its trace."""

import pytest
from django.test import Client

from tracing.models import Blob, Trace
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.page.pages import (
    ANSWER,
    ASKED,
    QUESTION,
    SYSTEM,
    TOLD,
    TOOL,
    Page,
    address_of,
    stages,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("stage", ["input", "request"])
def test_the_first_round_shows_all_its_messages(page: Page, stage: str) -> None:
    shown = page.stage(stage)
    assert "2 messages" in shown
    assert "You look after a database." in shown
    assert "数据库有几张表" in shown


@pytest.mark.parametrize("stage", ["input", "request"])
def test_a_later_round_folds_what_is_unchanged_and_marks_what_is_new(
    page: Page, stage: str
) -> None:
    shown = page.stage(stage, round=2)
    assert "2 unchanged" in shown
    assert "You look after a database." not in shown
    assert shown.count('data-change="added"') == 2
    assert "students, log" in shown


def test_the_system_blocks_and_tools_of_other_dialects_are_shown(client: Client) -> None:
    turn = ATurn(a_user())
    for number, system in enumerate((["Be brief."], ["Be brief.", "Be kind."]), 1):
        blocks = [{"type": "text", "text": text} for text in system]
        body = {"system": blocks, "messages": [QUESTION], "functions": [TOOL["function"]]}
        turn.a_round(number, (0, 10))
        turn.a_generation({"request": wire(body)}, at=(0, 5))
    page = Page(turn, client, turn.archive.owner)
    assert "Be brief." in page.stage("request", round=1)
    assert "1 tool" in page.stage("request", round=1)
    shown = page.stage("request", round=2)
    assert "Be brief." not in shown
    assert shown.count('data-change="added"') == 1


def test_a_system_text_that_is_no_list_is_shown(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    turn.a_generation(
        {"request": wire({"system": "Be brief. " * 20, "messages": [QUESTION], "max_tokens": 9})},
        at=(0, 5),
    )
    shown = Page(turn, client, turn.archive.owner).stage("request")
    assert '<span class="role">system</span>' in shown
    assert "max_tokens" in shown


def test_no_image_is_carried_into_the_page(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    url = f"data:image/png;base64,{'iVBORw0K' * 5_000}"
    parts = [{"type": "image_url", "image_url": {"url": url}}]
    turn.a_generation({"request": wire({"messages": [{"role": "user", "content": parts}]})}, (0, 5))
    turn.a_call({"result": wire({"data": "iVBORw0K" * 5_000})}, (5, 9), 1)
    page = Page(turn, client, turn.archive.owner)
    for shown in (page.get(), page.get(view="json")):
        assert "image/png · 30.0 KB" in shown
        assert "iVBORw0K" not in shown


def test_what_is_unchanged_can_be_unfolded(page: Page) -> None:
    shown = page.stage("input", round=2, unfold="input")
    assert "You look after a database." in shown


def test_what_the_dialect_wrote_is_told_from_what_was_meant(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    sent = {"role": "system", "content": "You look after a database.\n\n# Tools"}
    turn.a_generation(
        {"input": wire({"messages": [SYSTEM]}), "request": wire({"messages": [sent]})}, (0, 5)
    )
    page = Page(turn, client, turn.archive.owner)
    assert 'Added by the dialect">\n\n# Tools</span>' in page.stage("request")
    assert "Added by the dialect" not in page.stage("input")


def test_a_message_that_is_gone_is_marked_as_removed(page: Page, turn: ATurn) -> None:
    turn.a_round(3, (1900, 2000))
    turn.a_generation(stages([SYSTEM, ANSWER], ANSWER), at=(1900, 2000))
    shown = page.stage("request", round=3)
    assert shown.count('data-change="removed"') == 3
    assert shown.count('data-change="added"') == 1


def test_the_first_round_of_a_turn_is_compared_with_the_turn_before(
    page: Page, turn: ATurn
) -> None:
    turn.begin("And how many rows?")
    turn.a_round(1, (0, 100))
    more = {"role": "user", "content": "And how many rows?"}
    turn.a_generation(stages([SYSTEM, QUESTION, ASKED, TOLD, ANSWER, more], ANSWER), at=(0, 100))
    page.address = turn.trace.get_absolute_url()
    assert "4 unchanged" in page.stage("request")


def test_a_title_is_not_what_a_turn_is_compared_with(page: Page, turn: ATurn) -> None:
    turn.begin("Title of it")
    Trace.objects.filter(pk=turn.trace.pk).update(kind=Trace.Kind.TITLE)
    turn.a_round(1, (0, 100))
    turn.a_generation(stages([SYSTEM], ANSWER), at=(0, 100))
    test_the_first_round_of_a_turn_is_compared_with_the_turn_before(page, turn)


def test_the_response_shows_what_the_model_really_wrote(page: Page) -> None:
    shown = page.stage("response")
    assert "&lt;tool_call&gt;" in shown
    assert "2 events" in shown


def test_the_output_shows_calls_and_parse_errors(page: Page) -> None:
    shown = page.stage("output")
    assert "sqlite-list_tables" in shown
    assert "A call was cut off." in shown


def test_stages_can_be_seen_as_json(page: Page) -> None:
    shown = page.stage("request", view="json")
    assert '<span class="json-key">&quot;messages&quot;</span>' in shown


def test_json_folds_what_is_unchanged(page: Page) -> None:
    shown = page.stage("request", round=2, view="json")
    assert "⋯ 2 unchanged" in shown
    assert "You look after a database." not in shown
    unfolded = page.stage("request", round=2, view="json", unfold="request")
    assert "You look after a database." in unfolded


def test_what_could_not_be_expressed_is_told_with_the_request(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    note = "The model cannot be made to call a tool: it decides by itself."
    turn.a_generation(
        {"request": wire({"messages": [QUESTION]})}, (0, 5), attributes={"notes": [note]}
    )
    assert note in Page(turn, client, turn.archive.owner).stage("request")


def test_a_damaged_stage_says_so_and_the_others_are_shown(page: Page, turn: ATurn) -> None:
    response = turn.archive.blob_set.get(size=len(stages([], {})["response"]))
    Blob.objects.filter(pk=response.pk).update(compressed=b"\0changed")
    assert "The stored data is damaged" in page.stage("response")
    assert "You look after a database." in page.stage("request")


def test_the_bytes_of_a_stage_are_exact_and_can_do_nothing(turn: ATurn, page: Page) -> None:
    response = page.client.get(address_of(turn, "payload"))
    assert response.content == stages([SYSTEM, QUESTION], ASKED)["request"]
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_bytes_that_are_no_text_are_a_download(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    turn.a_generation({"request": b"\xff\xd8\xff"}, at=(0, 5))
    client.force_login(turn.archive.owner)
    response = client.get(address_of(turn, "payload"))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


def test_a_stage_of_another_trace_is_not_found(turn: ATurn, page: Page) -> None:
    other = ATurn(turn.archive.owner)
    wrong = address_of(turn, "payload").replace(
        str(turn.trace.public_id), str(other.trace.public_id)
    )
    assert page.client.get(wrong).status_code == 404


def test_a_large_payload_is_not_put_into_the_page(client: Client) -> None:
    turn = ATurn(a_user())
    turn.a_round(1, (0, 10))
    large = {"role": "user", "content": "x" * 5_000_000}
    turn.a_generation(stages([large, large | {"role": "tool"}], ANSWER), at=(0, 5))
    turn.a_call({"result": wire({"text": "y" * 5_000_000})}, at=(5, 9), number=1)
    page = Page(turn, client, turn.archive.owner)
    assert len(page.get()) < 300_000
    assert len(page.get(view="json")) < 800_000
    assert "more characters: <a" in page.get()
