"""The tool calls that a generation asked for: the assistant message, a span each, and the rings."""

from typing import Any

from chat import doorbell, offering
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.outcome import Generated
from chat.engine.tool_calls import policies
from chat.engine.tool_calls.endings import too_many_calls
from chat.engine.tool_calls.policies import Verdict
from chat.engine.tool_calls.results import store_shown
from chat.events import call_event
from chat.llm.json_text import is_object
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolCall
from chat.models import Conversation, Message, Turn
from chat.webhooks import outbox
from db.fields import storable
from limits.turns import MAX_KEPT_DESCRIPTION
from tools.catalogue import registry
from tools.values.tool import Tool
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import CallAttributes
from tracing.store import payloads

# Finish reasons with which an answer may end in the middle of a call, and why.
CUT_SHORT = {
    "length": "the answer had reached the limit of its length",
    "content_filter": "the provider's content filter had ended the answer",
}


def propose(attempt: Attempt, generated: Generated, evidence: list[payloads.Record]) -> list[Span]:
    """Writes the assistant message, the spans of its calls, and their arguments with this evidence.
    Calls that the policies allow may run after the commit; a last call that is incomplete has
    failed already."""
    message = append_answer(attempt, generated)
    # Read again: grants may have been given since the attempt began.
    conversation = Conversation.objects.by_key(attempt.turn.conversation_id)
    attempt.turn.set_own_assistant(conversation)
    compared = is_compared(attempt.turn)
    spans = [
        _propose_call(attempt, message, position, call, conversation, compared)
        for position, call in enumerate(generated.calls, 1)
    ]
    records = [
        recorder.arguments_record(span, _arguments(call))
        for span, call in zip(spans, generated.calls, strict=True)
    ]
    if _is_last_call_incomplete(generated):
        records.append(_fail_incomplete_call(spans[-1], generated))
    payloads.store_all(attempt.turn.conversation.archive, [*evidence, *records])
    for span in spans:
        if span.status == Span.Status.AWAITING_APPROVAL:
            outbox.approval_waits(attempt.turn, span)
    return spans


def _is_last_call_incomplete(generated: Generated) -> bool:
    """Whether the answer ended within the arguments of its last call. An empty text counts as
    incomplete: arguments are a JSON object."""
    ended_early = generated.finish_reason in CUT_SHORT
    return ended_early and not is_object(_arguments(generated.calls[-1]))


def _fail_incomplete_call(span: Span, generated: Generated) -> payloads.Record:
    """Ends the call before it begins. Answers the record of the text that the model is shown."""
    why = CUT_SHORT[generated.finish_reason or ""]
    sentence = (
        f"This call is not whole: {why} in the middle of it. It was not run. Make it again, "
        "shorter or in parts."
    )
    attributes: CallAttributes = {"is_error": True}
    recorder.close_span(span, Span.Status.FAILED, sentence, attributes)
    return recorder.shown_record(span, sentence)


def cancel_all(attempt: Attempt, generated: Generated, max_calls: int) -> None:
    """Writes the assistant message and its calls as cancelled: there are more than `max_calls`."""
    message = append_answer(attempt, generated)
    text = too_many_calls(len(generated.calls), max_calls)
    texts: dict[Span, str] = {}
    for position, call in enumerate(generated.calls, 1):
        tool = registry.find(call["function"]["name"], attempt.turn.user)
        span = _call_span(attempt, message, position, call, tool, Verdict(Span.Status.CANCELLED))
        body: CanonicalMessage = {
            "role": "tool",
            "content": text,
            "tool_call_id": call["id"],
            "is_error": True,
        }
        attempt.history.append(Message.Role.TOOL, body, span=span)
        texts[span] = text
    store_shown(attempt.turn, texts)


def append_answer(attempt: Attempt, generated: Generated) -> Message:
    """Appends the assistant message to the turn."""
    return attempt.history.append(
        Message.Role.ASSISTANT, generated.message, span=attempt.generation
    )


def ring_approved(spans: list[Span], user_id: int) -> None:
    for span in spans:
        if span.status == Span.Status.APPROVED:
            doorbell.ring_call(span.pk, user_id)


def proposed_events(
    attempt: Attempt, generated: Generated, spans: list[Span]
) -> list[dict[str, Any]]:
    return [
        call_event(attempt.turn, attempt.round.number, span, _arguments(call), span.error or None)
        for span, call in zip(spans, generated.calls, strict=True)
    ]


def _arguments(call: ToolCall) -> str:
    return call["function"]["arguments"]


def _propose_call(
    attempt: Attempt,
    message: Message,
    position: int,
    call: ToolCall,
    conversation: Conversation,
    compared: bool,
) -> Span:
    name = call["function"]["name"]
    tool = offering.find(name, conversation, attempt.model, attempt.turn.user)
    preset = conversation.preset_with(attempt.model)
    verdict = policies.judge(name, tool, preset, conversation, is_compared=compared)
    is_of_member = attempt.turn.is_of_member
    asks_owner = policies.asks_owner(tool, conversation, of_member=is_of_member)
    if tool is not None and asks_owner:
        verdict = policies.with_owner(verdict, tool, conversation)
    return _call_span(attempt, message, position, call, tool, verdict, asks_owner)


def is_compared(turn: Turn) -> bool:
    """Whether other answers to its question are written beside it, or beside the turn whose
    subagent it is. One that is compared is read again: it may have been chosen meanwhile."""
    call = turn.conversation.parent_call_id
    if call is None:
        compared = Turn.objects.filter(pk=turn.pk, is_compared=True)
        return turn.is_compared and compared.exists()
    above = Turn.objects.of_call(call)
    return above is not None and is_compared(above)


def _call_span(
    attempt: Attempt,
    message: Message,
    position: int,
    call: ToolCall,
    tool: Tool | None,
    verdict: Verdict,
    asks_owner: bool = False,
) -> Span:
    name = call["function"]["name"]
    attributes: CallAttributes = {"call_id": call["id"], "message": str(message.public_id)}
    if verdict.status == Span.Status.AWAITING_APPROVAL:
        attributes |= {"needs_approval": True} | _tool_description(tool)
        if asks_owner:
            attributes["asks_owner"] = True
    if verdict.status == Span.Status.DENIED:
        attributes |= {"denied_by": "policy", "is_error": True}
    return recorder.open_call(
        attempt.round,
        name,
        attributes | _tool_identity(name, tool),
        number=position,
        status=verdict.status,
        error=verdict.sentence,
    )


def _tool_description(tool: Tool | None) -> CallAttributes:
    """The tool's description for the person who is asked, as it is when the call is proposed."""
    if tool is None:
        return {}
    attributes: CallAttributes = {"description": storable(tool.description[:MAX_KEPT_DESCRIPTION])}
    if tool.annotations:
        attributes["annotations"] = tool.annotations
    return attributes


def _tool_identity(name: str, tool: Tool | None) -> CallAttributes:
    if tool is None:
        return {"server": "", "tool": name, "idempotent": False, "offered": False}
    return {
        "server": tool.server,
        "tool": tool.tool,
        "idempotent": tool.idempotent,
        "tool_hash": tool.hash,
    }
