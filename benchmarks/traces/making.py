"""One trace as rows that are not saved yet: spans with the figures that the digest would count."""

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
class Made:
    trace: Trace
    text: str
    spans: list[Span] = field(default_factory=list)
    facets: dict[tuple[str, str], Facet] = field(default_factory=dict)


class Maker:
    """Gives out primary keys from its first on, in the order of time."""

    def __init__(self, seed: int, span: int) -> None:
        self.random = Random(seed)
        self.next_span = span

    def make(self, pk: int, archive: int, owner: int, at: datetime) -> Made:
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
        said = words.answer(random, random.randrange(2, 9))
        rare = " ".join(words.RARE) if pk % words.RARE_EVERY == 0 else ""
        made = Made(trace, f"{question}\n{said}\n{rare}")
        described = {"provider": provider, "model": name, "dialect": dialect, "prices": {}}
        if prices:
            described["prices"] = {"in": prices[0], "out": prices[1]}
        self._fill(made, described)
        for label in ("model", "provider", "dialect"):
            self._facet(made, label, described[label])
        return made

    def _fill(self, made: Made, described: dict[str, Any]) -> None:
        trace, random = made.trace, self.random
        rounds = _weighted(random, ROUNDS)[0]
        trace.rounds, trace.calls, trace.tokens_in, trace.tokens_out = rounds, 0, 0, 0
        root = self._span(made, Span.Kind.TURN, "turn", None, 1, trace.started)
        now = trace.started + timedelta(milliseconds=random.randrange(2, 40))
        for number in range(1, rounds + 1):
            last = number == rounds
            now = self._round(
                made, root, number, now, described, 0 if last else random.choice((1, 1, 2, 3))
            )
            if last and trace.status == Trace.Status.FAILED:
                self._fail(made, made.spans[-1])
        self._end(made, root, now)

    def _round(
        self,
        made: Made,
        root: Span,
        number: int,
        now: datetime,
        described: dict[str, Any],
        calls: int,
    ) -> datetime:
        random = self.random
        opened = self._span(made, Span.Kind.ROUND, f"round {number}", root, number, now)
        attempts = 2 if random.random() < 0.03 else 1
        for attempt in range(1, attempts + 1):
            usage = {
                "prompt_tokens": 200 + 350 * number + random.randrange(400),
                "completion_tokens": random.randrange(10, 600),
            }
            first = random.lognormvariate(5.8, 0.5)
            generation = self._span(
                made, Span.Kind.GENERATION, described["model"], opened, attempt, now,
                described | {"usage": usage, "attempt": attempt,
                             "timings": {"send_ms": 3.0, "first_token_ms": round(first, 1)}},
            )  # fmt: skip
            now += timedelta(milliseconds=first + usage["completion_tokens"] * 12)
            generation.ended = now
            made.trace.tokens_in = (made.trace.tokens_in or 0) + usage["prompt_tokens"]
            made.trace.tokens_out = (made.trace.tokens_out or 0) + usage["completion_tokens"]
            if attempt < attempts:
                self._fail(made, generation)
                made.trace.has_retry = True
        for place in range(1, calls + 1):
            now = self._call(made, opened, place, now)
        opened.ended = now
        return now

    def _call(self, made: Made, opened: Span, place: int, now: datetime) -> datetime:
        server, tool, _ = _weighted(self.random, TOOLS)
        name = f"{server}-{tool}" if server else tool
        described = {"server": server, "tool": tool, "idempotent": True}
        call = self._span(made, Span.Kind.TOOL, name, opened, place, now, described)
        call.idempotent = True
        now += timedelta(milliseconds=self.random.lognormvariate(4, 1))
        call.ended = now
        made.trace.calls = (made.trace.calls or 0) + 1
        self._facet(made, "tool", tool)
        if server:
            self._facet(made, "server", server)
        if self.random.random() < 0.02:
            self._fail(made, call)
        return now

    def _fail(self, made: Made, span: Span) -> None:
        span.status = Span.Status.FAILED
        span.error = self.random.choice(words.ERRORS)
        made.trace.has_error = True
        made.text += f"\n{span.error}"

    def _end(self, made: Made, root: Span, now: datetime) -> None:
        trace = made.trace
        if trace.status == Trace.Status.FAILED:
            root.status, root.error = Span.Status.FAILED, self.random.choice(words.ERRORS)
        root.ended = trace.ended = now
        trace.duration_ms = round((now - trace.started) / timedelta(milliseconds=1))
        tokens_in, tokens_out = trace.tokens_in or 0, trace.tokens_out or 0
        trace.tokens = tokens_in + tokens_out
        prices = generation_attributes(made.spans[2])["prices"]
        if prices:
            dollars = tokens_in * Decimal(prices["in"]) + tokens_out * Decimal(prices["out"])
            trace.cost = dollars / 1_000_000

    def _span(
        self, made: Made, kind: str, name: str, parent: Span | None, number: int,
        at: datetime, attributes: dict[str, Any] | None = None,
    ) -> Span:  # fmt: skip
        span = Span(
            pk=self.next_span,
            trace_id=made.trace.pk,
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
        made.spans.append(span)
        return span

    def _facet(self, made: Made, name: str, value: str) -> None:
        started = made.trace.started
        made.facets[(name, value)] = Facet(
            trace_id=made.trace.pk, name=name, value=value, started=started
        )


def _weighted(random: Random, choices: Any, at: int = -1) -> Any:
    """One of the choices, whose weight stands at this place of each."""
    return random.choices(choices, [choice[at] for choice in choices])[0]
