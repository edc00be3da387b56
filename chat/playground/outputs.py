"""Outputs of model calls, and the comparison of two."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import zip_longest
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from chat.llm.json_text import parse_json
from chat.llm.messages import text_of
from chat.models import PlaygroundRun
from chat.playground import run_text
from chat.playground.differences import TextDifference, difference, unmarked
from chat.providers.advice import advice
from chat.providers.fields import pretty
from db.fields import storable
from limits.replay import MAX_OUTPUT_TEXT
from tracing.errors import PayloadCorrupt
from tracing.formatting.text import visible
from tracing.journal.cost import cached_tokens, cost
from tracing.models import Payload, Span
from tracing.models.attributes import GenerationAttributes, generation_attributes
from tracing.page.links import address
from tracing.store import payloads


@dataclass(frozen=True)
class OutputCall:
    """A tool call of the model, which the playground does not run."""

    name: str
    arguments: str

    @property
    def text(self) -> str:
        return f"{self.name}\n{self.arguments}"


@dataclass
class Output:
    """One side of a comparison. Unknown values are None or empty."""

    label: str
    span: Span
    run: PlaygroundRun | None = None
    content: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[OutputCall] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def generation(self) -> GenerationAttributes:
        return generation_attributes(self.span)

    @property
    def is_open(self) -> bool:
        return self.run is not None and self.run.is_open

    @property
    def state(self) -> str:
        return str(self.run.state if self.run else self.span.status)

    @property
    def trace_url(self) -> str:
        return address(self.span)

    @property
    def error(self) -> str:
        return str(self.span.error)

    @property
    def advice(self) -> str:
        """Advice about the error."""
        return advice(
            str(self.generation.get("error_kind") or ""), self.generation.get("status_code")
        )

    @property
    def elapsed(self) -> timedelta | None:
        return self.span.elapsed(timezone.now())

    @property
    def first_token_ms(self) -> float | None:
        return (self.generation.get("timings") or {}).get("first_token_ms")

    @property
    def tokens_in(self) -> int | None:
        return self._usage("prompt_tokens")

    @property
    def tokens_out(self) -> int | None:
        return self._usage("completion_tokens")

    @property
    def tokens_cached(self) -> int:
        return cached_tokens(self.generation.get("usage"))

    @property
    def cost(self) -> str:
        """US dollars, with all known digits."""
        dollars = cost(self.generation.get("usage"), self.generation.get("prices"))
        if dollars is None:
            return ""
        whole, _, rest = f"{dollars:.9f}".rstrip("0").partition(".")
        return f"${whole}.{rest:0<2}"

    @property
    def finish_reason(self) -> str:
        return str(self.generation.get("finish_reason") or "")

    @property
    def is_empty(self) -> bool:
        return not (self.content or self.reasoning or self.refusal or self.calls)

    def _usage(self, name: str) -> int | None:
        value = (self.generation.get("usage") or {}).get(name)
        return value if isinstance(value, int) else None


@dataclass(frozen=True)
class OutputPart:
    """A part of both outputs: `kind` is reasoning, content, refusal or call."""

    kind: str
    difference: TextDifference


@dataclass(frozen=True)
class Comparison:
    left: Output
    right: Output
    parts: list[OutputPart]

    @property
    def is_same(self) -> bool:
        return all(part.difference.is_none for part in self.parts)


def of_generation(span: Span, label: str) -> Output:
    """The output of a recorded generation."""
    stored = Payload.objects.select_related("span__trace").filter(span=span, stage="output").first()
    output = Output(label, span)
    if stored is not None:
        _fill(output, stored)
    return output


def of_run(run: PlaygroundRun) -> Output:
    """The output of a run; of an open one, up to now."""
    span = (
        Span.objects.select_related("trace", "parent")
        .filter(trace=run.trace_id, kind=Span.Kind.GENERATION)
        .get()
    )
    output = of_generation(span, gettext("Run %(number)s") % {"number": run.number})
    output.run = run
    if run.is_open:
        text = run_text.read(span.trace.public_id)
        output.content, output.reasoning = _shown(text["content"]), _shown(text["reasoning"])
    return output


def compare(left: Output, right: Output) -> Comparison:
    """The parts side by side, calls in their order. Differences are marked once both have ended."""
    texts = [
        ("reasoning", left.reasoning, right.reasoning),
        ("content", left.content, right.content),
        ("refusal", left.refusal, right.refusal),
    ]
    for one, other in zip_longest(left.calls, right.calls):
        texts.append(("call", one.text if one else "", other.text if other else ""))
    differ = unmarked if left.is_open or right.is_open else difference
    parts = [OutputPart(kind, differ(*pair)) for kind, *pair in texts if any(pair)]
    return Comparison(left, right, parts)


def _fill(output: Output, stored: Payload) -> None:
    try:
        value = payloads.read_json(stored)
        message = value["message"]
        output.content = _shown(text_of(message.get("content")))
        output.reasoning = _shown(message.get("reasoning_content") or "")
        output.refusal = _shown(message.get("refusal") or "")
        output.calls = _calls(message.get("tool_calls") or ())
        output.problems = [str(error) for error in value.get("errors") or ()]
    except PayloadCorrupt as error:
        output.problems = [
            gettext("The stored data is damaged: %(reason)s.") % {"reason": error.reason}
        ]
    except (ValueError, LookupError, TypeError, AttributeError):
        output.problems = [gettext("What is stored cannot be read: see its bytes in the trace.")]


def _calls(calls: Sequence[dict[str, Any]]) -> list[OutputCall]:
    functions = [call.get("function", {}) for call in calls]
    return [
        OutputCall(_shown(str(one.get("name", ""))), _shown(_pretty(str(one.get("arguments", "")))))
        for one in functions
    ]


def _pretty(arguments: str) -> str:
    try:
        value = parse_json(arguments)
    except ValueError:
        return arguments
    return pretty(value) if isinstance(value, dict) else arguments


def _shown(text: str) -> str:
    rest = len(text) - MAX_OUTPUT_TEXT
    more = f"\n… {rest:,} more characters: see the trace." if rest > 0 else ""
    return visible(storable(text[:MAX_OUTPUT_TEXT])) + more
