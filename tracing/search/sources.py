"""What the searched texts of several traces are made of, read together.

A short turn costs its statements and not its rows. So of all traces together the spans, the heads
of the payloads, the manifests and the blobs are read by a statement each, up to
`MAX_PRELOADED_BYTES`; what is more is read when it is asked for.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Exists, Max, Min, OuterRef, Subquery

from limits.traces import MAX_INDEXED_ERRORS, MAX_PRELOADED_BYTES, MAX_PRELOADED_MESSAGES
from tracing.errors import PayloadCorrupt
from tracing.models import Payload, SearchText, Span, Trace
from tracing.search import extracts
from tracing.search.rows import Head, Rows
from tracing.store import payloads

_STAGE = Payload.Stage
# The stages whose text is searched; of a request only its `input`.
_SEARCHED = (*Payload.TEXTS, _STAGE.INPUT, _STAGE.RESULT, _STAGE.RESPONSE)
# Messages at the end of the first request, among which the question is.
_LAST = 4

Spans = Mapping[int, Sequence[Span]]


@dataclass
class Source:
    """One trace: its spans, the heads of its payloads by span, and the ordinals of the messages
    that the turn before it in the same archive sent, if that turn is indexed."""

    trace: Trace
    spans: Sequence[Span]
    rows: Rows
    heads: list[Head] = field(default_factory=list)
    earlier: frozenset[int] = frozenset()
    _by_head: dict[int, list[int]] = field(default_factory=dict)

    @cached_property
    def inputs(self) -> tuple[Head, Head] | None:
        """The first and the last request."""
        inputs = self._of_turn(_STAGE.INPUT)
        return (inputs[0], inputs[-1]) if inputs else None

    @cached_property
    def last_output(self) -> Head | None:
        return next(reversed(self._of_turn(_STAGE.OUTPUT)), None)

    @property
    def texts(self) -> list[Head]:
        """Answers, arguments, and results that the model was shown."""
        return [head for head in self.heads if head.stage in Payload.TEXTS]

    @property
    def responses(self) -> list[Head]:
        return [head for head in self.heads if head.stage == _STAGE.RESPONSE]

    @property
    def failed_responses(self) -> list[Head]:
        failed = [head for head in self.responses if head.span.status == Span.Status.FAILED]
        return failed[:MAX_INDEXED_ERRORS]

    def results_over(self, size: int) -> dict[int, Head]:
        """The results of tools with more than `size` bytes, by the span's primary key."""
        return {
            head.span.pk: head
            for head in self.heads
            if head.stage == _STAGE.RESULT and head.size > size
        }

    @cached_property
    def sent(self) -> list[int]:
        """The ordinals of the messages of the first request; a short body has none."""
        return self._ordinals(self.inputs[0]) if self.inputs else []

    @property
    def asked(self) -> list[int]:
        """Those at its end."""
        return self.sent[-_LAST:]

    @cached_property
    def new(self) -> list[int]:
        """Those that the earlier turn did not send."""
        return [ordinal for ordinal in self.sent if ordinal not in self.earlier]

    @cached_property
    def added(self) -> list[int]:
        """Those of the last request that neither the first one nor the earlier turn sent."""
        if self.inputs is None or self.inputs[0] is self.inputs[1]:
            return []
        before = {*self.sent, *self.earlier}
        return [one for one in self._ordinals(self.inputs[1]) if one not in before]

    def messages(self, head: Head, ordinals: Sequence[int]) -> Iterator[tuple[str, str]]:
        """Role and text of these messages of a request; of all, if it is short."""
        if not self._ordinals(head):
            yield from extracts.messages(*self.rows.payloads([head]))
            return
        try:
            blobs = self.rows.blobs(self.trace.archive_id, ordinals)
        except PayloadCorrupt:
            return
        for ordinal in ordinals:
            if ordinal in blobs:
                yield extracts.message(blobs[ordinal])

    def extracts(self, heads: Sequence[Head]) -> list[extracts.Extract]:
        """The text of each payload, empty for a damaged one."""
        rows = self.rows.payloads(heads)
        return extracts.read_all(rows, self.rows.bodies(rows))

    def _of_turn(self, stage: str) -> list[Head]:
        """Without those of a summary, whose request quotes messages of earlier turns."""
        summaries = {span.pk for span in self.spans if span.kind == Span.Kind.COMPACTION}
        heads = (head for head in self.heads if head.stage == stage)
        return [head for head in heads if head.span.parent_id not in summaries]

    def _ordinals(self, head: Head) -> list[int]:
        """The ordinals of the messages of a request."""
        if head.pk not in self._by_head:
            self._by_head[head.pk] = _messages(*self.rows.payloads([head]))
        return self._by_head[head.pk]


