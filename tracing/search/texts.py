"""Collects the searched text of a trace: names and ids, the question, system prompts, answers and
reasoning, arguments, results, errors and their bodies. Beyond `MAX_INDEXED_TRACE` the end is left
out.

A repeated text is indexed once. Each round repeats its history, so of the requests only the first
and the last are read; and a turn leaves out the messages that the turn before it in the same
archive sent.
"""

from collections.abc import Iterator, Sequence

from django.db.models import Sum

from limits.traces import MAX_INDEXED_STAGE
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, Span, Trace
from tracing.search import extracts, index
from tracing.search.document import Document, Draft
from tracing.store import payloads


def index_trace(trace: Trace) -> None:
    """Indexes the present content of a trace."""
    index.store({trace.pk: collect(trace)})


def collect(trace: Trace) -> Document:
    """At most `MAX_INDEXED_TRACE` characters."""
    draft = Draft()
    draft.add(trace.name)
    draft.add(" ".join(_ids_of_trace(trace)))
    first = Payload.objects.first_input(trace.pk)
    if first is not None:
        draft.add(_question(first), first.span_id, first.stage)
    last = Payload.objects.last_output(trace.pk)
    if last is not None:
        _add(draft, last)
    _add_labels(draft, trace)
    if first is not None:
        _add_sent(draft, trace, first)
    _add_rest(draft, trace)
    return draft.document()


def _ids_of_trace(trace: Trace) -> Iterator[str]:
    yield str(trace.public_id)
    attributes = trace.attributes if isinstance(trace.attributes, dict) else {}
    yield from (
        str(attributes[name]) for name in ("turn", "conversation", "preset") if attributes.get(name)
    )
    yield str(trace.archive.public_id)


def _add_labels(draft: Draft, trace: Trace) -> None:
    """Names of tools and models, sentences and bodies of errors, and the ids of calls, responses
    and requests."""
    for name, span in Span.objects.names_in(trace.pk):
        draft.add(name, span)
    for error, span in Span.objects.errors_in(trace.pk):
        draft.add(error, span)
    for payload in Payload.objects.failed_responses(trace.pk):
        _add(draft, payload)
    for span, response, generation in Payload.objects.response_headers(trace.pk):
        ids = " ".join(extracts.response_ids(response, generation))
        draft.add(ids, span, Payload.Stage.RESPONSE)
    for span, attributes in Span.objects.calls_in(trace.pk):
        draft.add(extracts.call_ids(attributes), span)


def _question(first: Payload) -> str:
    """The last user message of the first request."""
    ordinals = _ordinals(first)[-4:]
    messages = _messages(first, ordinals) if ordinals else extracts.messages(first)
    questions = [text for role, text in messages if role == "user"]
    return questions[-1] if questions else ""


def _add_sent(draft: Draft, trace: Trace, first: Payload) -> None:
    """The messages of the first and the last request that neither an earlier turn nor another stage
    of this one has."""
    last = Payload.objects.last_input(trace.pk) or first
    sent = _ordinals(first)
    earlier = _sent_before(trace)
    new = [ordinal for ordinal in sent if ordinal not in earlier]
    # Answers and results too, if no trace has the history (a fork, an import).
    roles = {"system", "developer", "user"}
    # A short body has no elements.
    for role, text in _messages(first, new) if sent else extracts.messages(first):
        if role in roles or not earlier:
            draft.add(text, first.span_id, first.stage)
    if last.pk != first.pk:
        before = {*sent, *earlier}
        added = [ordinal for ordinal in _ordinals(last) if ordinal not in before]
        for role, text in _messages(last, added):
            if role in roles:
                draft.add(text, last.span_id, last.stage)


def _sent_before(trace: Trace) -> set[int]:
    """The ordinals of the messages that the turn before sent, if that turn is indexed."""
    earlier = Trace.objects.text_before(trace.archive_id, trace.pk)
    if earlier is None or earlier[1] is None:
        return set()
    inputs = [Payload.objects.first_input(earlier[0]), Payload.objects.last_input(earlier[0])]
    return {ordinal for one in inputs if one is not None for ordinal in _ordinals(one)}


def _ordinals(payload: Payload) -> list[int]:
    """The ordinals of the messages of an `input`."""
    try:
        return payloads.read_manifest(payload).section("messages")
    except PayloadCorrupt:
        return []


def _messages(payload: Payload, ordinals: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Role and text of each."""
    try:
        blobs = payloads.load_blobs(payload.span.trace.archive_id, ordinals)
    except PayloadCorrupt:
        return
    for ordinal in ordinals:
        if ordinal in blobs:
            yield extracts.message(blobs[ordinal])


def _add_rest(draft: Draft, trace: Trace) -> None:
    """Answers, arguments and results in their order. A result of which the model was shown a part
    is read whole."""
    results = {
        one.span_id: one for one in Payload.objects.results_over(trace.pk, MAX_INDEXED_STAGE // 100)
    }
    span = after = 0
    while batch := Payload.objects.texts_after(trace.pk, span, after):
        for payload, (text, more) in zip(batch, extracts.read_all(batch), strict=True):
            whole = results.get(payload.span_id) if payload.stage == Payload.Stage.SHOWN else None
            if whole is not None and whole.size > 1.25 * payload.size:
                _add(draft, whole)
            draft.add(text, payload.span_id, payload.stage, more)
        span, after = batch[-1].span_id, batch[-1].pk
        if draft.is_full:
            draft.left_out += _size_after(trace, span)
            return


def _size_after(trace: Trace, span: int) -> int:
    rows = Payload.objects.filter(span__trace=trace, span__gt=span, stage__in=Payload.TEXTS)
    return rows.aggregate(size=Sum("size"))["size"] or 0


def _add(draft: Draft, payload: Payload) -> None:
    text, more = extracts.read(payload)
    draft.add(text, payload.span_id, payload.stage, more)
