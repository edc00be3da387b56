"""Makes one trace as unsaved rows, with the columns and facets that the digest would fill."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from benchmarks.traces import words
from tracing.models import Facet, Span, Trace
from tracing.models.attributes import generation_attributes

MODELS = (
    # Name, provider, dialect, weight, dollars for a million tokens in and out.
    ("qwen3-32b", "Qwen", "qwen", 30, ("0.4", "1.2")),
    ("gpt-large", "Gateway", "native", 30, ("2.5", "10")),
    ("claude-next", "Anthropic", "anthropic", 20, ("3", "15")),
    ("small-local", "Local model", "nous", 17, None),
    ("experimental-7b", "Lab", "hermes", 2.9, None),
    ("once-asked", "Lab", "hermes", 0.1, None),
)
TOOLS = (
    ("sqlite", "read_query", 40),
    ("sqlite", "write_query", 15),
    ("sqlite", "list_tables", 15),
    ("files", "read_file", 12),
    ("web", "fetch", 10),
    ("", "now", 6),
    ("weather", "forecast", 1.9),
    ("rarely", "used_once", 0.1),
)
KINDS = (("turn", 94), ("probe", 2), ("trial", 2), ("playground", 1.5), ("replay", 0.5))
STATUSES = (("succeeded", 91), ("failed", 6), ("stopped", 3))
ROUNDS = ((1, 30), (2, 30), (3, 18), (4, 10), (6, 8), (12, 4))


@dataclass
class TraceRows:
    """The rows of a trace, and its text for the search; `facets` is keyed by name and value."""

    trace: Trace
    text: str
    spans: list[Span] = field(default_factory=list)
    facets: dict[tuple[str, str], Facet] = field(default_factory=dict)


class TraceMaker:
    """Makes traces; `span` is the primary key of the first span, the others follow."""

    def __init__(self, seed: int, span: int) -> None:
        self.random = Random(seed)
        self.next_span = span

    def make(self, pk: int, archive: int, owner: int, at: datetime) -> TraceRows:
        random = self.random
        name, provider, dialect, _, prices = _weighted(random, MODELS, 3)
        question = words.question(random)
        status = _weighted(random, STATUSES)[0]
        trace = Trace(
            pk=pk,
            archive_id=archive,
            owner_id=owner,
            kind=_weighted(random, KINDS)[0],
            name=question,
            status=status,
            started=at,
            digested=at,
            attributes={"model": name},
        )
        answer = words.answer(random, random.randrange(2, 9))
        rare = " ".join(words.RARE) if pk % words.RARE_EVERY == 0 else ""
        rows = TraceRows(trace, f"{question}\n{answer}\n{rare}")
        model_attributes = {"provider": provider, "model": name, "dialect": dialect, "prices": {}}
        if prices:
            model_attributes["prices"] = {"in": prices[0], "out": prices[1]}
        self._fill(rows, model_attributes)
        for label in ("model", "provider", "dialect"):
            self._facet(rows, label, model_attributes[label])
        return rows

    def _fill(self, rows: TraceRows, model_attributes: dict[str, Any]) -> None:
        trace, random = rows.trace, self.random
        rounds = _weighted(random, ROUNDS)[0]
        trace.rounds, trace.calls, trace.tokens_in, trace.tokens_out = rounds, 0, 0, 0
        root = self._span(rows, Span.Kind.TURN, "turn", None, 1, trace.started)
        now = trace.started + timedelta(milliseconds=random.randrange(2, 40))
        for number in range(1, rounds + 1):
            last = number == rounds
            now = self._round(
                rows,
                root,
                number,
                now,
                model_attributes,
                0 if last else random.choice((1, 1, 2, 3)),
            )
            if last and trace.status == Trace.Status.FAILED:
                self._fail(rows, rows.spans[-1])
        self._end(rows, root, now)

    def _round(
        self,
        rows: TraceRows,
        root: Span,
        number: int,
        now: datetime,
        model_attributes: dict[str, Any],
        calls: int,
    ) -> datetime:
        random = self.random
        round_span = self._span(rows, Span.Kind.ROUND, f"round {number}", root, number, now)
        attempts = 2 if random.random() < 0.03 else 1
        for attempt in range(1, attempts + 1):
            usage = {
                "prompt_tokens": 200 + 350 * number + random.randrange(400),
                "completion_tokens": random.randrange(10, 600),
            }
            first = random.lognormvariate(5.8, 0.5)
            generation = self._span(
                rows, Span.Kind.GENERATION, model_attributes["model"], round_span, attempt, now,
                model_attributes | {"usage": usage, "attempt": attempt,
                             "timings": {"send_ms": 3.0, "first_token_ms": round(first, 1)}},
            )  # fmt: skip
            now += timedelta(milliseconds=first + usage["completion_tokens"] * 12)
            generation.ended = now
            rows.trace.tokens_in = (rows.trace.tokens_in or 0) + usage["prompt_tokens"]
            rows.trace.tokens_out = (rows.trace.tokens_out or 0) + usage["completion_tokens"]
            if attempt < attempts:
                self._fail(rows, generation)
                rows.trace.has_retry = True
        for place in range(1, calls + 1):
            now = self._call(rows, round_span, place, now)
        round_span.ended = now
        return now

    def _call(self, rows: TraceRows, round_span: Span, place: int, now: datetime) -> datetime:
        server, tool, _ = _weighted(self.random, TOOLS)
        name = f"{server}-{tool}" if server else tool
        attributes = {"server": server, "tool": tool, "idempotent": True}
        call = self._span(rows, Span.Kind.TOOL, name, round_span, place, now, attributes)
        call.idempotent = True
        now += timedelta(milliseconds=self.random.lognormvariate(4, 1))
        call.ended = now
        rows.trace.calls = (rows.trace.calls or 0) + 1
        self._facet(rows, "tool", tool)
        if server:
            self._facet(rows, "server", server)
        if self.random.random() < 0.02:
            self._fail(rows, call)
        return now

    def _fail(self, rows: TraceRows, span: Span) -> None:
        span.status = Span.Status.FAILED
        span.error = self.random.choice(words.ERRORS)
        rows.trace.has_error = True
        rows.text += f"\n{span.error}"

    def _end(self, rows: TraceRows, root: Span, now: datetime) -> None:
        trace = rows.trace
        if trace.status == Trace.Status.FAILED:
            root.status, root.error = Span.Status.FAILED, self.random.choice(words.ERRORS)
        root.ended = trace.ended = now
        trace.duration_ms = round((now - trace.started) / timedelta(milliseconds=1))
        tokens_in, tokens_out = trace.tokens_in or 0, trace.tokens_out or 0
        trace.tokens = tokens_in + tokens_out
        prices = generation_attributes(rows.spans[2])["prices"]
        if prices:
            dollars = tokens_in * Decimal(prices["in"]) + tokens_out * Decimal(prices["out"])
            trace.cost = dollars / 1_000_000

    def _span(
        self, rows: TraceRows, kind: str, name: str, parent: Span | None, number: int,
        at: datetime, attributes: dict[str, Any] | None = None,
    ) -> Span:  # fmt: skip
        span = Span(
            pk=self.next_span,
            trace_id=rows.trace.pk,
            parent_id=parent.pk if parent else None,
            kind=kind,
            name=name,
            number=number,
            status=Span.Status.SUCCEEDED,
            created=at,
            started=at,
            attributes=attributes or {},
        )
        self.next_span += 1
        rows.spans.append(span)
        return span

    def _facet(self, rows: TraceRows, name: str, value: str) -> None:
        started = rows.trace.started
        rows.facets[(name, value)] = Facet(
            trace_id=rows.trace.pk, name=name, value=value, started=started
        )


def _weighted(random: Random, choices: Any, at: int = -1) -> Any:
    """A random choice; the weight of each is its item `at`."""
    return random.choices(choices, [choice[at] for choice in choices])[0]