def read_spans(traces: Iterable[Trace]) -> dict[int, list[Span]]:
    """The spans of each trace in their order, by the trace's primary key."""
    by_key = {trace.pk: trace for trace in traces}
    spans: dict[int, list[Span]] = {pk: [] for pk in by_key}
    unread = ("owner", "token", "lease_expires", "retry_at", "idempotent", "tool_hash")
    for span in Span.objects.filter(trace__in=list(by_key)).order_by("trace", "id").defer(*unread):
        span.trace = by_key[span.trace_id]
        spans[span.trace_id].append(span)
    return spans


def read_sources(traces: Sequence[Trace], spans: Spans) -> list[Source]:
    """The sources of these traces, in their order; `spans` as `read_spans` gives them."""
    rows = Rows()
    sources = {trace.pk: Source(trace, spans[trace.pk], rows) for trace in traces}
    for head in _read_heads(spans):
        sources[head.span.trace_id].heads.append(head)
    _read_earlier(sources)
    _preload(rows, list(sources.values()))
    return list(sources.values())


def _read_heads(spans: Spans) -> Iterator[Head]:
    """The heads of the payloads that are searched, by span."""
    by_key = {span.pk: span for of_trace in spans.values() for span in of_trace}
    found = Payload.objects.filter(span__trace__in=list(spans), stage__in=_SEARCHED)
    columns = found.order_by("span_id", "id").values_list(
        "pk", "span_id", "stage", "size", "attributes"
    )
    for pk, span_id, stage, size, attributes in columns:
        if span_id in by_key:
            yield Head(pk, by_key[span_id], stage, size, attributes)


def _read_earlier(sources: Mapping[int, Source]) -> None:
    """Finds of each trace what the one before it sent, if that is indexed or is one of these."""
    earlier = Trace.objects.filter(archive=OuterRef("archive"), pk__lt=OuterRef("pk"))
    before = Trace.objects.filter(pk__in=list(sources)).annotate(
        before=Subquery(earlier.order_by("-pk").values("pk")[:1]),
        is_indexed=Exists(SearchText.objects.filter(pk=OuterRef("before"))),
    )
    keys = {
        pk: key
        for pk, key, is_indexed in before.values_list("pk", "before", "is_indexed")
        if is_indexed or key in sources
    }
    sent = _sent_by(set(keys.values())) if keys else {}
    for pk, key in keys.items():
        sources[pk].earlier = frozenset(sent[key])


def _sent_by(trace_ids: Iterable[int]) -> dict[int, set[int]]:
    """The ordinals of the messages of the first and the last request of each trace."""
    inputs = Payload.objects.filter(span__trace__in=trace_ids, stage=_STAGE.INPUT)
    of_turns = inputs.exclude(span__parent__kind=Span.Kind.COMPACTION).order_by()
    ends = of_turns.values_list("span__trace").annotate(Min("span"), Max("span"))
    trace_of = {span: trace for trace, *spans in ends for span in spans}
    sent: dict[int, set[int]] = defaultdict(set)
    rows = Payload.objects.filter(span__in=list(trace_of), stage=_STAGE.INPUT)
    for row in rows.only("span_id", "stage", "manifest"):
        sent[trace_of[row.span_id]].update(_messages(row))
    return sent


def _preload(rows: Rows, sources: Sequence[Source]) -> None:
    """Loads the requests' manifests, and the rest as far as it is small."""
    texts = list(_small(head for source in sources for head in _texts(source)))
    inputs = [head for source in sources for head in source.inputs or ()]
    rows.load([*inputs, *texts])
    ordinals: defaultdict[int, set[int]] = defaultdict(set)
    for source in sources:
        ordinals[source.trace.archive_id] |= _message_ordinals(source)
    for row in rows.payloads(texts):
        with suppress(PayloadCorrupt):
            ordinals[row.span.trace.archive_id].update(payloads.read_manifest(row).ordinals)
    rows.load_blobs(ordinals)


def _texts(source: Source) -> list[Head]:
    return [*source.texts, *source.failed_responses]


def _small(heads: Iterable[Head]) -> Iterator[Head]:
    """Payloads with together at most `MAX_PRELOADED_BYTES`."""
    total = 0
    for head in heads:
        if total + head.size <= MAX_PRELOADED_BYTES:
            total += head.size
            yield head


def _message_ordinals(source: Source) -> set[int]:
    """The ordinals of the messages that are searched, if they are few."""
    ordinals = {*source.asked, *source.new, *source.added}
    return ordinals if len(ordinals) <= MAX_PRELOADED_MESSAGES else set()


def _messages(payload: Payload) -> list[int]:
    """The ordinals of the messages of an `input`."""
    try:
        return payloads.read_manifest(payload).section("messages")
    except PayloadCorrupt:
        return []
