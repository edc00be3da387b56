"""Turns as the thread shows them, in a fixed number of queries however many there are."""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from django.utils.safestring import SafeString

from chat.engine.turn.cut_answers import was_cut
from chat.llm.messages import text_of
from chat.markdown import Citation, Citations, render
from chat.models import Message, Turn
from chat.presentation.attachments import AttachmentView, attachment_views
from chat.presentation.attempts import AttemptView, failed_attempts, notes
from chat.presentation.branches import NO_CHOICE, Choices
from chat.presentation.calls import CallGroup, SubagentView, call_view
from chat.presentation.compactions import CompactionView, TurnCompactions
from chat.presentation.comparisons import LaneView
from chat.presentation.figures import AnswerFigures, answer_figures
from chat.presentation.sources import cited, listed
from chat.presentation.turn_rows import TurnRows, read_rows
from chat.presentation.viewers import OWNER, Viewer
from db.users import AnyUser
from limits.chat import (
    MAX_PREVIEW_CHARACTERS,
    MAX_SHOWN_ROUNDS,
    MAX_UNFOLDED_CHARACTERS,
    MAX_UNFOLDED_LINES,
)
from tracing.formatting.figures import duration
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import generation_attributes


@dataclass(frozen=True)
class UserText:
    """A user's message; a long one is folded to `preview`."""

    id: str
    text: str
    preview: str = ""
    attachments: Sequence[AttachmentView] = ()


@dataclass(frozen=True)
class RoundView:
    number: int
    message: str
    html: SafeString
    reasoning: str
    thought: str
    calls: CallGroup
    refusal: str
    attempts: list[AttemptView]
    notes: list[str]
    # Made since the round before.
    compactions: list[CompactionView]
    # Messages that people put into the turn before this round.
    put_in: Sequence[UserText] = ()


@dataclass(frozen=True)
class TurnView:
    turn: Turn
    question: UserText
    rounds: list[RoundView]
    earlier_rounds: int
    # Failed attempts of a round that has no answer yet.
    attempts: list[AttemptView]
    subagents: Sequence[SubagentView] = ()
    # Made after the last answer.
    compactions: Sequence[CompactionView] = ()
    # The turns that it replaces, oldest first.
    earlier_tries: Sequence[Turn] = ()
    # Whether it failed because its last request was too long for the model.
    is_too_long: bool = False
    # Its generations and compactions, oldest first.
    spans: Sequence[Span] = ()
    # What stands beside it: edited questions, other answers.
    choices: Choices = NO_CHOICE
    # Whether its answer was cut: a model can go on with it.
    is_cut: bool = False
    # The pages and places in files that its tools found.
    sources: Sequence[Citation] = ()
    # Messages that people put into the turn since its last answer.
    put_in: Sequence[UserText] = ()
    # The answers that stand side by side, itself among them; none unless it is compared.
    lanes: Sequence[LaneView] = ()
    viewer: Viewer = OWNER

    @property
    def lane(self) -> LaneView | None:
        return next((one for one in self.lanes if one.turn == self.turn.public_id), None)

    @property
    def is_elsewhere(self) -> bool:
        """Whether another branch is shown."""
        return not (self.turn.is_shown or any(one.is_shown for one in self.lanes))

    @cached_property
    def figures(self) -> AnswerFigures:
        return answer_figures(self.spans)

    @property
    def is_nested(self) -> bool:
        """Whether it is a subagent's: no person asked it, and none can try it again."""
        return self.turn.conversation.parent_call_id is not None

    @property
    def is_summary(self) -> bool:
        """Whether it is only a summary that a person asked for."""
        return self.turn.question_id is None and not self.is_nested

    @property
    def can_edit(self) -> bool:
        """Whether its question is the viewer's, and does not wait in the queue."""
        is_own = self._is_asked and not self.turn.continues and not self.author
        return is_own and not self._waits and self.viewer.may_write

    @property
    def can_regenerate(self) -> bool:
        return self._is_asked and not self.turn.is_open and self.viewer.may_write

    @property
    def can_decide(self) -> bool:
        """Whether the viewer may stop it, and decide about its calls."""
        return self.viewer.may_change(self.turn)

    @property
    def author(self) -> str:
        """The name of who wrote its question; "" of the viewer's own."""
        return self.viewer.author(self.turn)

    @property
    def is_of_several(self) -> bool:
        """Whether others than the owner may have decided about its calls."""
        return self.turn.is_of_member or self.turn.conversation.is_shared_to_write

    @property
    def _is_asked(self) -> bool:
        return self.turn.question_id is not None and not self.is_nested

    @property
    def _waits(self) -> bool:
        return self.turn.status == Turn.Status.QUEUED and not self.turn.wakeups

    @property
    def changes_prompt(self) -> bool:
        """Whether the system prompt changed right before its question."""
        before = self.turn.question.parent if self.turn.question else None
        if before is None or before.role != Message.Role.SYSTEM:
            return False
        return before.parent_id is not None  # without a parent it is the first prompt

    @property
    def nested_rounds(self) -> int:
        return sum(one.rounds for one in self.subagents)

    @property
    def tokens_in(self) -> int:
        """Input tokens of the turn and its subagents."""
        return self.turn.tokens_in + sum(one.tokens_in for one in self.subagents)

    @property
    def tokens_out(self) -> int:
        return self.turn.tokens_out + sum(one.tokens_out for one in self.subagents)

    @property
    def state(self) -> str:
        return str(self.turn.status)

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds from a worker's first step to the end; 0 until the end."""
        if self.turn.started is None or self.turn.ended is None:
            return 0
        return round((self.turn.ended - self.turn.started).total_seconds() * 1000)

    @property
    def elapsed(self) -> str:
        return duration(self.elapsed_ms) if self.elapsed_ms else ""

    @cached_property
    def trace_url(self) -> str:
        """Traces are their owner's: they have what is personal in requests."""
        is_shown = self.turn.trace is not None and self.viewer.is_owner
        return self.turn.trace.get_absolute_url() if self.turn.trace and is_shown else ""

    @property
    def answer_message(self) -> str:
        """The public id of the last message with a text, for copying; "" without one."""
        return next((view.message for view in reversed(self.rounds) if view.html), "")


