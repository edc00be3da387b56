"""The text of a round that has no whole answer: what its attempts had said is kept."""

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


def keep(journal: Journal) -> Message | None:
    """Appends what the latest round's attempts said, if the turn ends without its answer."""
    if journal.round is None or journal.generations[-1].status == Span.Status.SUCCEEDED:
        return None
    return append(history.read(journal.turn), journal.round)


def append(past: History, opened: Span) -> Message | None:
    """Appends the text of the round's latest attempt that said something."""
    attempts = Span.objects.filter(parent=opened, kind=Span.Kind.GENERATION)
    stored = Payload.objects.filter(span__in=attempts, stage=Payload.Stage.OUTPUT)
    for payload in stored.select_related("span__trace").order_by("-span__number"):
        message = _text(payload)
        if message.get("content") or message.get("reasoning_content"):
            return past.append(Message.Role.ASSISTANT, message, span=payload.span)
    return None


def _text(stored: Payload) -> CanonicalMessage:
    """The recorded message without its calls, which nobody will run. Damaged evidence says nothing:
    the turn must end all the same."""
    try:
        message: CanonicalMessage = json.loads(payloads.load(stored))["message"]
    except (PayloadCorrupt, ValueError, LookupError):
        logger.exception("The text of attempt %s cannot be read", stored.span.public_id)
        return {"role": "assistant"}
    message.pop("tool_calls", None)
    return message
