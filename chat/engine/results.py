"""From the tool calls of a round to the messages that tell the model what came back."""

from chat.agent import todos
from chat.engine.history import History
from chat.engine.journal import Journal
from chat.engine.result_content import with_images
from chat.llm.messages import ContentPart, text_of
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Attachment, Message
from tracing import payloads
from tracing.models import Payload, Span

# What the model is told of a call that has no result of its own.
TOLD = {
    Span.Status.DENIED: "The user did not allow this call.",
    Span.Status.CANCELLED: "The user stopped the turn before this call had run.",
    Span.Status.OUTCOME_UNKNOWN: (
        "It is not known whether this call took effect: the connection was lost, or the turn was "
        "stopped, after it had been sent. Check before doing it again."
    ),
}
STOPPED_SUBAGENT = "The user stopped the turn before the subagent had finished."


def append_results(journal: Journal, past: History) -> list[Message]:
    """Appends one tool message a call of the latest round, in the order of the calls."""
    answered = {call.pk for call in _answered(journal)}
    calls = [call for call in journal.calls if call.pk not in answered]
    shown, attached = with_images(journal.turn, calls, _shown(calls))
    messages = []
    reminder = todos.reminder(journal.turn, journal.number)
    for call in calls:
        body = _body(call, shown)
        if call is calls[-1] and reminder:
            body = _reminded(body, reminder)
        message = past.append(Message.Role.TOOL, body, span=call)
        kept = [attachment.pk for attachment in attached.get(call.pk, [])]
        Attachment.objects.filter(pk__in=kept).update(message=message)
        messages.append(message)
    return messages


def _answered(journal: Journal) -> list[Span]:
    tool_messages = Message.objects.filter(turn_id=journal.turn.pk, role=Message.Role.TOOL)
    done = set(tool_messages.values_list("span_id", flat=True))
    return [call for call in journal.calls if call.pk in done]


def _shown(calls: list[Span]) -> dict[int, str]:
    stored = list(
        Payload.objects.select_related("span__trace").filter(
            span__in=calls, stage=Payload.Stage.SHOWN
        )
    )
    return {
        payload.span_id: body.decode(errors="surrogatepass")
        for payload, body in zip(stored, payloads.load_all(stored), strict=True)
    }


def _body(call: Span, shown: dict[int, str | list[ContentPart]]) -> CanonicalMessage:
    status = Span.Status(call.status)
    content = shown.get(call.pk, "") if status not in TOLD else told(call)
    body: CanonicalMessage = {
        "role": "tool",
        "content": _noted(edit_note(call), content),
        "tool_call_id": call.attributes["call_id"],
    }
    if call.attributes.get("cut"):
        body["is_cut"] = True
    if status != Span.Status.SUCCEEDED:
        body["is_error"] = True
    return body


def _reminded(body: CanonicalMessage, reminder: str) -> CanonicalMessage:
    """With words of ours at its end, which it says of itself."""
    content = body["content"]
    text = {"type": "text", "text": f"\n\n{reminder}"}
    added = [*content, text] if isinstance(content, list) else f"{content}\n\n{reminder}"
    return {**body, "content": added, "reminder": reminder}


def _noted(note: str, content: str | list[ContentPart]) -> str | list[ContentPart]:
    if isinstance(content, str):
        return note + content
    rest = [part for part in content if part["type"] != "text"]
    return [{"type": "text", "text": note + text_of(content)}, *rest]


def edit_note(call: Span) -> str:
    """What a result begins with if a person changed the arguments; else nothing.

    The assistant message keeps what the model wrote: it is what the model said, and a provider may
    have signed or cached it. So the result says what really ran.
    """
    edited = call.attributes.get("edited_arguments")
    if edited is None:
        return ""
    return f"[The user changed the arguments before this call ran. It ran with: {edited}]\n"


def told(call: Span) -> str:
    """The sentence for the model about a call without a result."""
    sentence = TOLD[Span.Status(call.status)]
    if call.attributes.get("denied_by") == "policy":
        return str(call.error)
    if call.status == Span.Status.CANCELLED and "subagent" in call.attributes:
        return STOPPED_SUBAGENT
    if call.status == Span.Status.DENIED and call.error:
        return f"{sentence} Reason: {call.error}"
    return sentence
