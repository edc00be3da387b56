"""The rows that a page shows of some turns: messages, spans, questions, subagents, branches."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from chat.events import subagent_states
from chat.llm.messages import text_of
from chat.models import Message, Question, Turn
from chat.presentation.branches import Choices, choices
from chat.presentation.calls import SubagentView, subagent_view
from chat.presentation.compactions import TurnCompactions, turn_compactions
from chat.presentation.comparisons import LaneView, lanes
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads


@dataclass
class TurnRows:
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


def read_rows(turns: Sequence[Turn]) -> TurnRows:
    """Of turns that were read `with_shown_rows`, in a fixed number of queries."""
    rows = TurnRows()
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


def _read_subagents(rows: TurnRows) -> None:
    parents = [pk for pk, span in rows.spans.items() if "subagent" in call_attributes(span)]
    states = subagent_states(parents) if parents else {}
    rows.subagents = {pk: subagent_view(state) for pk, state in states.items()}


def _read_retried(rows: TurnRows, turns: Sequence[Turn]) -> None:
    """The turns that some of these replace."""
    if not any(turn.retry_of_id for turn in turns):
        return
    retried = Turn.objects.filter(
        conversation__in={turn.conversation_id for turn in turns}, retried_by__isnull=False
    )
    rows.retried = {turn.pk: turn for turn in retried.select_related("trace")}


def _read_questions(rows: TurnRows) -> None:
    """The open questions."""
    waiting = [pk for pk, span in rows.spans.items() if span.status == Span.Status.WAITING]
    if not waiting:
        return
    questions = Question.objects.filter(span__in=waiting, state=Question.State.OPEN)
    for question in questions.order_by("id"):
        rows.questions[question.span_id].append(question)


def _add_message(rows: TurnRows, message: Message) -> None:
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


def _add_span(rows: TurnRows, span: Span) -> None:
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


def _read_results(rows: TurnRows) -> None:
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
