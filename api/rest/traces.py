"""Traces: found, read round by round, and their exact bytes."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import Http404, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from ninja import Query, Schema
from ninja.responses import Status
from pydantic import Field

from api.rest.byte_ranges import ranged
from api.rest.pagination import Page
from api.rest.resource import ApiRequest, Resource
from chat.commands.fork import fork
from chat.presentation.reader import zone_of_reader
from db.users import AnyUser
from limits.api import MAX_API_TEXT
from tokens.models import Scope
from tracing import streaming
from tracing.export import cassettes, trace_json
from tracing.journal import trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.list import actions, query, trace_filter
from tracing.models import Payload, Span, Trace
from tracing.store.ranges import Body

resource = Resource("Traces")
ONE = "/traces/{uuid:id}"


class TraceOut(Schema):
    """The spans of a turn, a probe, a trial, a playground run. Figures come after its end."""

    id: UUID
    name: str
    kind: str
    status: str
    user: str
    started: datetime
    ended: datetime | None
    duration_ms: int | None
    rounds: int | None
    calls: int | None
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None = Field(description="US dollars.")
    has_error: bool
    has_retry: bool


class PayloadOut(Schema):
    stage: str = Field(description="input, request, response, output, arguments, result, …")
    size: int = Field(description="Bytes.")
    sha256: str
    redacted: bool = Field(description="A secret was replaced before storing.")


class SpanOut(Schema):
    id: UUID
    kind: str
    name: str
    number: int
    status: str
    error: str
    started: datetime | None
    ended: datetime | None
    attributes: dict[str, Any]
    payloads: list[PayloadOut]


class RoundOut(Schema):
    """One model call, with its attempts, and the tool calls that it asked for."""

    number: int
    status: str
    tokens_in: int
    tokens_out: int
    generations: list[SpanOut]
    calls: list[SpanOut]


class TraceFilters(Schema):
    """Those of the list's page, and its order."""

    q: str = Field("", max_length=MAX_API_TEXT, description="Words to search for.")
    status: str = ""
    kind: str = ""
    user: str = ""
    model: str = ""
    tool: str = ""
    provider: str = ""
    dialect: str = ""
    server: str = ""
    assistant: str = ""
    since: str = Field("", description="hour, day, week or month")
    start: str = ""
    end: str = ""
    longer: str = Field("", description="Seconds.")
    shorter: str = ""
    more: str = Field("", description="Tokens.")
    fewer: str = ""
    error: str = Field("", description="1: with an error.")
    retry: str = Field("", description="1: with a retry.")
    sort: str = Field("", description="newest, oldest, longest, … as in the page's address.")
    cursor: str = Field("", max_length=MAX_API_TEXT, description="`next` of the page before.")


class Selected(Schema):
    ids: list[UUID] = Field(min_length=1, max_length=1000)


class ForkIn(Schema):
    round: int | None = Field(None, description="The last one; null: up to before the question.")


class Forked(Schema):
    conversation: UUID
    note: str


class Deleted(Schema):
    deleted: int
    remaining: int = Field(description="They are deleted by and by.")


@resource.get("/traces", Scope.TRACES, Page[TraceOut], "List or search traces")
def list_traces(request: ApiRequest, filters: Annotated[TraceFilters, Query()]) -> Any:
    """One's own; with the scope `admin`, everybody's for whom that is allowed. In pages of 50."""
    given = QueryDict(mutable=True)
    given.update({name: value for name, value in filters.model_dump().items() if value})
    given["after"] = given.get("cursor", "")
    wanted = trace_filter.read(given, zone_of_reader(request))
    found = query.page(request.user, wanted)
    following = str(found.traces[-1].public_id) if found.more else None
    return {"items": [shape(row) for row in found.traces], "next": following}


@resource.get(ONE, Scope.TRACES, TraceOut, "Read a trace")
def read_trace(request: ApiRequest, id: UUID) -> Any:
    return shape(find(request.user, id))


@resource.get(ONE + "/rounds", Scope.TRACES, Page[RoundOut], "Read its rounds")
def read_rounds(request: ApiRequest, id: UUID) -> Any:
    """Each with its spans and the sizes and hashes of their payloads, without the bytes."""
    return {"items": _rounds(trace_rounds.rounds(find(request.user, id))), "next": None}


@resource.get(ONE + "/rounds/{int:number}", Scope.TRACES, RoundOut, "Read a round")
def read_round(request: ApiRequest, id: UUID, number: int) -> Any:
    found = trace_rounds.find_round(find(request.user, id), number)
    if found is None:
        raise Http404
    return _rounds([found])[0]


