"""Turns as the thread shows them, in a fixed number of queries however many there are."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.safestring import SafeString

from chat.engine.turn.cut_answers import was_cut
from chat.events import subagent_states
from chat.llm.messages import text_of
from chat.markdown import Citation, Citations, render
from chat.models import Message, Question, Turn
from chat.presentation.attachments import AttachmentView, attachment_views
from chat.presentation.attempts import AttemptView, failed_attempts, notes
from chat.presentation.branches import NO_CHOICE, Choices, choices
from chat.presentation.calls import CallGroup, SubagentView, call_view, subagent_view
from chat.presentation.compactions import CompactionView, TurnCompactions, turn_compactions
from chat.presentation.comparisons import LaneView, lanes
from chat.presentation.figures import AnswerFigures, answer_figures
from chat.presentation.sources import cited, listed
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
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes, generation_attributes
from tracing.store import payloads


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


@dataclass
class _Rows:
    """The rows of some turns, by what they belong to: mostly primary keys."""

    messages: dict[int, list[Message]] = field(default_factory=lambda: defaultdict(list))
    put_in: dict[int, list[Message]] = field(default_factory=lambda: defaultdict(list))
    generations: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    model_calls: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    compactions: list[Span] = field(default_factory=list)
    turn_compactions: dict[int, TurnCompactions] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    calls: dict[str, dict[int, Span]] = field(default_factory=lambda: defaultdict(dict))
    results: dict[int, str] = field(default_factory=dict)
    results_by_call: dict[tuple[int | None, str], str] = field(default_factory=dict)
    # Bodies of the tool messages of a turn.
    tool_bodies: dict[int, list[Any]] = field(default_factory=lambda: defaultdict(list))
    questions: dict[int, list[Question]] = field(default_factory=lambda: defaultdict(list))
    subagents: dict[int, SubagentView] = field(default_factory=dict)
    retried: dict[int, Turn] = field(default_factory=dict)
    choices: dict[int, Choices] = field(default_factory=dict)
    lanes: dict[int, list[LaneView]] = field(default_factory=dict)


def find_turn(user: AnyUser, public_id: UUID) -> Turn | None:
    """The turn with this id, if the user may see it."""
    return Turn.objects.readable_by(user).with_shown_rows().filter(public_id=public_id).first()


def turn_views(turns: Sequence[Turn], viewer: Viewer = OWNER) -> list[TurnView]:
    """The view models of turns that were read `with_shown_rows`, as by `find_turn`."""
    rows = _rows(turns)
    return [replace(_turn_view(turn, rows), viewer=viewer) for turn in turns]


def _rows(turns: Sequence[Turn]) -> _Rows:
    rows = _Rows()
    roles = (Message.Role.ASSISTANT, Message.Role.TOOL)
    put_in = Q(role=Message.Role.USER, asked_turn=None)
    messages = Message.objects.filter(Q(role__in=roles) | put_in, turn__in=turns)
    spans: dict[int, Span] = {}
    for message in messages.select_related("span__parent").order_by("id"):
        _add_message(rows, message)
        if message.span is not None:
            spans[message.span.pk] = message.span
    if any(getattr(turn, "has_bare_spans", True) for turn in turns):
        spans = _all_spans(turns)
    for _, span in sorted(spans.items()):
        _add_span(rows, span)
    _read_results(rows)
    _read_questions(rows)
    _read_subagents(rows)
    _read_retried(rows, turns)
    rows.choices.update(choices(turns))
    rows.lanes.update(lanes(turns))
    rows.turn_compactions.update(turn_compactions(rows.compactions))
    return rows


def _all_spans(turns: Sequence[Turn]) -> dict[int, Span]:
    """By primary key, also those without a message: failed attempts, calls that run, summaries."""
    traces = [turn.trace_id for turn in turns if turn.trace_id]
    kinds = (Span.Kind.GENERATION, Span.Kind.TOOL, Span.Kind.COMPACTION)
    spans = Span.objects.filter(trace__in=traces, kind__in=kinds).select_related("parent")
    return {span.pk: span for span in spans}


def _read_subagents(rows: _Rows) -> None:
    parents = [pk for pk, span in rows.spans.items() if "subagent" in call_attributes(span)]
    states = subagent_states(parents) if parents else {}
    rows.subagents = {pk: subagent_view(state) for pk, state in states.items()}


def _read_retried(rows: _Rows, turns: Sequence[Turn]) -> None:
    """The turns that some of these replace."""
    if not any(turn.retry_of_id for turn in turns):
        return
    retried = Turn.objects.filter(
        conversation__in={turn.conversation_id for turn in turns}, retried_by__isnull=False
    )
    rows.retried = {turn.pk: turn for turn in retried.select_related("trace")}


def _read_questions(rows: _Rows) -> None:
    """The open questions."""
    waiting = [pk for pk, span in rows.spans.items() if span.status == Span.Status.WAITING]
    if not waiting:
        return
    questions = Question.objects.filter(span__in=waiting, state=Question.State.OPEN)
    for question in questions.order_by("id"):
        rows.questions[question.span_id].append(question)


def _add_message(rows: _Rows, message: Message) -> None:
    if message.role == Message.Role.ASSISTANT:
        rows.messages[message.turn_id or 0].append(message)
        return
    if message.role == Message.Role.USER:
        rows.put_in[message.turn_id or 0].append(message)
        return
    rows.tool_bodies[message.turn_id or 0].append(message.body)
    text = text_of(message.body.get("content"))
    rows.results_by_call[message.turn_id, str(message.body.get("tool_call_id"))] = text
    if message.span_id is not None:
        rows.results[message.span_id] = text


def _add_span(rows: _Rows, span: Span) -> None:
    rows.spans[span.pk] = span
    if span.kind != Span.Kind.TOOL:
        rows.model_calls[span.trace_id].append(span)
    if span.kind == Span.Kind.COMPACTION:
        rows.compactions.append(span)
    elif span.kind == Span.Kind.GENERATION:
        # The model call of a summary is no attempt at an answer.
        if span.parent is None or span.parent.kind == Span.Kind.ROUND:
            rows.generations[span.trace_id].append(span)
    else:
        rows.calls[str(call_attributes(span).get("message"))][span.number] = span


def _read_results(rows: _Rows) -> None:
    """Results that no message has yet, because other calls of the round still run."""
    calls = [span for group in rows.calls.values() for span in group.values()]
    unread = [span for span in calls if span.ended and span.pk not in rows.results]
    if not unread:
        return
    stored = list(
        Payload.objects.filter(span__in=unread, stage=Payload.Stage.SHOWN).select_related(
            "span__trace"
        )
    )
    for payload, body in zip(stored, payloads.load_all(stored), strict=True):
        rows.results[payload.span_id] = body.decode(errors="surrogatepass")


def _turn_view(turn: Turn, rows: _Rows) -> TurnView:
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


def _earlier_tries(turn: Turn, rows: _Rows) -> list[Turn]:
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
    rows: _Rows,
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


def _calls(message: Message, rows: _Rows) -> CallGroup:
    spans = rows.calls.get(str(message.public_id), {})
    views = []
    for position, call in enumerate(message.body.get("tool_calls") or (), 1):
        span = spans.get(position)
        result = _result(message, position, call, rows)
        questions = rows.questions[span.pk] if span else []
        subagent = rows.subagents.get(span.pk) if span else None
        views.append(call_view(call, span, result, questions, subagent))
    return CallGroup(views)


def _result(message: Message, position: int, call: Mapping[str, Any], rows: _Rows) -> str | None:
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