def find_turn(user: AnyUser, public_id: UUID) -> Turn | None:
    """The turn with this id, if the user may see it."""
    return Turn.objects.readable_by(user).with_shown_rows().filter(public_id=public_id).first()


def turn_views(turns: Sequence[Turn], viewer: Viewer = OWNER) -> list[TurnView]:
    """The view models of turns that were read `with_shown_rows`, as by `find_turn`."""
    rows = read_rows(turns)
    return [replace(_turn_view(turn, rows), viewer=viewer) for turn in turns]


def _turn_view(turn: Turn, rows: TurnRows) -> TurnView:
    messages = rows.messages[turn.pk]
    first = max(0, len(messages) - MAX_SHOWN_ROUNDS)
    generations = rows.generations[turn.trace_id or 0]
    has_failed = turn.status == Turn.Status.FAILED
    attempts = failed_attempts(generations, turn_failed=has_failed)
    compactions = rows.turn_compactions.get(turn.trace_id or 0, TurnCompactions())
    before = [compactions.before(message.span_id) for message in messages]
    put_in = _put_in_before(messages, rows.put_in[turn.pk])
    citations = cited(rows.tool_bodies[turn.pk])
    rounds = [
        replace(
            _round_view(number, message, attempts, rows, before[number - 1], citations),
            put_in=put_in[number - 1],
        )
        for number, message in list(enumerate(messages, 1))[first:]
    ]
    return TurnView(
        turn=turn,
        question=_user_text(turn.question),
        rounds=rounds,
        earlier_rounds=first,
        attempts=attempts[max([view.number for view in rounds], default=0) + 1],
        subagents=[
            one for pk, one in rows.subagents.items() if rows.spans[pk].trace_id == turn.trace_id
        ],
        compactions=compactions.rest,
        earlier_tries=_earlier_tries(turn, rows),
        is_too_long=has_failed and _was_too_long(generations),
        spans=rows.model_calls[turn.trace_id or 0],
        choices=rows.choices.get(turn.pk, NO_CHOICE),
        is_cut=was_cut(str(turn.status), bool(messages), _finish_reason(generations)),
        sources=listed(_tool_results(messages, rows.tool_bodies[turn.pk])),
        put_in=put_in[-1],
        lanes=rows.lanes.get(turn.pk, ()),
    )