@resource.content(ONE + "/document", Scope.TRACES, "Download a trace", "application/json")
def download_trace(request: ApiRequest, id: UUID, compact: bool = False) -> HttpResponseBase:
    """All of it as one JSON document, with the contents of its payloads."""
    row = find(request.user, id)
    return streaming.respond(trace_json.document(row, trace_rounds.round_numbers(row), compact))


@resource.content(ONE + "/cassette", Scope.TRACES, "Download it as a cassette", "application/json")
def download_cassette(request: ApiRequest, id: UUID) -> HttpResponseBase:
    """From which a built-in provider answers as it was recorded."""
    row = find(request.user, id)
    disposition = content_disposition_header(True, cassettes.file_name(row.name))
    return streaming.respond(
        cassettes.export([row]), headers={"Content-Disposition": str(disposition)}
    )


@resource.content(ONE + "/spans/{uuid:span}/payloads/{stage}", Scope.TRACES, "Read exact bytes")
def read_payload(request: ApiRequest, id: UUID, span: UUID, stage: str) -> HttpResponseBase:
    """Of one stage, as they were sent or received. A `Range` of bytes is answered with 206; the
    ETag is their SHA-256."""
    stored = get_object_or_404(
        Payload.objects.select_related("span__trace"),
        span__trace=find(request.user, id),
        span__public_id=span,
        stage=stage,
    )
    return ranged(request, Body(stored), bytes(stored.sha256).hex())


@resource.post(ONE + "/fork", Scope.TRACES, Forked, "Go on from a round elsewhere", 201)
def fork_trace(request: ApiRequest, id: UUID, wanted: ForkIn) -> Any:
    """A new conversation, whose history is that of the trace. Needs the scope `chat` too."""
    request.access.require(Scope.CHAT)
    row = find(request.user, id)
    if wanted.round is not None and wanted.round not in trace_rounds.round_numbers(row):
        raise Http404
    made = fork(request.user, row, wanted.round)
    return Status(201, {"conversation": made.conversation.public_id, "note": made.note})


@resource.post("/traces/delete", Scope.TRACES, Deleted, "Delete traces")
def delete_traces(request: ApiRequest, selected: Selected) -> Any:
    """Running ones, and those of others, are left out. Needs the scope `chat` too."""
    request.access.require(Scope.CHAT)
    named = QueryDict(mutable=True)
    named.setlist("trace", [str(one) for one in selected.ids])
    selection = actions.read_selection(request.user, named, zone_of_reader(request))
    count, left = actions.delete(request.user, actions.deletable(request.user, selection))
    return {"deleted": count, "remaining": left}


def find(user: AnyUser, public_id: UUID) -> Trace:
    """One that the user may see. Raises Http404."""
    rows = Trace.objects.for_user(user).select_related("archive", "parent", "owner")
    return get_object_or_404(rows, public_id=public_id)


def shape(row: Trace) -> dict[str, Any]:
    figures = ("duration_ms", "rounds", "calls", "tokens_in", "tokens_out", "cost")
    return {
        "id": row.public_id,
        "name": row.name,
        "kind": row.kind,
        "status": row.status,
        "user": row.owner.get_username(),
        "started": row.started,
        "ended": row.ended,
        "has_error": row.has_error,
        "has_retry": row.has_retry,
        **{name: getattr(row, name) for name in figures},
    }


def _rounds(found: list[Round]) -> list[dict[str, Any]]:
    spans = [span for one in found for span in one.spans]
    stored: dict[int, list[Payload]] = {}
    for payload in trace_rounds.payloads_of(spans).values():
        stored.setdefault(payload.span_id, []).append(payload)
    return [
        {
            "number": one.number,
            "status": one.span.status,
            "tokens_in": one.tokens_in,
            "tokens_out": one.tokens_out,
            "generations": [_span(span, stored.get(span.pk, [])) for span in one.generations],
            "calls": [_span(span, stored.get(span.pk, [])) for span in one.calls],
        }
        for one in found
    ]


def _span(span: Span, stored: list[Payload]) -> dict[str, Any]:
    return {
        "id": span.public_id,
        "kind": span.kind,
        "name": span.name,
        "number": span.number,
        "status": span.status,
        "error": str(span.error),
        "started": span.started,
        "ended": span.ended,
        "attributes": span.attributes,
        "payloads": [
            {
                "stage": one.stage,
                "size": one.size,
                "sha256": bytes(one.sha256).hex(),
                "redacted": one.redacted,
            }
            for one in sorted(stored, key=lambda one: one.pk)
        ],
    }
