"""Tools tell the time in the zone of the person who asks."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat import zones
from chat.commands.new_message import NewMessage
from chat.commands.send import send_message
from chat.models import LanguageModel, Message, Preset, Turn
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.delegating import run, task

NOW = "call get_current_datetime {}"


def asked(owner: User, model: LanguageModel, zone: str, text: str = NOW) -> Turn:
    return send_message(
        owner, NewMessage(key=str(uuid.uuid4()), text=text, model_id=model.public_id, zone=zone)
    )


def offset(turn: Turn) -> timedelta | None:
    (told,) = Message.objects.filter(turn=turn, role=Message.Role.TOOL)
    return datetime.fromisoformat(told.body["content"].split()[0]).utcoffset()


def test_it_is_the_person_s_own_zone(owner: User, model: Callable[..., LanguageModel]) -> None:
    turn = answer_rings(asked(owner, model("stub-r0-ask-n5"), "Asia/Shanghai"))
    assert offset(turn) == timedelta(hours=8)


def test_without_one_it_is_the_deployment_s(
    owner: User, model: Callable[..., LanguageModel], settings: Any
) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    turn = answer_rings(asked(owner, model("stub-r0-ask-n5"), ""))
    assert offset(turn) == timedelta(hours=9)
    assert turn.trace is not None
    assert "timezone" not in turn.trace.attributes


def test_a_subagent_has_the_same(owner: User, model: Callable[..., LanguageModel]) -> None:
    agent = model("stub-r0-ask-n5")
    agent.preset = Preset.objects.create(name="Agent", tools=["task", "get_current_datetime"])
    agent.save()
    turn = run(asked(owner, agent, "Asia/Shanghai", task(NOW)))
    inner = Turn.objects.get(conversation__parent_call__trace=turn.trace_id)
    assert offset(inner) == timedelta(hours=8)


@pytest.mark.parametrize(
    ("cookies", "zone"),
    [
        ({"timezone": "Europe/Berlin"}, "Europe/Berlin"),
        ({}, ""),
        ({"timezone": ""}, ""),
        ({"timezone": "Mars/Olympus"}, ""),
        ({"timezone": "../../etc/passwd"}, ""),
        ({"timezone": "/etc/localtime"}, ""),
        ({"timezone": "x\0"}, ""),
        ({"timezone": "a/" * 500}, ""),
    ],
)
def test_only_a_known_zone_is_taken_from_the_cookie(cookies: Mapping[str, str], zone: str) -> None:
    assert zones.named(cookies) == zone
