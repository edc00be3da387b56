"""Maps a finished trace to OpenTelemetry spans: the same tree, one span for each of ours.

    invoke_agent {agent}            a turn
      compaction {layer}            CHAIN: what was left out of the context; a summary's call below
      round {n}                     CHAIN: the attempts and the calls of a round
        chat {model}                each attempt
        execute_tool {tool}         each call
          invoke_agent {agent}      a subagent's turn: in the same trace, below the call of `task`

A subagent's turn is a trace of its own here, and is exported when it has ended, before its parent.
The root of a trace that answers nobody (a probe, a trial of a tool) is a CHAIN. An end that a
person chose, such as Stop or Deny, is no error: the status stays unset.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.conf import settings

from tracing.export.otlp import generations, messages, tools
from tracing.export.otlp.content import Contents
from tracing.export.otlp.errors import error_type, is_unknown_tool
from tracing.export.otlp.ids import span_id, trace_id
from tracing.export.otlp.limits import cut
from tracing.export.otlp.otlp_span import Attributes, OTLPSpan, Outcome, SpanKind
from tracing.export.otlp.providers import provider_name
from tracing.journal.subagents import topmost
from tracing.models import Span, Trace
from tracing.models.attributes import compaction_attributes, generation_attributes, trace_attributes

AGENT = "Roundtrip"
# In the name of a span, for a tool that a model invented: receivers group by names.
UNKNOWN = "_unknown"

_SPAN = Span.Kind
_AGENTS = frozenset(
    {Trace.Kind.TURN, Trace.Kind.PLAYGROUND, Trace.Kind.REPLAY, Trace.Kind.SUBAGENT}
)
_COMPACTION_ATTRIBUTES = (
    "layer",
    "results",
    "messages",
    "left_out_characters",
    "tokens_before",
    "tokens_after",
)
_OUTCOMES = {
    Span.Status.SUCCEEDED: Outcome.OK,
    Span.Status.FAILED: Outcome.ERROR,
    Span.Status.SUPERSEDED: Outcome.ERROR,
    Span.Status.OUTCOME_UNKNOWN: Outcome.ERROR,
}


def spans_of(trace: Trace) -> list[Span]:
    """The spans of a trace that are exported, parents first, in one query."""
    rows = trace.spans.exclude(kind=_SPAN.MCP).order_by("id")
    return list(rows.defer("owner", "token", "lease_expires"))


def map_trace(trace: Trace, spans: Sequence[Span]) -> Iterator[OTLPSpan]:
    """One span at a time: only the contents of that span are in memory."""
    contents = Contents(trace, spans)
    ids = {span.pk: span_id(span.public_id) for span in spans}
    top = topmost(trace)
    shared = _shared(top)
    parent_call = None if trace.parent is None else span_id(trace.parent.public_id)
    for span in spans:
        own = _attributes(trace, span, spans, contents)
        error = error_type(span, spans)
        otlp_span = OTLPSpan(
            name=_name(trace, span, own),
            kind=SpanKind.CLIENT if span.kind == _SPAN.GENERATION else SpanKind.INTERNAL,
            trace_id=trace_id(top.public_id),
            span_id=ids[span.pk],
            parent_id=ids.get(span.parent_id) if span.parent_id else parent_call,
            start=_nanoseconds(span.started or span.created),
            end=_nanoseconds(_end(trace, span)),
            outcome=_OUTCOMES.get(Span.Status(span.status), Outcome.UNSET),
            failure=_failure(span, error, contents),
            attributes={**shared, **own, **({"error.type": error} if error else {})},
        )
        contents.spend(otlp_span.size)
        yield otlp_span


def _shared(trace: Trace) -> Attributes:
    """The attributes of every span, for receivers to group and filter by. A person is named by the
    account's number only."""
    conversation = trace_attributes(trace).get("conversation")
    shared: Attributes = {
        "session.id": str(conversation or trace.public_id),
        "user.id": str(trace.owner_id),
    }
    if conversation:
        shared["gen_ai.conversation.id"] = str(conversation)
    return shared


def _attributes(trace: Trace, span: Span, spans: Sequence[Span], contents: Contents) -> Attributes:
    own: Attributes = {"roundtrip.status": span.status}
    match span.kind:
        case _SPAN.GENERATION:
            return own | generations.model_call_attributes(span, contents)
        case _SPAN.TOOL:
            return own | tools.tool_call_attributes(span, contents)
        case _SPAN.TURN:
            return own | _root_attributes(trace, spans, contents)
    own |= {"openinference.span.kind": "CHAIN", "roundtrip.number": span.number}
    return own | (_compaction_attributes(span) if span.kind == _SPAN.COMPACTION else {})


def _compaction_attributes(span: Span) -> Attributes:
    """Under names of our own: no convention has any."""
    return {
        f"roundtrip.compaction.{name}": value
        for name in _COMPACTION_ATTRIBUTES
        if isinstance(value := generation_attributes(span).get(name), str | int)
    }


def _root_attributes(trace: Trace, spans: Sequence[Span], contents: Contents) -> Attributes:
    compactions = {span.pk for span in spans if span.kind == _SPAN.COMPACTION}
    attempts = [
        span
        for span in spans
        if span.kind == _SPAN.GENERATION and span.parent_id not in compactions
    ]
    own: Attributes = {"openinference.span.kind": "CHAIN", "roundtrip.kind": trace.kind}
    if trace.kind in _AGENTS:
        own |= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": _agent(trace),
            "agent.name": _agent(trace),
            "openinference.span.kind": "AGENT",
        }
    if attempts:
        model = generation_attributes(attempts[-1]).get("model")
        own["gen_ai.provider.name"] = provider_name(attempts[-1].attributes)
        own["gen_ai.request.model"] = cut(str(model or ""))
    if settings.ROUNDTRIP_URL:
        own["roundtrip.url"] = f"{settings.ROUNDTRIP_URL}{trace.get_absolute_url()}"
    if attempts and contents.allowed:
        own |= _question(attempts[0], contents) | _answer(attempts[-1], contents)
    return own


def _question(attempt: Span, contents: Contents) -> Attributes:
    text = messages.last_question(contents.input_of(attempt).messages)
    if not text:
        return {}
    return {
        "input.value": cut(text),
        "input.mime_type": "text/plain",
        "gen_ai.input.messages": messages.messages_json([{"role": "user", "content": text}]),
    }


def _answer(attempt: Span, contents: Contents) -> Attributes:
    answer = contents.output_of(attempt)
    if not answer:
        return {}
    reason = str(generation_attributes(attempt).get("finish_reason") or "")
    return {
        "gen_ai.output.messages": messages.messages_json([answer], cut(reason)),
        **generations.output_value(answer),
    }


def _name(trace: Trace, span: Span, own: Attributes) -> str:
    match span.kind:
        case _SPAN.GENERATION:
            return f"chat {own['gen_ai.request.model']}".strip()
        case _SPAN.TOOL:
            name = UNKNOWN if is_unknown_tool(span.attributes) else own["gen_ai.tool.name"]
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
    """A provider's sentence may quote the request, so it is sent only where content is."""
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
    """In integers: seconds as a float are not exact to the microsecond."""
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1000
