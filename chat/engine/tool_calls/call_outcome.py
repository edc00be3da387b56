"""The end of a tool call, in one transaction: its state, its payloads, its turn rung."""

import json
from functools import partial

from django.db import transaction

from chat import doorbell
from chat.agent.claimed_call import ClaimedCall, Status
from chat.engine.tool_calls import questions
from chat.engine.tool_calls.call_claims import announce_call
from chat.engine.tool_calls.result_content import content_attributes, handle_of
from chat.engine.tool_calls.source_numbers import numbered
from chat.turn_facts import wake
from db.threads import after_commit
from tools.calls.execution import ToolResult
from tools.health import contacts
from tools.values.questions import InputNeeded
from tracing import recorder
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads


def suspend_call(call: ClaimedCall, needs: InputNeeded) -> None:
    """Releases a call that is made again when a person has answered; its traffic so far is kept."""
    with transaction.atomic():
        questions.suspend(call, needs)
        payloads.store_all(call.turn.conversation.archive, _traffic(call))


def finish_call(call: ClaimedCall, result: ToolResult) -> None:
    """Writes a call's result and rings its turn. A result that comes too late, when the call or its
    turn is over, is kept with the span only."""
    with transaction.atomic():
        is_turn_open = wake(call.turn.pk)
        span = call.span
        result = numbered(call, result)
        _describe(call, result)
        is_first = is_turn_open and _end_span(call, _status(result))
        if not is_first:
            _mark_late(span)
        _store(call, result, is_late=not is_first)
        contacts.record_call(call.timing)
        if is_first or not is_turn_open:
            questions.close_of(span.pk)
        if is_first:
            after_commit(partial(announce_call, call, _shown(call, result)))
            after_commit(partial(doorbell.ring_turn, call.turn.pk, call.turn.counted_user_id))


def _describe(call: ClaimedCall, result: ToolResult) -> None:
    attributes = call_attributes(call.span)
    attributes.pop("late", None)  # of an earlier try
    attributes.update(recorder.result_attributes(result))
    attributes.update({**content_attributes(result), **call.timing.as_attributes(), **call.facts})


def _end_span(call: ClaimedCall, status: Status) -> bool:
    """By compare-and-set. False if the call is over or was taken over."""
    return recorder.settle_claimed_call(call.span, call.token, status)


def _mark_late(span: Span) -> None:
    """Another owner may have the call by now: the attributes that it has written stay."""
    stored = Span.objects.values_list("attributes", flat=True).get(pk=span.pk)
    span.attributes = {**span.attributes, **stored, "late": True}
    Span.objects.filter(pk=span.pk).update(attributes=span.attributes)


def _status(result: ToolResult) -> Status:
    if result.unknown:
        return Status.OUTCOME_UNKNOWN
    return Status.FAILED if result.is_error else Status.SUCCEEDED


def _store(call: ClaimedCall, result: ToolResult, *, is_late: bool) -> None:
    """The result, what the model is shown of it, and the traffic. A late result was not shown: the
    text that was shown is stored already, or will be."""
    shown = None if is_late else _shown(call, result)
    records = recorder.result_records(call.span, result, shown)
    payloads.store_all(call.turn.conversation.archive, [*records, *_traffic(call)])


def _traffic(call: ClaimedCall) -> list[payloads.Record]:
    """Frames and stderr of this run, after those of earlier runs of the same call."""
    if call.token == 1:  # the first claim: there was no earlier run
        return recorder.traffic_records(call.span, call.frames, call.stderr)
    stored = Payload.objects.filter(
        span=call.span, stage__in=[Payload.Stage.FRAMES, Payload.Stage.STDERR]
    ).select_related("span__trace")
    earlier = {payload.stage: payloads.load(payload) for payload in stored}
    stored.delete()
    frames = [*json.loads(earlier.get("frames", b"[]")), *call.frames]
    stderr = [*earlier.get("stderr", b"").decode().splitlines(), *call.stderr]
    return recorder.traffic_records(call.span, frames, stderr)


def _shown(call: ClaimedCall, result: ToolResult) -> str:
    """The text that the model reads: the result, cut if it is long."""
    return result.shown_as(handle_of(call.span))
