"""A finished trace as OpenTelemetry spans: the same tree, one span for one of ours.

    invoke_agent {agent}            a turn
      compaction {layer}            CHAIN: what was left out of the context; a summary's call below
      round {n}                     CHAIN: keeps the attempts and the calls of a round together
        chat {model}                each attempt
        execute_tool {tool}         each call
          invoke_agent {agent}      a subagent's turn: in the same trace, below the call of `task`

A subagent's turn is a trace of ours by itself, and leaves when it has ended, before its parent has.
A trace that is no answer to anybody (a probe, a trial of a tool) has a CHAIN at its root. What a
person chose, such as Stop or Deny, is no error: its status stays unset.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.conf import settings

from tracing.export.otlp import generations, messages, tools
from tracing.export.otlp.content import Contents
from tracing.export.otlp.errors import error_type, is_unknown_tool
from tracing.export.otlp.ids import span_id, trace_id
from tracing.export.otlp.limits import cut
from tracing.export.otlp.mapped import Attributes, Kind, Mapped, Outcome
from tracing.export.otlp.providers import provider_name
from tracing.journal.subagents import topmost
from tracing.models import Span, Trace
from tracing.models.attributes import compaction_attributes, generation_attributes, trace_attributes

AGENT = "Roundtrip"
# Of a span: names of spans are grouped by, and a model may invent any number of tools.
UNKNOWN = "_unknown"

_SPAN = Span.Kind
_AGENTS = frozenset(
    {Trace.Kind.TURN, Trace.Kind.PLAYGROUND, Trace.Kind.REPLAY, Trace.Kind.SUBAGENT}
)
_NOTED = ("layer", "results", "messages", "left_out_characters", "tokens_before", "tokens_after")
_OUTCOMES = {
    Span.Status.SUCCEEDED: Outcome.OK,
    Span.Status.FAILED: Outcome.ERROR,
    Span.Status.SUPERSEDED: Outcome.ERROR,
    Span.Status.OUTCOME_UNKNOWN: Outcome.ERROR,
}


def spans_of(trace: Trace) -> list[Span]:
    """The spans of a trace that leave, parents first, in one query."""
    rows = trace.spans.exclude(kind=_SPAN.MCP).order_by("id")
    return list(rows.defer("owner", "token", "lease_expires"))


def mapped(trace: Trace, spans: Sequence[Span]) -> Iterator[Mapped]:
    """One at a time: of the contents, only those of one span are in memory."""
    contents = Contents(trace, spans)
    ids = {span.pk: span_id(span.public_id) for span in spans}
    top = topmost(trace)
    shared = _shared(top)
    above = None if trace.parent is None else span_id(trace.parent.public_id)
    for span in spans:
        made = _attributes(trace, span, spans, contents)
        error = error_type(span, spans)
        one = Mapped(
            name=_name(trace, span, made),
            kind=Kind.CLIENT if span.kind == _SPAN.GENERATION else Kind.INTERNAL,
            trace_id=trace_id(top.public_id),
            span_id=ids[span.pk],
            parent_id=ids.get(span.parent_id) if span.parent_id else above,
            start=_nanoseconds(span.started or span.created),
            end=_nanoseconds(_end(trace, span)),
            outcome=_OUTCOMES.get(Span.Status(span.status), Outcome.UNSET),
            failure=_failure(span, error, contents),
            attributes={**shared, **made, **({"error.type": error} if error else {})},
        )
        contents.spend(one.size)
        yield one


def _shared(trace: Trace) -> Attributes:
    """What is on every span, so that receivers can group and filter by it.

    The account's number stands for the person: nobody outside can tell who it is.
    """
    conversation = trace_attributes(trace).get("conversation")
    found: Attributes = {
        "session.id": str(conversation or trace.public_id),
        "user.id": str(trace.owner_id),
    }
    if conversation:
        found["gen_ai.conversation.id"] = str(conversation)
    return found


def _attributes(trace: Trace, span: Span, spans: Sequence[Span], contents: Contents) -> Attributes:
    found: Attributes = {"roundtrip.status": span.status}
    match span.kind:
        case _SPAN.GENERATION:
            return found | generations.attributes(span, contents)
        case _SPAN.TOOL:
            return found | tools.attributes(span, contents)
        case _SPAN.TURN:
            return found | _of_root(trace, spans, contents)
    found |= {"openinference.span.kind": "CHAIN", "roundtrip.number": span.number}
    return found | (_of_compaction(span) if span.kind == _SPAN.COMPACTION else {})


def _of_compaction(span: Span) -> Attributes:
    """What was left out; no convention has words for it."""
    return {
        f"roundtrip.compaction.{name}": value
        for name in _NOTED
        if isinstance(value := generation_attributes(span).get(name), str | int)
    }


def _of_root(trace: Trace, spans: Sequence[Span], contents: Contents) -> Attributes:
    compactions = {span.pk for span in spans if span.kind == _SPAN.COMPACTION}
    asked = [span for span in spans if span.kind == _SPAN.GENERATION]
    made = [span for span in asked if span.parent_id not in compactions]
    found: Attributes = {"openinference.span.kind": "CHAIN", "roundtrip.kind": trace.kind}
    if trace.kind in _AGENTS:
        found |= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": _agent(trace),
            "agent.name": _agent(trace),
            "openinference.span.kind": "AGENT",
        }
    if made:
        found["gen_ai.provider.name"] = provider_name(made[-1].attributes)
        found["gen_ai.request.model"] = cut(str(generation_attributes(made[-1]).get("model") or ""))
    if settings.ROUNDTRIP_URL:
        found["roundtrip.url"] = f"{settings.ROUNDTRIP_URL}{trace.get_absolute_url()}"
    return found | (_said(made, contents) if made and contents.allowed else {})


def _said(made: Sequence[Span], contents: Contents) -> Attributes:
    """The question and the answer."""
    found: Attributes = {}
    if asked := messages.last_of_user(contents.asked(made[0]).messages):
        found["input.value"], found["input.mime_type"] = cut(asked), "text/plain"
        question = {"role": "user", "content": asked}
        found["gen_ai.input.messages"] = messages.in_parts([question])
    if answer := contents.answered(made[-1]):
        reason = str(generation_attributes(made[-1]).get("finish_reason") or "")
        found["gen_ai.output.messages"] = messages.in_parts([answer], cut(reason))
        found |= generations.output_value(answer)
    return found


def _name(trace: Trace, span: Span, made: Attributes) -> str:
    match span.kind:
        case _SPAN.GENERATION:
            return f"chat {made['gen_ai.request.model']}".strip()
        case _SPAN.TOOL:
            name = UNKNOWN if is_unknown_tool(span.attributes) else made["gen_ai.tool.name"]
            return f"execute_tool {name}"
        case _SPAN.TURN if trace.kind in _AGENTS:
            return f"invoke_agent {_agent(trace)}"
        case _SPAN.TURN:
            return trace.kind
        case _SPAN.ROUND:
            return f"round {span.number}"
        case _SPAN.COMPACTION:
            return f"compaction {cut(str(compaction_attributes(span).get('layer') or span.name))}"
    return cut(span.name)


def _agent(trace: Trace) -> str:
    """The preset that answered, if the trace names it."""
    return cut(str(trace_attributes(trace).get("preset") or AGENT))


def _failure(span: Span, error: str, contents: Contents) -> str:
    """A provider's sentence may quote what it was asked: it leaves with content only."""
    if not error:
        return ""
    if contents.allowed and span.error:
        return cut(span.error)
    status = generation_attributes(span).get("status_code")
    return f"{error} (HTTP {status})" if status and str(status) != error else error


def _end(trace: Trace, span: Span) -> datetime:
    start = span.started or span.created
    return max(start, span.ended or trace.ended or start)


def _nanoseconds(moment: datetime) -> int:
    """Exact: a float of seconds has no room for microseconds and nanoseconds."""
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1000
