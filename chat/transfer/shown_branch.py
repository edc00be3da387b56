"""The branch that a conversation shows, as messages by turn."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from chat.llm.history import complete_history
from chat.llm.messages import Message as CanonicalMessage
from chat.models import Conversation, Message, Turn
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span
from tracing.store import payloads


@dataclass(frozen=True)
class ShownTurn:
    """A turn of the branch with its answers, results, and notes that were put into it, in order.
    `prompts` are the system messages right before its question."""

    turn: Turn
    question: CanonicalMessage | None
    messages: list[CanonicalMessage] = field(default_factory=list)
    prompts: list[CanonicalMessage] = field(default_factory=list)

    def weighed(self) -> list[CanonicalMessage]:
        """The messages, with `weight` in those of the assistant."""
        weight: Any = {"weight": int(self.rating == "up")}
        return [one | weight if one["role"] == "assistant" else one for one in self.messages]

    @property
    def rating(self) -> str:
        """Of its feedback: up, down, or empty."""
        feedback = getattr(self.turn, "feedback", None)
        return str(feedback.rating) if feedback else ""

    @property
    def note(self) -> str:
        feedback = getattr(self.turn, "feedback", None)
        return str(feedback.note) if feedback else ""


@dataclass(frozen=True)
class Branch:
    """The shown turns of a conversation, the first one first."""

    conversation: Conversation
    turns: list[ShownTurn]

    def history(self, until: int | None = None, *, weighs: bool = False) -> list[CanonicalMessage]:
        """The messages of the first `until` turns (None: of all), each call with its result. As in
        a request, the last system prompt comes first. `weighs` gives the assistant's messages a
        `weight`: 1 in turns with a thumb up, else 0."""
        prompts: list[CanonicalMessage] = []
        messages: list[CanonicalMessage] = []
        for turn in self.turns[:until]:
            prompts = turn.prompts[-1:] or prompts
            messages += [turn.question] if turn.question else []
            messages += turn.weighed() if weighs else turn.messages
        return complete_history([*prompts, *messages])


def read(conversation: Conversation) -> Branch:
    """Four queries."""
    rows = Turn.objects.shown_in(conversation.pk).select_related("feedback").order_by("id")
    turns = list(rows)
    by_turn: dict[int | None, list[Message]] = {}
    parents: dict[int, Message] = {}
    for message in conversation.messages.order_by("id"):
        by_turn.setdefault(message.turn_id, []).append(message)
        parents[message.pk] = message
    return Branch(conversation, [_shown(turn, by_turn.get(turn.pk, []), parents) for turn in turns])


def _shown(turn: Turn, messages: list[Message], rows: dict[int, Message]) -> ShownTurn:
    question = rows.get(turn.question_id or 0)
    bodies = [
        message.body
        for message in messages
        if message.pk != turn.question_id and message.role != Message.Role.SYSTEM
    ]
    prompts = list(_prompts_before(question, rows)) if question else []
    return ShownTurn(turn, question.body if question else None, bodies, prompts[::-1])


def _prompts_before(message: Message, rows: dict[int, Message]) -> Iterator[CanonicalMessage]:
    """The system messages directly before a message, the last one first."""
    before = rows.get(message.parent_id or 0)
    while before is not None and before.role == Message.Role.SYSTEM:
        yield before.body
        before = rows.get(before.parent_id or 0)


def offered_tools(branch: Branch) -> list[Any]:
    """The tools that the last request of the branch offered, as its trace recorded them."""
    traces = [one.turn.trace_id for one in branch.turns if one.turn.trace_id]
    inputs = Payload.objects.filter(
        span__trace__in=traces[-1:],
        span__kind=Span.Kind.GENERATION,
        stage=Payload.Stage.INPUT,
    )
    last = inputs.select_related("span__trace").order_by("-span_id").first()
    try:
        value = payloads.read_json(last) if last else None
    except (PayloadCorrupt, ValueError):
        return []
    tools = value.get("tools") if isinstance(value, dict) else None
    return tools if isinstance(tools, list) else []
