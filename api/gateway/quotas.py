"""A call counts as a turn towards the limits of its caller (`chat.quotas`), with its tokens and its
cost. Where no rule limits the caller it costs nothing."""

from decimal import Decimal
from typing import Any

from api.gateway.call import Call
from api.gateway.refusals import TooMany
from chat.quotas import admission, nearness
from chat.quotas.admission import Admission
from chat.quotas.errors import QuotaExceeded
from db.threads import from_loop
from limits.models import MAX_REPORTED_TOKENS
from tracing.journal.cost import token_count


async def admit(call: Call) -> Admission | None:
    """Raises TooMany. What asks no model, such as a list of models, is not counted."""
    if not call.caller.is_limited or call.method != "POST":
        return None
    try:
        return await from_loop(admission.admit_turn, call.caller.user)
    except QuotaExceeded as error:
        raise TooMany(str(error), error.retry_after) from error


async def take_back(call: Call) -> None:
    """Nothing went to the provider."""
    if call.admission is not None:
        await from_loop(call.admission.take_back)


def add(call: Call, usage: Any, dollars: Decimal | None) -> None:
    """What an ended call used, once its trace is stored."""
    if call.admission is None or not isinstance(usage, dict):
        return
    counts = (usage.get(name) for name in ("prompt_tokens", "completion_tokens"))
    tokens = sum(min(token_count(one), MAX_REPORTED_TOKENS) for one in counts)
    admission.add(call.caller.user, tokens, dollars)
    nearness.tell(call.caller.user.pk)


def end(call: Call) -> None:
    """The call is over, whether it could be recorded or not."""
    if call.admission is not None:
        call.admission.end()
