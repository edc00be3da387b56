"""The compact form of a trace's JSON, expanded by the program in `docs/trace-json.md`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.test import Client

from db.fields import dump_json
from tracing.export import trace_json
from tracing.journal import trace_rounds
from tracing.models import Blob, Trace
from tracing.tests.builders import ATurn, a_user, wire
from tracing.tests.export.test_every_kind_leaves import KINDS
from tracing.tests.page.test_payload_pages import streamed

pytestmark = pytest.mark.django_db

SYSTEM = {"role": "system", "content": "You look after a database. " * 40}
TOOLS = [{"type": "function", "function": {"name": f"tool_{number}"}} for number in range(3)]


@pytest.fixture(scope="module")
def expand() -> Callable[[Any], Any]:
    page = Path(settings.BASE_DIR, "docs", "trace-json.md").read_text()
    program: dict[str, Any] = {}
    exec(page.split("```python")[1].split("```")[0], program)
    found: Callable[[Any], Any] = program["expand"]
    return found


Expand = Callable[[Any], Any]


def document(trace: Trace, is_compact: bool) -> str:
    return "".join(trace_json.document(trace, trace_rounds.round_numbers(trace), is_compact))


def is_the_same(trace: Trace, expand: Expand) -> bool:
    full = json.loads(document(trace, is_compact=False))
    compact = json.loads(document(trace, is_compact=True))
    assert compact["form"] == "compact"
    return dump_json(expand(compact)) == dump_json(full)


def a_growing_turn(rounds: int) -> ATurn:
    """Each round has its answer and a result more than the one before."""
    turn = ATurn(a_user())
    thread: list[dict[str, Any]] = [SYSTEM]
    for number in range(1, rounds + 1):
        thread.append({"role": "user", "content": f"第{number}个问题, at some length: {number}"})
        meant = {"messages": thread, "tools": TOOLS, "parameters": {"temperature": 0.5}}
        sent = {"model": "m", "messages": thread, "tools": TOOLS, "stream": True}
        turn.a_round(number, (number * 10, number * 10 + 9))
        stages = {"input": wire(meant), "request": wire(sent), "response": b"data: [DONE]\n\n"}
        turn.a_generation(stages, (number * 10, number * 10 + 9))
        thread.append({"role": "assistant", "content": f"Answer {number}. " * 10})
    return turn


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_trace_expands_to_the_full_form(kind: str, expand: Expand) -> None:
    assert is_the_same(KINDS[kind]().trace, expand)


@pytest.mark.long
def test_a_history_stands_once(expand: Expand) -> None:
    trace = a_growing_turn(60).trace
    assert is_the_same(trace, expand)
    compact = document(trace, is_compact=True)
    assert compact.count("Answer 7. ") == 10
    assert len(compact) < len(document(trace, is_compact=False)) / 10
    last = json.loads(compact)["rounds"][-1]["generations"][0]["request"]["body_pieces"]
    assert [piece for piece in last if isinstance(piece, list)] == [[0, 1], [5, 122], [2, 4]]


@pytest.mark.parametrize(
    "odd",
    [
        b'"\\ud800"',
        b'{"n":NaN}',
        b'{"n":1e999}',
        b'{"n":' + b"[" * 3000 + b"]" * 3000 + b"}",
        b'{"n":' + b"9" * 5000 + b"}",
        b'{"a":1, "a":2}',
        b'{"a" : 1 }',
        b'"\xff"',
        b"broken",
    ],
)
def test_what_is_odd_stays_what_it_is(odd: bytes, expand: Expand) -> None:
    turn = ATurn(a_user())
    for number in (1, 2):
        body = b'{"model":"m","messages":[' + wire(SYSTEM) + b" , " + odd + b',"x"],"n":1}'
        turn.a_round(number, (number, number + 1))
        turn.a_generation({"input": body, "request": body}, (number, number + 1))
    assert is_the_same(turn.trace, expand)


def test_what_is_damaged_is_told_as_in_the_full_form(expand: Expand) -> None:
    turn = a_growing_turn(3)
    Blob.objects.filter(archive=turn.archive, size__gt=1000).update(compressed=b"\0changed")
    assert "a blob is not what was recorded" in document(turn.trace, is_compact=True)
    assert is_the_same(turn.trace, expand)


def test_it_is_asked_for_in_the_address(client: Client, expand: Expand) -> None:
    turn = a_growing_turn(2)
    client.force_login(turn.archive.owner)
    response = client.get(f"/traces/{turn.trace.public_id}.json?form=compact&round=2")
    compact = json.loads(async_to_sync(streamed)(response))
    full = json.loads("".join(trace_json.document(turn.trace, [2])))
    assert compact["rounds"][0]["elements"][0] == wire(SYSTEM).decode()
    assert expand(compact) == full
