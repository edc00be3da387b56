"""Writes conversations with the rows that the engine leaves behind, without payloads."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.chat_page.texts import ANSWERS, QUESTIONS
from chat.models import Conversation, LanguageModel, Message, Provider, Turn
from tracing.models import Archive, Span, Trace

BATCH_SIZE = 1_000
TURNS_A_BATCH = 500
# Rounds of a turn by its place in the cycle of texts: the calls of each, as (tool, arguments).
NO_CALLS: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = ((),)
READ_QUERY = ("sqlite-read_query", {"query": "SELECT name, count(*) FROM tables GROUP BY name"})
CALLS = {
    3: ((READ_QUERY,), ()),
    4: ((READ_QUERY, ("host-slow_statements", {"host": "db-1", "limit": 5})), ()),
}
ROWS = [{"name": f"table_{n}", "rows": 1000 * n, "城市": "北京", "ms": 8.12 * n} for n in range(5)]
TREE = {"host": "db-1", "load": {"1m": 0.4, "5m": 0.2}, "statements": ["SELECT 1", "SELECT 2"]}
RESULTS = {"sqlite-read_query": json.dumps(ROWS, ensure_ascii=False), "": json.dumps(TREE)}


@dataclass
class _Rows:
    """Unsaved rows of some turns, by table, in the order in which they are written."""

    traces: list[Trace] = field(default_factory=list)
    spans: list[list[Span]] = field(default_factory=lambda: [[], [], []])  # by depth
    questions: list[Message] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


def a_model() -> LanguageModel:
    provider, _ = Provider.objects.get_or_create(
        name="Nobody", defaults={"base_url": "http://127.0.0.1:1/v1", "api_key": "none"}
    )
    model, _ = LanguageModel.objects.get_or_create(provider=provider, name="qwen3-32b")
    return model


def list_of(owner: User, count: int) -> None:
    """`count` conversations without messages, over the last year."""
    newest, model = timezone.now(), a_model()
    archives = Archive.objects.bulk_create(
        [Archive(owner=owner) for _ in range(count)], batch_size=BATCH_SIZE
    )
    rows = [
        Conversation(
            owner=owner,
            archive=archive,
            model=model,
            title=QUESTIONS[n % len(QUESTIONS)].format(n=n)[:80],
            updated=newest - timedelta(days=365) * n / count,
        )
        for n, archive in enumerate(archives)
    ]
    Conversation.objects.bulk_create(rows, batch_size=BATCH_SIZE)


def conversation_of(owner: User, messages: int) -> Conversation:
    """A conversation with about this number of messages, calls' results included."""
    conversation = Conversation.objects.create(
        owner=owner,
        archive=Archive.objects.create(owner=owner),
        model=a_model(),
        title=f"{messages:,} messages",
    )
    begin = timezone.now() - timedelta(days=30)
    number = written = 0
    while written < messages:
        rows = _Rows()
        for _ in range(TURNS_A_BATCH):
            _add_turn(rows, conversation, number, begin + timedelta(seconds=40 * number))
            number += 1
            if written + len(rows.questions) + len(rows.messages) >= messages:
                break
        _write(rows)
        written += len(rows.questions) + len(rows.messages)
    return conversation


def _add_turn(rows: _Rows, conversation: Conversation, number: int, at: datetime) -> None:
    place = number % len(QUESTIONS)
    question, answer = QUESTIONS[place].format(n=number), ANSWERS[place].format(n=number)
    trace = Trace(
        archive=conversation.archive,
        owner=conversation.owner,
        name=question[:200],
        status=Trace.Status.SUCCEEDED,
        started=at,
        ended=at + timedelta(seconds=9),
    )
    asked = Message(
        conversation=conversation, role="user", body={"role": "user", "content": question}
    )
    turn = Turn(
        conversation=conversation,
        user=conversation.owner,
        client_key=uuid.uuid4().hex,
        question=asked,
        model=conversation.model,
        trace=trace,
        status=Turn.Status.DONE,
        started=at,
        ended=at + timedelta(seconds=9),
        tokens_in=1_800,
        tokens_out=240,
    )
    rows.traces.append(trace)
    rows.questions.append(asked)
    rows.turns.append(turn)
    root = _span(rows, 0, trace, None, "turn", "turn", 1, at, {})
    for calls in CALLS.get(place, NO_CALLS):
        turn.rounds += 1
        opened = _span(rows, 1, trace, root, "round", "round", turn.rounds, at, {})
        _add_answer(rows, turn, opened, answer if not calls else "", calls)


def _add_answer(rows: _Rows, turn: Turn, opened: Span, text: str, calls: Any) -> None:
    trace, at = opened.trace, opened.created
    attributes = {
        "model": "qwen3-32b",
        "usage": {"prompt_tokens": 1_800, "completion_tokens": 240},
        "timings": {"send_ms": 2.1, "first_token_ms": 310.4, "reasoning_ms": 0},
        "finish_reason": "tool_calls" if calls else "stop",
        "context_window": 32_768,
    }
    generation = _span(rows, 2, trace, opened, "generation", "qwen3-32b", 1, at, attributes)
    body: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        body["tool_calls"] = [
            {
                "id": f"call_{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for n, (name, arguments) in enumerate(calls, 1)
        ]
    message = Message(
        conversation=turn.conversation, turn=turn, span=generation, role="assistant", body=body
    )
    rows.messages.append(message)
    for n, (name, _) in enumerate(calls, 1):
        server, _, tool = name.partition("-")
        said = {"call_id": f"call_{n}", "server": server, "tool": tool}
        said["message"] = str(message.public_id)
        span = _span(rows, 2, trace, opened, "tool", name, n, at, said)
        result = RESULTS.get(name, RESULTS[""])
        told = {"role": "tool", "tool_call_id": f"call_{n}", "content": result}
        rows.messages.append(
            Message(conversation=turn.conversation, turn=turn, span=span, role="tool", body=told)
        )


def _span(
    rows: _Rows, depth: int, trace: Trace, parent: Span | None, kind: str, name: str, number: int,
    at: datetime, attributes: dict[str, Any],
) -> Span:  # fmt: skip
    span = Span(
        trace=trace,
        parent=parent,
        kind=kind,
        name=name,
        number=number,
        status=Span.Status.SUCCEEDED,
        created=at,
        started=at,
        ended=at + timedelta(milliseconds=900),
        attributes=attributes,
    )
    rows.spans[depth].append(span)
    return span


def _write(rows: _Rows) -> None:
    with transaction.atomic():
        for table in _tables(rows):
            model = type(table[0])
            # What a row refers to has its primary key by now.
            for row in table:
                for reference in model._meta.concrete_fields:
                    if reference.is_relation and reference.is_cached(row):
                        setattr(row, reference.name, getattr(row, reference.name))
            model._default_manager.bulk_create(table, batch_size=BATCH_SIZE)


def _tables(rows: _Rows) -> Iterator[list[Any]]:
    yield from filter(None, [rows.traces, *rows.spans, rows.questions, rows.turns, rows.messages])
