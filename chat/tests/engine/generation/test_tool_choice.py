"""More tools than are sent: what goes along, what a search finds, what can be called all the
same."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import Conversation, LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from tools.catalogue import switches
from tools.models import Server, ServerTool
from tracing.models import Payload, Span
from tracing.store import payloads

pytestmark = pytest.mark.long
Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


def a_server(name: str, descriptions: list[str], **fields: Any) -> None:
    server = Server.objects.create(name=name, command="x", policy="allow", **fields)
    for position, description in enumerate(descriptions):
        ServerTool.objects.create(
            server=server,
            name=f"tool_{position}",
            description=description,
            position=position,
            input_schema={"type": "object", "properties": {"city": {"description": "Where."}}},
            hash="x",
            approved_hash="x",
        )


@pytest.fixture
def agent(model: Model) -> LanguageModel:
    a_server("many", [f"Does something odd, number {n}" for n in range(40)])
    a_server("weather", ["The forecast", "查询城市的天气预报"])
    made = model("stub-r0-ask-n5")
    made.preset = Preset.objects.create(name="Agent", tools=["*-*", "calculate"])
    made.save()
    return made


def search(query: str) -> str:
    return f"call search_tools {json.dumps({'query': query}, ensure_ascii=False)}"


def sent(turn: Turn, number: int) -> list[str]:
    """The names of the tools in the request of this round."""
    requests = Payload.objects.filter(
        span__trace=turn.trace_id, span__parent__number=number, stage=Payload.Stage.REQUEST
    )
    asked = payloads.read_json(requests.select_related("span__trace").get())
    return [tool["function"]["name"] for tool in asked["tools"]]


def told(turn: Turn) -> list[str]:
    messages = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [message.body["content"] for message in messages]


def generation(turn: Turn) -> Span:
    return Span.objects.filter(trace=turn.trace_id, kind=Span.Kind.GENERATION).earliest("pk")


def test_of_more_than_twenty_the_fitting_ones_are_sent_with_a_way_to_the_others(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent, "Is there a forecast?"))
    names = sent(turn, 1)
    assert len(names) == 20
    assert {"search_tools", "weather-tool_0"} <= set(names)
    assert generation(turn).attributes["tools"] == {"available": 44, "sent": 20}


def test_twenty_are_all_sent_and_nothing_is_noted(model: Model, send: Send) -> None:
    a_server("few", ["One"] * 18)
    turn = answer_rings(send(model("stub-r0"), "hello"))
    assert len(sent(turn, 1)) == 20
    assert "search_tools" not in sent(turn, 1)
    assert "tools" not in generation(turn).attributes


def test_what_a_search_finds_is_sent_from_the_next_round_on(
    agent: LanguageModel, send: Send
) -> None:
    turn = answer_rings(send(agent, search("forecast").replace("forecast", "天气")))
    assert told(turn)[0].startswith("1 tool fits '天气'. You can call them now:\n\nweather-tool_1")
    assert "city, optional: Where." in told(turn)[0]
    turn.conversation.refresh_from_db()
    assert turn.conversation.activated == ["weather-tool_1"]
    call = Span.objects.get(trace=turn.trace_id, kind=Span.Kind.TOOL)
    assert call.attributes["activated"] == ["weather-tool_1"]
    again = answer_rings(send(agent, "thanks", turn.conversation))
    assert "weather-tool_1" in sent(again, 1)


def test_a_search_that_finds_nothing_says_what_there_is(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, search("zeppelin")))
    assert told(turn)[0].startswith("No tool fits 'zeppelin'; there are calculate, many-tool_0, ")
    turn.conversation.refresh_from_db()
    assert turn.conversation.activated == []


def test_two_searches_at_once_keep_what_both_found(agent: LanguageModel, send: Send) -> None:
    turn = answer_rings(send(agent, f"{search('forecast')}\n{search('城市')}"))
    turn.conversation.refresh_from_db()
    assert set(turn.conversation.activated) == {"weather-tool_0", "weather-tool_1"}


def test_within_a_turn_the_choice_stays(agent: LanguageModel, send: Send) -> None:
    sums = "\nthen\n".join(['call calculate {"expr": "1+1"}'] * 3)
    turn = answer_rings(send(agent, f"What about the forecast?\n{sums}"))
    assert sent(turn, 1) != []
    assert sent(turn, 2) == sent(turn, 3) == sent(turn, 4)


def test_what_was_not_sent_can_be_called_by_its_name(
    agent: LanguageModel, send: Send, settings: Any
) -> None:
    settings.AGENT_LIMITS = {"tools_sent": 3}
    turn = answer_rings(send(agent, 'odd forecast\ncall calculate {"expr": "6*7"}'))
    assert "calculate" not in sent(turn, 1)
    assert told(turn) == ["42"]
    assert "calculate" in sent(turn, 2)


def test_without_the_search_tool_the_others_are_still_few(agent: LanguageModel, send: Send) -> None:
    switches.switch("search_tools", enabled=False)
    turn = answer_rings(send(agent, "hello"))
    assert "search_tools" not in sent(turn, 1)
    assert len(sent(turn, 1)) == 20


def test_a_number_of_zero_sends_all(agent: LanguageModel, send: Send, settings: Any) -> None:
    settings.AGENT_LIMITS = {"tools_sent": 0}
    assert len(sent(answer_rings(send(agent, "hello")), 1)) == 43


def test_what_the_preset_does_not_name_cannot_be_called(agent: LanguageModel, send: Send) -> None:
    calls = 'call todo {"items": []}\ncall get_current_datetime {}'
    turn = answer_rings(send(agent, calls))
    assert all("There is no tool named" in one for one in told(turn))


def test_a_tool_that_is_switched_off_says_so(agent: LanguageModel, send: Send, owner: User) -> None:
    switches.switch("calculate", enabled=False)
    turn = answer_rings(send(agent, 'call calculate {"expr": "6*7"}'))
    assert "calculate" not in sent(turn, 1)
    assert "an admin switched it off" in told(turn)[0]


def test_what_is_switched_on_after_it_was_proposed_is_not_run(
    agent: LanguageModel, send: Send
) -> None:
    """No policy was asked for it."""
    turn = send(agent, 'call todo {"items": []}')
    advance(turn.pk)
    Conversation.objects.filter(pk=turn.conversation_id).update(
        tools={"servers": [], "off": [], "on": ["todo"]}
    )
    call = Span.objects.get(trace=turn.trace_id, kind=Span.Kind.TOOL)
    execute(call.pk)
    call.refresh_from_db()
    assert call.status == Span.Status.FAILED
