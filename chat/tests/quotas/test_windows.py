"""What Redis decides is what `figures.refusal` decides; one that comes back empty asks again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.models import QuotaRule
from chat.quotas import windows
from chat.quotas.consumption import Usage
from chat.quotas.errors import QuotaExceeded
from chat.quotas.figures import Figures, refusal
from chat.quotas.windows import Answer
from chat.tests.quotas.conftest import Limit, Send
from db.redis_pool import client
from tests.redis_server import RedisServer

Kind = QuotaRule.Kind
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
COUNTS = st.integers(0, 2_000)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Usage, dict[str, int], int]:
    recent = {
        f"recent-{number}": NOON - timedelta(milliseconds=draw(st.integers(1, 59_999)))
        for number in range(draw(st.integers(0, 4)))
    }
    opened = {f"open-{number}": NOON for number in range(draw(st.integers(0, 4)))}
    names = ("tokens_day", "tokens_month", "cost_day", "cost_month", "turn_tokens", "turn_cost")
    figures = Figures(
        tuple(sorted(recent.values())), len(opened), **{name: draw(COUNTS) for name in names}
    )
    kinds = draw(st.sets(st.sampled_from([*windows.RATES, *windows.CONSUMED])))
    few = st.integers(0, 8)
    amounts = {str(kind): draw(few if kind in windows.RATES else COUNTS) for kind in kinds}
    return Usage(figures, opened, recent), amounts, draw(st.integers(1, 3))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_the_script_decides_like_the_function(
    redis_server: RedisServer, case: tuple[Usage, dict[str, int], int]
) -> None:
    usage, amounts, turns = case
    client().flushall()
    windows.load(1, 1, usage, NOON)
    keys = [f"new-{number}" for number in range(turns)]
    outcome = windows.admit(1, 1, keys, amounts, NOON)
    refused = refusal(usage.figures, amounts, turns, NOON)
    assert outcome.answer is (Answer.REFUSED if refused else Answer.ADMITTED)
    assert outcome.figures == (usage.figures if refused else Figures())


def test_figures_of_yesterday_are_not_known_today(redis_server: RedisServer) -> None:
    amounts: dict[str, int] = {Kind.OPEN_TURNS: 1}
    late = NOON.replace(hour=23, minute=59, second=59)
    windows.load(1, 1, Usage(Figures()), late)
    assert windows.admit(1, 1, ["a"], amounts, late).answer is Answer.ADMITTED
    after = windows.admit(1, 1, ["b"], amounts, late + timedelta(seconds=1))
    assert after.answer is Answer.UNKNOWN


def test_a_turn_that_is_never_stored_counts_for_some_seconds(redis_server: RedisServer) -> None:
    amounts: dict[str, int] = {Kind.OPEN_TURNS: 1}
    windows.load(1, 1, Usage(Figures()), NOON)
    windows.admit(1, 1, ["lost"], amounts, NOON)
    for seconds, answer in ((10, Answer.REFUSED), (16, Answer.ADMITTED)):
        now = NOON + timedelta(seconds=seconds)
        windows.load(1, 1, Usage(Figures()), now)
        assert windows.admit(1, 1, [f"at-{seconds}"], amounts, now).answer is answer


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_redis_that_comes_back_empty_is_told_what_the_database_knows(
    user: User, limit: Limit, send: Send, redis_server: RedisServer
) -> None:
    limit(Kind.TURNS_MINUTE, 2)
    send(user)
    redis_server.kill()
    send(user)
    redis_server.start()
    with pytest.raises(QuotaExceeded):
        send(user)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_with_rules_a_send_takes_a_call_of_redis_more_and_a_statement_at_most(
    user: User, limit: Limit, send: Send, redis_server: RedisServer
) -> None:
    send(user)
    with CaptureQueriesContext(connection) as without:
        send(user)
    for kind in Kind.values:
        limit(kind, 10**12)
    send(user)  # what the rules are is known for seconds
    with CaptureQueriesContext(connection) as known:
        send(user)
    client().delete(*client().keys("rt:quota:*"))
    with CaptureQueriesContext(connection) as unknown:
        send(user)
    assert len(known) == len(without)
    assert len(unknown) == len(without) + 1


def test_figures_from_before_a_generation_ended_are_read_again(redis_server: RedisServer) -> None:
    amounts: dict[str, int] = {Kind.TOKENS_DAY: 1_000}
    before = windows.changed_mark(1)
    windows.load(1, 1, Usage(Figures()), NOON, before)
    windows.mark_changed(1)
    assert windows.admit(1, 1, ["a"], amounts, NOON).answer is Answer.UNKNOWN
    windows.load(1, 1, Usage(Figures()), NOON, before)  # by who had read them earlier
    assert windows.admit(1, 1, ["a"], amounts, NOON).answer is Answer.UNKNOWN
    windows.load(1, 1, Usage(Figures()), NOON, windows.changed_mark(1))
    assert windows.admit(1, 1, ["a"], amounts, NOON).answer is Answer.ADMITTED
