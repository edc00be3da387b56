"""Whether the answer of a turn that has ended was cut, so that a model can go on with it."""

from chat.models import Message, Turn
from tracing.models import Span
from tracing.models.attributes import generation_attributes

LENGTH = "length"


def was_cut(status: str, has_answer: bool, finish_reason: object) -> bool:
    """`has_answer`: there is anything of an answer. `finish_reason` is that of its last model
    call."""
    if status == Turn.Status.DONE:
        return has_answer and finish_reason == LENGTH
    return has_answer and status in (Turn.Status.FAILED, Turn.Status.STOPPED)


def is_cut(turn: Turn) -> bool:
    """From the rows of a turn."""
    roles = (Message.Role.ASSISTANT, Message.Role.TOOL)
    has_answer = Message.objects.filter(turn=turn, role__in=roles).exists()
    generations = Span.objects.filter(
        trace=turn.trace_id, kind=Span.Kind.GENERATION, parent__kind=Span.Kind.ROUND
    )
    last = generations.order_by("-pk").first()
    reason = generation_attributes(last).get("finish_reason") if last else None
    return was_cut(str(turn.status), has_answer, reason)
