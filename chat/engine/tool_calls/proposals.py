"""Tool calls that a generation asked for: a message, a span each, and the rings."""

from typing import Any

from chat import doorbell, offering
from chat.engine.generation.attempts import Attempt
from chat.engine.generation.outcome import Generated
from chat.engine.tool_calls import policies
from chat.engine.tool_calls.endings import too_many
from chat.engine.tool_calls.policies import Verdict
from chat.engine.tool_calls.results import store_shown
from chat.events import call_event
from chat.llm.json_text import is_object
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.messages import ToolCall
from chat.models import Conversation, Message
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


def propose(attempt: Attempt, generated: Generated) -> list[Span]:
    """Writes the assistant message and its calls. Those that the policies allow may run as soon as
    this is committed; a last call that is not whole has failed already."""
    message = append_answer(attempt, generated)
    conversation = Conversation.objects.get(pk=attempt.turn.conversation_id)  # grants of today
    spans = [
        _judged(attempt, message, position, call, conversation)
        for position, call in enumerate(generated.calls, 1)
    ]
    records = [
        recorder.arguments_record(span, _arguments(call))
        for span, call in zip(spans, generated.calls, strict=True)
    ]
    if _is_cut(generated):
        records.append(_fail(spans[-1], generated))
    payloads.store_all(attempt.turn.conversation.archive, records)
    return spans


def _is_cut(generated: Generated) -> bool:
    """Whether the answer ended within its last call. Arguments that are whole, but for their
    missing rest, do not exist: even an empty text may be the beginning of some."""
    ended_early = generated.finish_reason in CUT_SHORT
    return ended_early and not is_object(_arguments(generated.calls[-1]))


def _fail(span: Span, generated: Generated) -> payloads.Record:
    """Ends the call before it begins; answers what the model is told of it."""
    why = CUT_SHORT[generated.finish_reason or ""]
    sentence = (
        f"This call is not whole: {why} in the middle of it. It was not run. Make it again, "
        "shorter or in parts."
    )
    attributes: CallAttributes = {"is_error": True}
    recorder.close_span(span, Span.Status.FAILED, sentence, attributes)
    return recorder.shown_record(span, sentence)


def refuse(attempt: Attempt, generated: Generated, most: int) -> None:
    """Writes the assistant message and its calls as cancelled: there are more than `most`."""
    message = append_answer(attempt, generated)
    text = too_many(len(generated.calls), most)
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
    """The assistant message at the end of the turn so far."""
    return attempt.history.append(
        Message.Role.ASSISTANT, generated.message, span=attempt.generation
    )


def ring(spans: list[Span], user_id: int) -> None:
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


def _judged(
    attempt: Attempt, message: Message, position: int, call: ToolCall, conversation: Conversation
) -> Span:
    name = call["function"]["name"]
    tool = offering.find(name, conversation, attempt.model, attempt.turn.user)
    verdict = policies.judge(name, tool, conversation.preset_with(attempt.model), conversation)
    return _call_span(attempt, message, position, call, tool, verdict)


def _call_span(
    attempt: Attempt,
    message: Message,
    position: int,
    call: ToolCall,
    tool: Tool | None,
    verdict: Verdict,
) -> Span:
    name = call["function"]["name"]
    described: CallAttributes = {"call_id": call["id"], "message": str(message.public_id)}
    if verdict.status == Span.Status.AWAITING_APPROVAL:
        described |= {"needs_approval": True} | _introduction(tool)
    if verdict.status == Span.Status.DENIED:
        described |= {"denied_by": "policy", "is_error": True}
    return recorder.open_call(
        attempt.round,
        name,
        described | _origin(name, tool),
        number=position,
        status=verdict.status,
        error=verdict.sentence,
    )


def _introduction(tool: Tool | None) -> CallAttributes:
    """What the person who is asked reads of the tool, as it was when the call was made."""
    if tool is None:
        return {}
    written: CallAttributes = {"description": storable(tool.description[:MAX_KEPT_DESCRIPTION])}
    if tool.annotations:
        written["annotations"] = tool.annotations
    return written


def _origin(name: str, tool: Tool | None) -> CallAttributes:
    if tool is None:
        return {"server": "", "tool": name, "idempotent": False, "offered": False}
    return {
        "server": tool.server,
        "tool": tool.tool,
        "idempotent": tool.idempotent,
        "tool_hash": tool.hash,
    }
