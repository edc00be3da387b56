"""What is recorded of a turn with subagents, as it leaves: JSON, cassettes, and played again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.cassettes.library import Library
from chat.cassettes.reading import read
from chat.commands.fork import fork
from chat.models import LanguageModel, Preset, Turn
from chat.rerun.replay import COMPACTED, replay
from chat.tests.again.conftest import alone, exported
from chat.tests.engine.delegating import nested, run, task
from tracing.export import trace_json
from tracing.models import Span, Trace
from tracing.stats.aggregates import ended_traces

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]

CALCULATE = 'call calculate {"expr": "6*7"}'


def todo(status: str) -> str:
    items = [{"id": "1", "text": "Find the bug", "status": status}]
    return f"call todo {json.dumps({'items': items})}"


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(name="Agent", tools=["task", "todo", "calculate"])
    made.save()
    return made


@pytest.fixture
def turn(agent: LanguageModel, send: Send) -> Turn:
    """Two subagents at once, and a reminder after three rounds without a look at the list."""
    both = f"{task(CALCULATE)}\n{task('hello')}"
    rounds = [todo("in_progress"), both, CALCULATE, CALCULATE]
    return run(send(agent, "\nthen\n".join(rounds)))


@pytest.fixture
def compacted(model: Model, send: Send, settings: Any) -> Turn:
    """A turn whose model asks for a summary; then its script begins again, up to the ceiling."""
    settings.AGENT_LIMITS = {"rounds": 5}
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(name="Agent", tools=["compact", "calculate"])
    made.save()
    return run(send(made, "\nthen\n".join([CALCULATE, CALCULATE, "call compact {}", CALCULATE])))


def trace_of(turn: Turn) -> Trace:
    assert turn.trace is not None
    return turn.trace


def document(trace: Trace, numbers: list[int]) -> Any:
    return json.loads("".join(trace_json.document(trace, numbers)))


def test_the_json_of_a_turn_has_its_subagents_with_all_their_rounds(turn: Turn) -> None:
    told = document(trace_of(turn), [1, 2])
    calls = [call["span"] for found in told["rounds"] for call in found["tool_calls"]]
    assert [one["call"] in calls for one in told["subagents"]] == [True, True]
    first = told["subagents"][0]["rounds"]
    assert first[0]["tool_calls"][0]["shown"] == "42"
    assert all(found["generations"][0]["request"]["body"] for found in first)


def test_the_json_of_one_round_has_the_subagents_of_that_round(turn: Turn) -> None:
    assert len(document(trace_of(turn), [2])["subagents"]) == 2
    assert document(trace_of(turn), [1])["subagents"] == []


def test_a_cassette_has_subagents_behind_their_turn(turn: Turn) -> None:
    cassette = read(exported(trace_of(turn)))
    began = [call.span for found in cassette.turns[0].rounds for call in found.calls]
    assert [one.call for one in cassette.turns] == ["", began[1], began[2]]
    traces = {str(trace_of(one).public_id) for one in nested(turn)}
    assert {one.trace for one in cassette.turns[1:]} == traces


@pytest.mark.long
def test_a_turn_with_subagents_and_a_reminder_is_played_again_equal(turn: Turn) -> None:
    cassette = alone(trace_of(turn))
    played = list(replay(cassette))
    assert [(one.problem, one.deviation) for one in played] == [("", None)] * 3
    assert [one.equal for one in played] == [5, 2, 1]


def test_a_reminder_was_recorded(turn: Turn) -> None:
    assert '"reminder"' in json.dumps(document(trace_of(turn), [5]))


def test_a_turn_that_made_room_is_served_and_says_why_it_is_not_played_again(
    compacted: Turn,
) -> None:
    cassette = read(exported(trace_of(compacted)))
    summary = cassette.turns[0].summaries[0]
    found = Library(cassette).find(summary.protocol, summary.sent)
    assert getattr(found, "label", "") == "turn 1, a summary"
    (played,) = replay(alone(trace_of(compacted)))
    assert (played.equal, played.problem) == (0, COMPACTED)


def test_the_json_of_a_turn_that_made_room_has_the_summary_s_stages(
    compacted: Turn,
) -> None:
    told = document(trace_of(compacted), [1, 2, 3, 4])
    (made,) = [one for found in told["rounds"] for one in found.get("compactions", [])]
    assert (made["layer"], made["status"]) == ("manual", "succeeded")
    assert made["generations"][0]["request"]["body"]


def test_a_nested_round_is_copied_as_a_program_and_opened_in_the_playground(
    turn: Turn, client: Client
) -> None:
    client.force_login(turn.user)
    inner = trace_of(nested(turn)[0])
    program = client.get(reverse("code:curl_text", args=[inner.public_id, 1]))
    assert "calculate" in program.content.decode()
    fields = {"trace": str(inner.public_id), "round": "1", "attempt": "1"}
    opened = client.post(reverse("playground:create"), fields, follow=True)
    assert f"{inner.get_absolute_url()}?round=1&amp;attempt=1" in opened.content.decode()


def test_so_is_the_call_that_wrote_a_summary(compacted: Turn, client: Client) -> None:
    client.force_login(compacted.user)
    trace = trace_of(compacted)
    asked = Span.objects.filter(parent__kind="compaction", status="succeeded").earliest("pk")
    fields = {"trace": str(trace.public_id), "round": "4", "attempt": str(asked.public_id)}
    program = client.get(
        reverse("code:curl", args=[trace.public_id, 4]), {"attempt": str(asked.public_id)}
    )
    assert "You write the summary" in program.content.decode()
    opened = client.post(reverse("playground:create"), fields, follow=True).content.decode()
    assert f"?round=4&amp;attempt={asked.public_id}" in opened
    page = client.get(trace.get_absolute_url(), {"round": "4", "attempt": str(asked.public_id)})
    assert "Before round 4" in page.content.decode()


def test_a_search_finds_what_a_subagent_did_and_leads_to_it(turn: Turn, client: Client) -> None:
    client.force_login(turn.user)
    for one in (trace_of(turn), *map(trace_of, nested(turn))):
        one.refresh_from_db()
        ended_traces.aggregate(one)
    inner = Trace.objects.get(kind="subagent", name="hello")
    found = client.get(reverse("tracing:list"), {"q": "hello"}).content.decode()
    assert inner.get_absolute_url() in found


def test_a_fork_of_a_turn_with_subagents_has_what_they_reported_and_sends_the_same(
    turn: Turn, agent: LanguageModel
) -> None:
    made = fork(turn.user, trace_of(turn), 2).conversation
    sent = list(turn.conversation.messages.order_by("pk").values_list("body", flat=True))
    kept = list(made.messages.order_by("pk").values_list("body", flat=True))
    assert kept == sent[: len(kept)]
    assert [body["role"] for body in kept[-3:]] == ["assistant", "tool", "tool"]
    assert not Trace.objects.filter(archive=made.archive).exists()
    assert not made.archive.children.exists()


def test_a_reminder_is_marked_as_ours_in_input_and_request(turn: Turn, client: Client) -> None:
    client.force_login(turn.user)
    address = trace_of(turn).get_absolute_url()
    page = client.get(address, {"round": "5", "unfold": "request"}).content.decode()
    for stage in ("input", "request"):
        shown = page.split(f'id="stage-{stage}"')[1].split("</section>")[0]
        assert "Reminder, added by Roundtrip" in shown