def _finish_reason(generations: Sequence[Span]) -> object:
    """Of the last model call."""
    return generation_attributes(generations[-1]).get("finish_reason") if generations else None


def _tool_results(
    messages: Sequence[Message], bodies: Sequence[Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tool and the body of each result of a turn."""
    names = {
        str(call.get("id")): str(call["function"]["name"])
        for message in messages
        for call in message.body.get("tool_calls") or ()
    }
    for body in bodies:
        yield names.get(str(body.get("tool_call_id")), ""), body


def _put_in_before(messages: Sequence[Message], put_in: Sequence[Message]) -> list[list[UserText]]:
    """The messages of people before each answer of the turn, and after the last one."""
    ends = [message.pk for message in messages]
    groups: list[list[UserText]] = [[] for _ in range(len(ends) + 1)]
    for message in put_in:
        groups[bisect(ends, message.pk)].append(_user_text(message))
    return groups


def _was_too_long(generations: Sequence[Span]) -> bool:
    """Whether the provider refused the last request for its length."""
    return bool(generations and generation_attributes(generations[-1]).get("too_long"))


def _earlier_tries(turn: Turn, rows: TurnRows) -> list[Turn]:
    tries: list[Turn] = []
    retry_of = turn.retry_of_id
    while retry_of is not None and (before := rows.retried.get(retry_of)) is not None:
        tries.append(before)
        retry_of = before.retry_of_id
    return tries[::-1]


def _user_text(question: Message | None) -> UserText:
    if question is None:
        return UserText("", "")
    text = visible(text_of(question.body.get("content")))
    is_long = len(text) > MAX_UNFOLDED_CHARACTERS or text.count("\n") >= MAX_UNFOLDED_LINES
    preview = (
        "\n".join(text[:MAX_PREVIEW_CHARACTERS].split("\n")[:MAX_UNFOLDED_LINES]) if is_long else ""
    )
    return UserText(str(question.public_id), text, preview, attachment_views(question))


def _round_view(
    number: int,
    message: Message,
    attempts: dict[int, list[AttemptView]],
    rows: TurnRows,
    compactions: list[CompactionView],
    citations: Citations,
) -> RoundView:
    body = message.body
    generation = rows.spans.get(message.span_id or 0)
    if generation is not None and generation.parent is not None:
        number = generation.parent.number
    return RoundView(
        number=number,
        message=str(message.public_id),
        html=render(text_of(body.get("content")), citations),
        reasoning=visible(str(body.get("reasoning_content") or "")),
        thought=_reasoning_time(generation),
        calls=_calls(message, rows),
        refusal=visible(str(body.get("refusal") or "")),
        attempts=attempts[number],
        notes=list(notes(generation, body)),
        compactions=compactions,
    )


def _calls(message: Message, rows: TurnRows) -> CallGroup:
    spans = rows.calls.get(str(message.public_id), {})
    views = []
    for position, call in enumerate(message.body.get("tool_calls") or (), 1):
        span = spans.get(position)
        result = _result(message, position, call, rows)
        questions = rows.questions[span.pk] if span else []
        subagent = rows.subagents.get(span.pk) if span else None
        views.append(call_view(call, span, result, questions, subagent))
    return CallGroup(views)


def _result(message: Message, position: int, call: Mapping[str, Any], rows: TurnRows) -> str | None:
    """What the model was shown of a call's result."""
    span = rows.calls.get(str(message.public_id), {}).get(position)
    result = rows.results.get(span.pk) if span else None
    if result is not None:
        return result
    return rows.results_by_call.get((message.turn_id, str(call.get("id"))))


def _reasoning_time(generation: Span | None) -> str:
    """The duration of the model's reasoning, if the engine measured it."""
    timings = (generation_attributes(generation).get("timings") or {}) if generation else {}
    reasoning_ms = timings.get("reasoning_ms")
    return duration(float(reasoning_ms)) if reasoning_ms else ""
