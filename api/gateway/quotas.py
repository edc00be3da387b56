"""A call counts as a turn towards the limits of its caller (`chat.quotas`), with its tokens and its
cost. Where no rule limits the caller it costs nothing."""

import asyncio
from concurrent.futures import Future

from api.gateway.call import Call
from api.gateway.refusals import TooMany
from chat.quotas import admission, nearness
from chat.quotas.admission import Admission
from chat.quotas.errors import QuotaExceeded
from db.threads import from_loop

# Seconds that a call waits until those before it of the same person count.
COUNT_WAIT_S = 2.0


async def admit(call: Call, before: Future[None] | None) -> Admission | None:
    """Raises TooMany. What asks no model, such as a list of models, is not counted. `before`: the
    last call of the caller that has ended and may not be counted yet."""
    if not call.caller.is_limited or call.method != "POST":
        return None
    if before is not None:
        await asyncio.wait([asyncio.wrap_future(before)], timeout=COUNT_WAIT_S)
    try:
        return await from_loop(admission.admit_turn, call.caller.user)
    except QuotaExceeded as error:
        raise TooMany(str(error), error.retry_after) from error


async def take_back(call: Call) -> None:
    """Nothing went to the provider."""
    if call.admission is not None:
        await from_loop(call.admission.take_back)


def end(call: Call) -> None:
    """The call is over, whether it could be recorded or not: what its trace says counts."""
    if call.admission is None:
        return
    try:
        admission.count_usage(call.caller.user.pk)
    finally:
        call.admission.end()
    nearness.tell(call.caller.user.pk)
