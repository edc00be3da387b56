"""The engine runs again over what was recorded, and says where it asks something else."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from chat.cassettes import walkthrough
from chat.llm.dialects import nous_prompt
from chat.models import LanguageModel, Preset, Turn
from chat.rerun.replay import ReplayedTurn, replay
from chat.rerun.report import difference_lines
from chat.tests.again.conftest import alone
from tools.models import Server, ServerTool

pytestmark = pytest.mark.long

Ask = Callable[..., Turn]
Make = Callable[..., LanguageModel]


@pytest.fixture(autouse=True)
def no_pauses(settings: Settings) -> None:
    settings.RETRY_SECONDS = 0


def replayed(turn: Turn) -> ReplayedTurn:
    assert turn.trace is not None
    (found,) = replay(alone(turn.trace))
    return found


def test_the_walkthrough_replays_equal(walkthrough_model: LanguageModel, ask: Ask) -> None:
    first = ask(walkthrough_model, walkthrough.questions()[0])
    turn = ask(walkthrough_model, walkthrough.questions()[3], first.conversation)
    found = replayed(turn)
    assert list(difference_lines(found)) == []
    assert (found.equal, found.expected) == (3, 3)


def test_a_changed_preamble_is_named_at_the_first_request(
    walkthrough_model: LanguageModel, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = ask(walkthrough_model, walkthrough.questions()[0])
    changed = nous_prompt.TOOLS_BLOCK.replace("assist with the user", "help with the user")
    monkeypatch.setattr(nous_prompt, "TOOLS_BLOCK", changed)
    found = replayed(turn)
    assert found.deviation is not None
    assert (found.deviation.number, found.deviation.label) == (1, "round 1, attempt 1")
    assert found.deviation.difference.place == "messages[0].content"
    said = "\n".join(difference_lines(found))
    assert "-You may call one or more functions to assist with the user query." in said
    assert "+You may call one or more functions to help with the user query." in said


@pytest.mark.parametrize("dialect", ["native", "nous", "functions"])
def test_rounds_with_calls_replay_equal(stub_model: Make, ask: Ask, dialect: str) -> None:
    name = "stub-t2-k2-n20-nous" if dialect == "nous" else "stub-t2-k2-n20"
    turn = ask(stub_model(name, dialect=dialect, parameters={"temperature": 0.5}), "hello")
    found = replayed(turn)
    assert list(difference_lines(found)) == []
    assert found.equal == 3


@pytest.mark.parametrize("fault", ["f429-w1", "f500", "freset", "feof", "fdrop", "fbadjson"])
def test_failed_attempts_are_made_again(stub_model: Make, ask: Ask, fault: str) -> None:
    found = replayed(ask(stub_model(f"stub-n20-{fault}-x1"), "hello"))
    assert list(difference_lines(found)) == []
    assert (found.equal, found.expected) == (2, 2)


def test_a_turn_that_failed_replays_equal(stub_model: Make, ask: Ask) -> None:
    found = replayed(ask(stub_model("stub-f401"), "hello"))
    assert list(difference_lines(found)) == []
    assert found.equal == 1


def test_a_result_that_differs_from_the_recorded_shows_in_the_next_request(
    stub_model: Make, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = ask(stub_model("stub-t1-k1-n20"), "hello")
    monkeypatch.setattr("tools.values.call.MAX_SHOWN_RESULT", 0)
    found = replayed(turn)
    assert found.deviation is not None
    assert (found.deviation.number, found.equal) == (2, 1)
    assert found.deviation.difference.place == "messages[2].content"


def test_a_request_too_many_is_a_difference(stub_model: Make, ask: Ask) -> None:
    turn = ask(stub_model("stub-t1-k1-n20"), "hello")
    assert turn.trace is not None
    cassette = alone(turn.trace)
    recorded = cassette.turns[0]
    (found,) = replay(replace(cassette, turns=(replace(recorded, rounds=recorded.rounds[:1]),)))
    assert found.deviation is not None
    assert found.deviation.label == "after the last round"


def test_a_turn_that_ends_too_early_is_said(stub_model: Make, ask: Ask) -> None:
    turn = ask(stub_model("stub-n20"), "hello")
    assert turn.trace is not None
    cassette = alone(turn.trace)
    recorded = cassette.turns[0]
    twice = replace(recorded, rounds=(*recorded.rounds, *recorded.rounds))
    (found,) = replay(replace(cassette, turns=(twice,)))
    assert list(difference_lines(found)) == [
        "Turn 'hello': The turn ended (done) before all that was recorded had been asked."
    ]


def test_ids_of_calls_that_we_make_up_may_vary(stub_model: Make, ask: Ask) -> None:
    found = replayed(ask(stub_model("stub-t2-k1-n20-qnoid"), "hello"))
    assert list(difference_lines(found)) == []
    assert found.equal == 2


def test_calls_that_a_person_denied_or_changed_are_as_they_were_decided(
    stub_model: Make, ask: Ask
) -> None:
    turn = ask(stub_model("stub-t2-k1-n20"), "hello")
    assert turn.trace is not None
    cassette = alone(turn.trace)
    first, second = cassette.turns[0].rounds[0].calls
    denied = replace(first, status="denied", result=None, error="Not today.")
    edited = replace(second, edited_arguments='{"expression": "1"}')
    rounds = (replace(cassette.turns[0].rounds[0], calls=(denied, edited)),)
    changed = replace(cassette.turns[0], rounds=(*rounds, *cassette.turns[0].rounds[1:]))
    (found,) = replay(replace(cassette, turns=(changed,)))
    said = "\n".join(difference_lines(found))
    assert "+The user did not allow this call. Reason: Not today." in said


def test_the_messages_api_replays_equal_its_signed_thinking_included(
    stub_model: Make, ask: Ask
) -> None:
    model = stub_model("stub-t2-k2-n20-z5", kind="anthropic", parameters={"max_tokens": 500})
    first = ask(model, "hello")
    found = replayed(ask(model, "And then?", first.conversation))
    assert list(difference_lines(found)) == []
    assert found.equal == 3


def test_a_cut_result_has_the_name_by_which_it_was_read_on(
    stub_model: Make, ask: Ask, settings: Any
) -> None:
    settings.TOOL_RESULT_CHARACTERS = 0
    found = replayed(ask(stub_model("stub-t1-k2-n20"), "hello"))
    assert list(difference_lines(found)) == []
    assert found.equal == 3


def test_a_turn_that_was_stopped_ends_with_its_last_request(stub_model: Make, ask: Ask) -> None:
    turn = ask(stub_model("stub-t1-k1-n20"), "hello")
    assert turn.trace is not None
    cassette = alone(turn.trace)
    first, last = cassette.turns[0].rounds
    stopped = replace(last, generations=(replace(last.generations[0], status="cancelled"),))
    recorded = replace(cassette.turns[0], status="stopped", rounds=(first, stopped))
    (found,) = replay(replace(cassette, turns=(recorded,)))
    assert list(difference_lines(found)) == []
    assert found.equal == 2


def test_an_attempt_that_a_crash_ended_is_not_made_again(stub_model: Make, ask: Ask) -> None:
    turn = ask(stub_model("stub-n20"), "hello")
    assert turn.trace is not None
    cassette = alone(turn.trace)
    only = cassette.turns[0].rounds[0]
    cut = replace(only.generations[0], status="superseded", response=None)
    crashed = replace(only, generations=(cut, replace(only.generations[0], attempt=2)))
    (found,) = replay(replace(cassette, turns=(replace(cassette.turns[0], rounds=(crashed,)),)))
    assert list(difference_lines(found)) == []
    assert found.equal == 1


@pytest.fixture
def searching(stub_model: Make) -> Callable[[str], LanguageModel]:
    """A model that is offered forty tools, and searches for one that it was not sent."""

    def make(dialect: str) -> LanguageModel:
        server = Server.objects.create(name="many", command="x", policy="allow")
        about = [*(f"Does something odd, number {n}" for n in range(40)), "查询城市的天气预报"]
        for position, description in enumerate(about):
            ServerTool.objects.create(
                server=server,
                name=f"tool_{position}",
                description=description,
                position=position,
                input_schema={"type": "object", "properties": {}},
                hash="x",
                approved_hash="x",
            )
        preset = Preset.objects.create(name="Agent", tools=["*-*", "calculate"])
        return stub_model("stub-r0-ask-n5", dialect=dialect, preset=preset)

    return make


# Escaped: by the words of the message itself the tool would be sent from the beginning.
QUERY = json.dumps({"query": "天气预报"})
SEARCH = f'call search_tools {QUERY}\nthen\ncall calculate {{"expr": "6*7"}}'


@pytest.mark.parametrize("dialect", ["native", "functions"])
def test_a_turn_in_which_the_model_searched_for_tools_replays_equal(
    searching: Callable[[str], LanguageModel], ask: Ask, dialect: str
) -> None:
    turn = ask(searching(dialect), SEARCH)
    assert turn.trace is not None
    cassette = alone(turn.trace)
    first, second, third = cassette.turns[0].rounds
    assert "many-tool_40" in str(second.tools)
    assert (first.tools, third.tools) == (None, None)
    (found,) = replay(cassette)
    assert list(difference_lines(found)) == []
    assert (found.equal, found.expected) == (3, 3)


def test_a_change_shows_at_the_first_request_behind_the_search_too(
    searching: Callable[[str], LanguageModel], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = ask(searching("native"), SEARCH)
    monkeypatch.setattr("tools.values.call.MAX_SHOWN_RESULT", 0)
    found = replayed(turn)
    assert found.deviation is not None
    assert (found.deviation.number, found.equal) == (2, 1)


def test_an_older_cassette_does_not_say_what_a_search_changed(
    searching: Callable[[str], LanguageModel], ask: Ask
) -> None:
    turn = ask(searching("native"), SEARCH)
    assert turn.trace is not None
    cassette = alone(turn.trace)
    older = tuple(replace(one, tools=None) for one in cassette.turns[0].rounds)
    (found,) = replay(replace(cassette, turns=(replace(cassette.turns[0], rounds=older),)))
    assert "does not say how" in found.problem
