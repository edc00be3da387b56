"""The tool messages of a round: one for each call, with the text that the model is shown."""

from collections.abc import Mapping, Sequence

from chat.agent import todos
from chat.engine.context.history import History
from chat.engine.tool_calls.endings import sentence_without_result
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
    """Appends a tool message for each call of the latest round that has none, in the order of the
    calls. A call without a `shown` payload gets one."""
    answered = set(Message.objects.answered_calls(journal.turn.pk))
    calls = [call for call in journal.calls if call.pk not in answered]
    texts = shown_texts(calls)
    missing = {call: sentence_without_result(call) for call in calls if call.pk not in texts}
    store_shown(journal.turn, missing)
    texts |= {call.pk: text for call, text in missing.items()}
    shown, attachments = with_images(journal.turn, calls, texts)
    messages = []
    reminder = todos.reminder(journal.turn, journal.number)
    for call in calls:
        body = _body(call, shown)
        if call is calls[-1] and reminder:
            body = _with_reminder(body, reminder)
        message = past.append(Message.Role.TOOL, body, span=call)
        images = [attachment.pk for attachment in attachments.get(call.pk, [])]
        Attachment.objects.filter(pk__in=images).update(message=message)
        messages.append(message)
    return messages


def store_shown(turn: Turn, texts: Mapping[Span, str]) -> None:
    """Stores the text that the model is shown for each call, inside the caller's transaction."""
    records = [recorder.shown_record(call, text) for call, text in texts.items()]
    if records:
        payloads.store_all(turn.conversation.archive, records)


def shown_texts(calls: Sequence[Span]) -> dict[int, str]:
    """The texts that the model is shown for these calls, as far as they are stored, by the calls'
    keys."""
    if not calls:
        return {}
    keys = {f"call_{place}": call.pk for place, call in enumerate(calls)}
    stored_payloads = Payload.objects.shown(**keys)
    return {
        payload.span_id: body.decode(errors="surrogatepass")
        for payload, body in zip(stored_payloads, payloads.load_all(stored_payloads), strict=True)
    }


def _body(call: Span, shown: dict[int, str | list[ContentPart]]) -> CanonicalMessage:
    status = Span.Status(call.status)
    body: CanonicalMessage = {
        "role": "tool",
        "content": _with_note(edit_note(call), shown[call.pk]),
        "tool_call_id": call_attributes(call)["call_id"],
    }
    if call_attributes(call).get("cut"):
        body["is_cut"] = True
    if sources := call_attributes(call).get("sources"):
        body["sources"] = sources
    if status != Span.Status.SUCCEEDED:
        body["is_error"] = True
    return body


def _with_reminder(body: CanonicalMessage, reminder: str) -> CanonicalMessage:
    """With a text of the product at its end; the key `reminder` says which text that is."""
    content = body["content"]
    text = {"type": "text", "text": f"\n\n{reminder}"}
    extended = [*content, text] if isinstance(content, list) else f"{content}\n\n{reminder}"
    return {**body, "content": extended, "reminder": reminder}


def _with_note(note: str, content: str | list[ContentPart]) -> str | list[ContentPart]:
    if isinstance(content, str):
        return note + content
    other_parts = [part for part in content if part["type"] != "text"]
    return [{"type": "text", "text": note + text_of(content)}, *other_parts]


def edit_note(call: Span) -> str:
    """The first line of a result whose arguments a person changed; "" for any other.

    The assistant message keeps the arguments that the model wrote, because a provider may have
    signed or cached it. So the result says which arguments ran.
    """
    edited = call_attributes(call).get("edited_arguments")
    if edited is None:
        return ""
    return f"[The user changed the arguments before this call ran. It ran with: {edited}]\n"
