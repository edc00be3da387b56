"""The partial text of a round without a whole answer, kept as the turn's answer."""

import json
import logging

from chat.engine.context import history
from chat.engine.context.history import History
from chat.engine.turn.journal import Journal
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Message
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.store import payloads

logger = logging.getLogger(__name__)


def append_of_latest_round(journal: Journal) -> Message | None:
    """Appends the partial text of the latest round, if that has no answer."""
    if journal.round is None or journal.generations[-1].status == Span.Status.SUCCEEDED:
        return None
    return append_of_round(history.read(journal.turn), journal.round)


def append_of_round(past: History, round_span: Span) -> Message | None:
    """Appends the text of the round's latest attempt that has any."""
    attempts = Span.objects.filter(parent=round_span, kind=Span.Kind.GENERATION)
    outputs = Payload.objects.filter(span__in=attempts, stage=Payload.Stage.OUTPUT)
    for payload in outputs.select_related("span__trace").order_by("-span__number"):
        message = _message_without_calls(payload)
        if message.get("content") or message.get("reasoning_content"):
            return past.append(Message.Role.ASSISTANT, message, span=payload.span)
    return None


def _message_without_calls(output: Payload) -> CanonicalMessage:
    """The recorded message without its calls, which will not run. A damaged payload is an empty
    message: the turn has to end."""
    try:
        message: CanonicalMessage = json.loads(payloads.load(output))["message"]
    except (PayloadCorrupt, ValueError, LookupError):
        logger.exception("The text of attempt %s cannot be read", output.span.public_id)
        return {"role": "assistant"}
    message.pop("tool_calls", None)
    return message
