"""From the tool calls of a round to the messages that tell the model what came back."""

from collections.abc import Mapping, Sequence

from chat.agent import todos
from chat.engine.context.history import History
from chat.engine.tool_calls.endings import told
from chat.engine.tool_calls.result_content import with_images
from chat.engine.turn.journal import Journal
from chat.llm.messages import ContentPart, text_of
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Attachment, Message, Turn
from tracing import recorder
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads


def append_results(journal: Journal, past: History) -> list[Message]:
    """Appends one tool message a call of the latest round, in the order of the calls. What has no
    text yet gets one, which is kept as the call's `shown` payload."""
    answered = {call.pk for call in _answered(journal)}
    calls = [call for call in journal.calls if call.pk not in answered]
    stored = shown_texts(calls)
    missing = {call: told(call) for call in calls if call.pk not in stored}
    store_shown(journal.turn, missing)
    texts = stored | {call.pk: text for call, text in missing.items()}
    shown, attached = with_images(journal.turn, calls, texts)
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


def store_shown(turn: Turn, texts: Mapping[Span, str]) -> None:
    """Keeps what is told of these calls, inside the caller's transaction."""
    records = [recorder.shown_record(call, text) for call, text in texts.items()]
    if records:
        payloads.store_all(turn.conversation.archive, records)


def shown_texts(calls: Sequence[Span]) -> dict[int, str]:
    """What is told of these calls, as far as it is stored, by their keys."""
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
    body: CanonicalMessage = {
        "role": "tool",
        "content": _noted(edit_note(call), shown[call.pk]),
        "tool_call_id": call_attributes(call)["call_id"],
    }
    if call_attributes(call).get("cut"):
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
    edited = call_attributes(call).get("edited_arguments")
    if edited is None:
        return ""
    return f"[The user changed the arguments before this call ran. It ran with: {edited}]\n"
