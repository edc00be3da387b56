"""The sentence of a call that ended without a result of its own.

It is chosen where the call ends, by what is known there, and stored as the call's `shown` payload:
the model's request, the card and the trace have this one text.
"""

from chat.engine.turn.steps import Finish
from chat.models import Turn
from tools.values.call import NOT_KNOWN
from tracing.models import Span
from tracing.models.attributes import call_attributes

Status = Span.Status

WORKER_GONE = f"The process that ran this call ended before there was a result. {NOT_KNOWN}"
NOT_ALLOWED = "The user did not allow this call."
NO_RESULT = "There is no result: what came back was not kept."


def end_of_open_call(call: Span, finish: Finish) -> tuple[Status, str]:
    """The final state of an open call whose turn ends, and its sentence. `call` is its current
    row."""
    why = "The user stopped the turn" if _is_stop(finish) else "The turn ended with an error"
    if "subagent" in call_attributes(call):
        return Status.CANCELLED, f"{why} before the subagent had finished."
    # A call that waits without an owner has ended at its server.
    if call.status == Status.SENT or (call.status == Status.WAITING and call.owner):
        return _end_of_running_call(call, why)
    if "asked_at" in call_attributes(call):
        return Status.CANCELLED, (
            f"{why} while the server waited for an answer to its question. The call has no result; "
            "what the server did before it asked is not known."
        )
    if "sent" in call_attributes(call):
        return Status.CANCELLED, f"{why} after this call had begun. It has no result."
    return Status.CANCELLED, f"{why} before this call had run."


def _is_stop(finish: Finish) -> bool:
    return finish.status == Turn.Status.STOPPED


def _end_of_running_call(call: Span, why: str) -> tuple[Status, str]:
    is_waiting = call.status == Status.WAITING
    when = "while the server waited for an answer to its question" if is_waiting else "while it ran"
    if call.idempotent:
        return Status.CANCELLED, f"{why} {when}. The call has no result."
    return Status.OUTCOME_UNKNOWN, f"{why} {when}. {NOT_KNOWN}"


def too_many_calls(calls: int, max_calls: int) -> str:
    return (
        f"This call was not run: the answer asked for {calls} calls at once, and {max_calls} is "
        "the most. Ask for fewer at a time."
    )


def sentence_without_result(call: Span) -> str:
    """The sentence of an ended call that has no `shown` payload: usually one that a person or a
    policy denied."""
    if call_attributes(call).get("denied_by") == "policy":
        return str(call.error)
    if call.status == Status.DENIED:
        return f"{NOT_ALLOWED} Reason: {call.error}" if call.error else NOT_ALLOWED
    return call.error or NO_RESULT
