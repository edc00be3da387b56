"""A tool call beyond the calls a minute of its user is not run; the model is told why."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from chat.models import LanguageModel, Message, QuotaRule, Turn
from chat.quotas import rules
from chat.quotas.admission import admit_tool_call
from chat.quotas.errors import QuotaExceeded
from chat.tests.engine.conftest import answer_rings
from chat.tests.engine.faulty import calls
from tests.redis_server import RedisServer
from tracing.models import Span

pytestmark = pytest.mark.postgres

Model = Callable[..., LanguageModel]
Send = Callable[..., Turn]


@pytest.fixture(params=["redis", "database"])
def counted_by(request: pytest.FixtureRequest) -> None:
    if request.param == "redis":
        request.getfixturevalue("redis_server")


def results(turn: Turn) -> list[str]:
    told = Message.objects.filter(turn=turn, role=Message.Role.TOOL).order_by("pk")
    return [str(message.body["content"]) for message in told]


@pytest.mark.usefixtures("counted_by")
def test_a_call_beyond_the_limit_is_a_result_that_says_so(
    model: Model, send: Send, owner: User
) -> None:
    QuotaRule.objects.create(scope="person", user=owner, kind="calls_minute", amount=1)
    rules.forget()
    turn = answer_rings(send(model("stub-r0-n5-t1-k2")))
    first, second = calls(turn)
    assert first.status == Span.Status.SUCCEEDED
    assert second.status == Span.Status.FAILED
    assert "Your limit is reached: Tool calls a minute. 1 of 1" in results(turn)[1]
    assert Turn.objects.get(pk=turn.pk).status == Turn.Status.DONE


def test_a_call_that_is_taken_up_again_is_counted_once(
    owner: User, redis_server: RedisServer
) -> None:
    QuotaRule.objects.create(scope="person", user=owner, kind="calls_minute", amount=1)
    rules.forget()
    for _ in range(3):
        admit_tool_call(owner, "7")
    with pytest.raises(QuotaExceeded):
        admit_tool_call(owner, "8")
