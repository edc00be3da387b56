"""A turn of many rounds, as the engine runs it, stores what is new and not the past again. For more
rounds, with payloads made by hand, see tracing/tests/store/test_many_rounds.py."""

import json
from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from chat.models import LanguageModel, Turn
from chat.tests.engine.conftest import answer_rings
from db.fields import dump_json
from tracing.models import Archive, Payload
from tracing.store import payloads
from tracing.tests.store.test_many_rounds import stored_bytes

ROUNDS = 60
# Beside what the model was asked: what came back, and what became of its calls.
WHOLE = ("response", "arguments", "result")


@pytest.mark.long
def test_60_rounds_store_at_most_half_more_than_their_distinct_elements(
    model: Callable[..., LanguageModel],
    send: Callable[..., Turn],
    settings: Settings,
) -> None:
    settings.AGENT_LIMITS = {"rounds": ROUNDS + 1}
    settings.TURN_CEILINGS = {"tokens": 10**9}
    turn = send(model(f"stub-s3-k{ROUNDS - 1}-p12-n30"), "Go through the whole list.")
    turn = answer_rings(turn, most=ROUNDS + 1)
    assert (turn.status, turn.rounds) == (Turn.Status.DONE, ROUNDS), turn.error
    assert turn.trace is not None
    distinct = sum(map(len, distinct_elements(turn.trace.archive)))
    assert stored_bytes(turn.trace.archive) <= 1.5 * distinct


def distinct_elements(archive: Archive) -> set[bytes]:
    """The messages and tools of the last request, which has all that came before it, and every
    answer, arguments and result."""
    stored = Payload.objects.filter(span__trace__archive=archive).select_related("span__trace")
    last = json.loads(payloads.load(stored.filter(stage="request").latest("id")))
    whole = payloads.load_all(list(stored.filter(stage__in=WHOLE)))
    asked = [dump_json(element).encode() for element in [*last["messages"], *last["tools"]]]
    return {*asked, *whole}
