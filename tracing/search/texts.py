"""Collects the searched text of a trace: names and ids, the question, system prompts, answers and
reasoning, arguments, results, errors and their bodies. Beyond `MAX_INDEXED_TRACE` the end is left
out.

A repeated text is indexed once. Each round repeats its history, so of the requests only the first
and the last are read; and a turn leaves out the messages that the turn before it in the same
archive sent.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from limits.traces import (
    MAX_INDEXED_AT_ONCE,
    MAX_INDEXED_ERRORS,
    MAX_INDEXED_IDS,
    MAX_INDEXED_NAMES,
    MAX_INDEXED_STAGE,
)
from tracing.models import Payload, Span, Trace
from tracing.search import extracts, index
from tracing.search.document import Document, Draft
from tracing.search.rows import Head
from tracing.search.sources import Source, Spans, read_sources, read_spans

# Roles of messages that have no other stage: answers and results are read from theirs.
_ROLES = frozenset({"system", "developer", "user"})
# Bytes. Of a longer result the model may have been shown a part.
_LONG_RESULT = MAX_INDEXED_STAGE // 100


def index_trace(trace: Trace) -> None:
    """Indexes the present content of a trace."""
    index_traces([trace], read_spans([trace]))


def index_traces(traces: Sequence[Trace], spans: Spans) -> None:
    """Indexes the present content of these traces, whose spans are read; they are in the order in
    which they began."""
    sources = read_sources(traces, spans)
    index.store({source.trace.pk: _collect(source) for source in sources})


def collect(trace: Trace) -> Document:
    """At most `MAX_INDEXED_TRACE` characters."""
    return _collect(*read_sources([trace], read_spans([trace])))


def _collect(source: Source) -> Document:
    draft = Draft()
    draft.add(source.trace.name)
    draft.add(" ".join(_ids_of_trace(source.trace)))
    if source.inputs:
        first = source.inputs[0]
        draft.add(_question(source, first), first.span.pk, first.stage)
    if source.last_output:
        _add(draft, source, source.last_output)
    _add_labels(draft, source)
    if source.inputs:
        _add_sent(draft, source, *source.inputs)
    _add_rest(draft, source)
    return draft.document()


def _ids_of_trace(trace: Trace) -> Iterator[str]:
    yield str(trace.public_id)
    attributes = trace.attributes if isinstance(trace.attributes, dict) else {}
    yield from (
        str(attributes[name]) for name in ("turn", "conversation", "preset") if attributes.get(name)
    )
    yield str(trace.archive.public_id)


def _add_labels(draft: Draft, source: Source) -> None:
    """Names of tools and models, sentences and bodies of errors, and the ids of calls, responses
    and requests."""
    for name, key in _names(source):
        draft.add(name, key)
    failed = [span for span in source.spans if span.error]
    for span in failed[:MAX_INDEXED_ERRORS]:
        draft.add(span.error, span.pk)
    for head in source.failed_responses:
        _add(draft, source, head)
    for head in source.responses[:MAX_INDEXED_IDS]:
        ids = " ".join(extracts.response_ids(head.attributes, head.span.attributes))
        draft.add(ids, head.span.pk, head.stage)
    calls = [span for span in source.spans if span.kind == Span.Kind.TOOL]
    for span in calls[:MAX_INDEXED_IDS]:
        draft.add(extracts.call_ids(span.attributes), span.pk)


def _names(source: Source) -> list[tuple[str, int]]:
    """The names of models and tools, each with the first span that has it."""
    firsts: dict[str, int] = {}
    for span in source.spans:
        if span.kind in (Span.Kind.GENERATION, Span.Kind.TOOL):
            firsts.setdefault(span.name, span.pk)
    return list(islice(firsts.items(), MAX_INDEXED_NAMES))


def _question(source: Source, first: Head) -> str:
    """The last user message of the first request."""
    messages = source.messages(first, source.asked)
    questions = [text for role, text in messages if role == "user"]
    return questions[-1] if questions else ""


def _add_sent(draft: Draft, source: Source, first: Head, last: Head) -> None:
    """The messages of the first and the last request that neither an earlier turn nor another stage
    of this one has. Answers and results too, if no trace has the history (a fork, an import)."""
    for role, text in source.messages(first, source.new):
        if role in _ROLES or not source.earlier:
            draft.add(text, first.span.pk, first.stage)
    if source.added:
        for role, text in source.messages(last, source.added):
            if role in _ROLES:
                draft.add(text, last.span.pk, last.stage)


def _add_rest(draft: Draft, source: Source) -> None:
    """Answers, arguments and results in their order. A result of which the model was shown a part
    is read whole."""
    results = source.results_over(_LONG_RESULT)
    heads = source.texts
    for start in range(0, len(heads), MAX_INDEXED_AT_ONCE):
        batch = heads[start : start + MAX_INDEXED_AT_ONCE]
        for head, (text, more) in zip(batch, source.extracts(batch), strict=True):
            whole = results.get(head.span.pk) if head.stage == Payload.Stage.SHOWN else None
            if whole is not None and whole.size > 1.25 * head.size:
                _add(draft, source, whole)
            draft.add(text, head.span.pk, head.stage, more)
        if draft.is_full:
            draft.left_out += sum(head.size for head in heads[start + MAX_INDEXED_AT_ONCE :])
            return


def _add(draft: Draft, source: Source, head: Head) -> None:
    ((text, more),) = source.extracts([head])
    draft.add(text, head.span.pk, head.stage, more)
