"""Where the time of a turn goes that the engine really ran."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from chat.engine.turn.advance import advance
from chat.models import LanguageModel, Preset, Turn
from chat.tests.engine.delegating import run
from tracing.journal import trace_rounds
from tracing.journal.time_segments import Kind
from tracing.models import Span
from tracing.page.trace_page import read_trace_page

pytestmark = pytest.mark.postgres

CALCULATE = 'call calculate {"expr": "6*7"}'


def test_little_of_it_has_no_name(
    model: Callable[..., LanguageModel], send: Callable[..., Turn]
) -> None:
    asked = model("stub-r0-ask-n5")
    asked.preset = Preset.objects.create(name="Agent", tools=["calculate"])
    asked.save()
    turn = run(send(asked, "\nthen\n".join([CALCULATE] * 8)))
    assert turn.trace is not None
    rounds = trace_rounds.rounds(turn.trace)
    page = read_trace_page(turn.trace, rounds)
    spent = {item.kind: item.tenths for item in page.ledger.items}
    assert sum(spent.values()) == 1000
    assert spent.get(Kind.OURS, 0) < 100
    assert {Kind.CONTEXT, Kind.STORE} <= spent.keys()


def test_a_round_knows_when_it_was_asked_for_and_taken_up(
    model: Callable[..., LanguageModel], send: Callable[..., Turn]
) -> None:
    turn = send(model("stub-r0-n5"))
    rung = timezone.now()
    advance(turn.pk, rung.timestamp())
    noted = Span.objects.get(trace=turn.trace, kind="round").attributes["taken_up"]
    assert noted["rung"] == rung.isoformat()
    assert noted["step"] > noted["rung"]
