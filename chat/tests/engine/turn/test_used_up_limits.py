"""A limit of tokens that is used up refuses the next turn; counted by Redis, and by the database
while Redis is down."""

from collections.abc import Callable

import pytest

from chat.models import LanguageModel, QuotaRule, Turn
from chat.quotas.errors import QuotaExceeded
from chat.tests.engine.conftest import answer_rings
from chat.tests.quotas.conftest import Limit
from chat.tests.quotas.conftest import limit as limit

pytestmark = [pytest.mark.postgres, pytest.mark.long]
Kind = QuotaRule.Kind

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture(params=["redis", "database"], autouse=True)
def counted_by(request: pytest.FixtureRequest) -> None:
    """A test without the server runs as while Redis is down."""
    if request.param == "redis":
        request.getfixturevalue("redis_server")


def test_turns_one_after_another_end_at_the_limit(model: Model, limit: Limit, send: Send) -> None:
    limit(Kind.TOKENS_DAY, 12_000)
    five_thousand = model("stub-r0-n5000")
    for _ in range(3):
        assert answer_rings(send(five_thousand)).status == Turn.Status.DONE
    with pytest.raises(QuotaExceeded) as refused:
        send(five_thousand)
    assert refused.value.limit == Kind.TOKENS_DAY and refused.value.left == 0
    assert Turn.objects.count() == 3


def test_a_message_in_line_does_not_begin_once_the_limit_is_used_up(
    model: Model, limit: Limit, send: Send
) -> None:
    limit(Kind.TOKENS_DAY, 5_000)
    running = send(model("stub-r0-n5000"))
    waiting = send(model("stub-r0-n5000"), "and then?", running.conversation)
    assert answer_rings(running).status == Turn.Status.DONE
    ended = answer_rings(waiting)
    assert (ended.status, ended.ceiling, ended.rounds) == (Turn.Status.FAILED, "limit", 0)
    assert ended.error.startswith("The limit of tokens a day was used up")


def test_a_turn_that_runs_is_not_cut_off_by_its_limit(
    model: Model, limit: Limit, send: Send
) -> None:
    limit(Kind.TOKENS_DAY, 100)
    assert answer_rings(send(model("stub-t1-n500"))).status == Turn.Status.DONE
