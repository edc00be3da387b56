"""How many statements and how many visits to a database thread a turn takes, from its ring on."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.backends.utils import CursorWrapper

from chat.engine.tool_calls.execute import execute
from chat.engine.turn.advance import advance
from chat.models import LanguageModel, PersonalSettings, Turn
from chat.tests.engine.conftest import answer_rings
from db import threads
from tracing.models import Span

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]

# With BEGIN on SQLite. A round: the results of the one before, the request, and what it answered.
MAX_TURN_STATEMENTS = 25
MAX_ROUND_STATEMENTS = 30
MAX_CALL_STATEMENTS = 13


class Counted:
    """What was done so far: SQL statements of all threads, visits to a database thread."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.visits = 0

    def reset(self) -> None:
        self.statements.clear()
        self.visits = 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Counted:
    counted = Counted()
    settings.USER_STORAGE_BYTES = 0  # the user's bytes are counted some time after the message
    execute_sql, pool = CursorWrapper.execute, threads._threads()
    submit = pool.submit

    def execute(self: CursorWrapper, sql: str, params: Any = None) -> Any:
        counted.statements.append(sql)
        return execute_sql(self, sql, params)

    def visit(*args: Any, **kwargs: Any) -> "Future[Any]":
        counted.visits += 1
        return submit(*args, **kwargs)

    monkeypatch.setattr(CursorWrapper, "execute", execute)
    monkeypatch.setattr(pool, "submit", visit)
    return counted


def test_a_turn_takes_two_visits_to_the_database_and_few_statements(
    model: Model, send: Send, counted: Counted
) -> None:
    answer_rings(send(model("stub-r0-n5")))  # statements are compiled, definitions read
    turn = send(model("stub-r0-n5"))
    counted.reset()
    advance(turn.pk, None, turn.user_id)
    assert counted.visits == 2
    assert len(counted.statements) <= MAX_TURN_STATEMENTS


def test_what_a_person_has_set_takes_one_statement_more_with_memory_and_none_without(
    model: Model, send: Send, counted: Counted, owner: User
) -> None:
    answer_rings(send(model("stub-r0-n5")))
    counts = []
    for settings in ({}, {"instructions": "Be brief."}, {"has_memory": True}):
        PersonalSettings.change(owner, **settings)
        turn = send(model("stub-r0-n5"))
        counted.reset()
        advance(turn.pk, None, turn.user_id)
        counts.append(len(counted.statements))
    assert counts[1:] == [counts[0], counts[0] + 1]


def test_a_round_with_a_call_takes_few_statements(
    model: Model, send: Send, counted: Counted
) -> None:
    answer_rings(send(model("stub-r0-n5-t1-k2")))
    turn = send(model("stub-r0-n5-t1-k2"))
    advance(turn.pk, None, turn.user_id)
    call = Span.objects.get(trace=turn.trace, status=Span.Status.APPROVED).pk
    counted.reset()
    execute(call, "", turn.user_id)
    assert counted.visits == 3  # its claim, just before it is sent, its result
    assert len(counted.statements) <= MAX_CALL_STATEMENTS
    counted.reset()
    advance(turn.pk, None, turn.user_id)
    assert counted.visits == 2
    assert len(counted.statements) <= MAX_ROUND_STATEMENTS
