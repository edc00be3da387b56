"""Finding traces, and reading one."""

from typing import Literal
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone
from pydantic import BaseModel, Field

from api.mcp_server.reading import TRACE_ID, TraceHead, find_trace, head, narrowed
from api.mcp_server.texts import cut
from api.mcp_server.tool import Arguments, Caller, Result, ServerTool, ToolError
from limits.mcp_server import MAX_MCP_ENTRIES
from limits.traces import MAX_FILTER
from tracing.formatting.figures import duration
from tracing.journal import actions as acts
from tracing.journal import phases, trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.list import query, trace_filter
from tracing.list import rows as listing
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes, generation_attributes, trace_attributes
from tracing.page.links import address, round_of
from tracing.page.timeline.time_ledger import Ledger
from tracing.page.trace_page import TracePage, read_trace_page

Period = Literal["hour", "day", "week", "month"]
Sort = Literal[
    "newest", "oldest", "longest", "shortest", "tokens", "cost", "rounds", "calls",
]  # fmt: skip
Kind = Literal["turn", "probe", "trial", "playground", "replay", "subagent", "title", "any"]
_ERRORS_SHOWN = 5


class SearchArguments(Arguments):
    query: str = Field(
        default="",
        max_length=MAX_FILTER,
        description="Words of what was said, of arguments, results or errors; “in quotes” as they "
        "stand; or an id of a trace, a span, a turn or a conversation.",
    )
    status: Literal["", "running", "succeeded", "failed", "stopped"] = ""
    kind: Kind | Literal[""] = Field(default="", description="Empty: all but subagents and titles.")
    model: str = Field(default="", max_length=MAX_FILTER, description="The model's name, exactly.")
    tool: str = Field(
        default="", max_length=MAX_FILTER, description="Name of a tool that was called."
    )
    server: str = Field(default="", max_length=MAX_FILTER, description="Name of an MCP server.")
    user: str = Field(default="", max_length=MAX_FILTER, description="For admins: whose traces.")
    since: Period | Literal[""] = Field(default="", description="Begun in the last hour, day, …")
    start: str = Field(default="", max_length=40, description="Begun from: ISO 8601.")
    end: str = Field(default="", max_length=40, description="Begun until: ISO 8601.")
    longer_than_s: float | None = Field(default=None, ge=0)
    more_tokens_than: float | None = Field(default=None, ge=0)
    with_error: bool = False
    with_retry: bool = False
    sort: Sort = "newest"
    after: UUID | None = Field(
        default=None, description="The last id of the previous page, to get the next one."
    )


class FoundTrace(TraceHead):
    match: str | None = Field(default=None, description="The words around the match.")


class SearchResult(Result):
    traces: list[FoundTrace]
    count: int | None = Field(default=None, description="Of all that match; none given for many.")
    next_after: str | None = Field(default=None, description="`after` for the next page.")


def _search(caller: Caller, arguments: SearchArguments) -> SearchResult:
    found = query.page(caller.user, narrowed(caller, _filter(arguments)))
    kept = found.traces[:MAX_MCP_ENTRIES]
    page = query.Page(kept, found.count, found.terms, found.more or len(found.traces) > len(kept))
    traces = [
        FoundTrace(**head(caller, row.trace, row.state).model_dump(), match=_match(row))
        for row in listing.rows(page)
    ]
    after = traces[-1].id if page.more and traces else None
    note = "There are more: call again with after = next_after." if after else None
    return SearchResult(traces=traces, count=page.count, next_after=after, note=note)


def _filter(arguments: SearchArguments) -> trace_filter.TraceFilter:
    """By the parser of the list's address."""
    parameters = QueryDict(mutable=True)
    given = {
        "q": arguments.query,
        "status": arguments.status,
        "kind": arguments.kind,
        "model": arguments.model,
        "tool": arguments.tool,
        "server": arguments.server,
        "user": arguments.user,
        "since": arguments.since,
        "start": arguments.start,
        "end": arguments.end,
        "longer": arguments.longer_than_s,
        "more": arguments.more_tokens_than,
        "error": "1" if arguments.with_error else "",
        "retry": "1" if arguments.with_retry else "",
        "sort": arguments.sort,
        "after": arguments.after,
    }
    for name, value in given.items():
        if value not in (None, ""):
            parameters[name] = str(value)
    parsed = trace_filter.read(parameters, timezone.get_default_timezone())
    for name, moment in (("start", parsed.start), ("end", parsed.end)):
        if parameters.get(name) and moment is None:
            raise ToolError(f"{name} is no moment in ISO 8601, such as 2026-07-28T09:30+00:00.")
    return parsed


def _match(row: listing.Row) -> str | None:
    return cut("".join(part.text for part in row.snippet.parts), 400) or None


class RoundHead(BaseModel):
    round: int
    status: str
    seconds: float | None = None
    attempts: int = Field(description="Calls of the model; more than 1 after a failed one.")
    tokens_in: int
    tokens_out: int
    finish_reason: str | None = None
    tools: list[str] = Field(description="Names of the tools that the model called, in order.")
    errors: list[str] = Field(default=[])


class TimeShare(BaseModel):
    what: str
    seconds: float
    share: str


class ReadTraceArguments(Arguments):
    id: UUID = TRACE_ID
    first_round: int = Field(default=1, ge=1, description="The rounds are listed from this one.")


class Failure(BaseModel):
    sentence: str
    round: int | None = None
    attempt: int | None = None


class ReadTraceResult(Result):
    trace: TraceHead
    conversation: str | None = None
    turn: str | None = None
    failure: Failure | None = None
    rounds: list[RoundHead]
    round_count: int
    subagents: int
    time: list[TimeShare] = Field(description="Where the wall time went.")
    feedback: str | None = Field(default=None, description="What the person thought of the answer.")


def _read(caller: Caller, arguments: ReadTraceArguments) -> ReadTraceResult:
    trace = find_trace(caller, arguments.id)
    rounds = trace_rounds.rounds(trace)
    page = read_trace_page(trace, rounds, actions=acts.of_trace(trace))
    listed = [one for one in rounds if one.number >= arguments.first_round][:MAX_MCP_ENTRIES]
    attributes = trace_attributes(trace)
    return ReadTraceResult(
        trace=_with_figures(head(caller, trace, page.state), page),
        conversation=_text(attributes.get("conversation")),
        turn=_text(attributes.get("turn")),
        failure=_failure(page),
        rounds=[_round(one) for one in listed],
        round_count=len(rounds),
        subagents=page.subagents,
        time=_times(page.ledger),
        feedback=f"{page.feedback.rating} {page.feedback.note}".strip() if page.feedback else None,
        note=_note(trace, rounds, listed),
    )


def _note(trace: Trace, rounds: list[Round], listed: list[Round]) -> str | None:
    if trace.removed:
        return "Rounds and payloads were removed because of their age; the figures stay."
    if listed and listed[-1].number < rounds[-1].number:
        return f"There are more rounds: call again with first_round = {listed[-1].number + 1}."
    return None


def _with_figures(row: TraceHead, page: TracePage) -> TraceHead:
    """Of a trace that runs, and until they are in its row."""
    figures = {
        "rounds": page.rounds,
        "calls": page.calls,
        "tokens_in": page.tokens_in,
        "tokens_out": page.tokens_out,
        "cost_usd": None if page.cost is None else f"{page.cost:f}",
    }
    known = row.model_dump(include=set(figures))
    missing = {name: value for name, value in figures.items() if known[name] is None}
    return row.model_copy(update=missing)


def _failure(page: TracePage) -> Failure | None:
    failure = page.failure
    if failure is None:
        return None
    return Failure(
        sentence=cut(failure.sentence, 1_000),
        round=failure.round.number if failure.round else None,
        attempt=failure.generation.number if failure.generation else None,
    )


def _round(round_: Round) -> RoundHead:
    elapsed = round_.span.elapsed(timezone.now())
    last = round_.generations[-1] if round_.generations else None
    return RoundHead(
        round=round_.number,
        status=round_.span.status,
        seconds=round(elapsed.total_seconds(), 3) if elapsed is not None else None,
        attempts=len(round_.generations),
        tokens_in=round_.tokens_in,
        tokens_out=round_.tokens_out,
        finish_reason=generation_attributes(last).get("finish_reason") if last else None,
        tools=[call.name for call in round_.calls[:MAX_MCP_ENTRIES]],
        errors=_errors(round_),
    )


def _errors(round_: Round) -> list[str]:
    failed = [span for span in round_.spans if span.error]
    sentences = [f"{span.kind} {span.name}: {cut(span.error, 300)}" for span in failed]
    calls = [span for span in round_.calls if call_attributes(span).get("is_error")]
    sentences += [f"tool {span.name}: its result is an error" for span in calls if not span.error]
    return sentences[:_ERRORS_SHOWN]


def _times(ledger: Ledger) -> list[TimeShare]:
    return [
        TimeShare(what=one.label, seconds=round(one.length.total_seconds(), 3), share=one.share)
        for one in ledger.items
    ]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


class ErrorsArguments(Arguments):
    since: Period = Field(default="day", description="Of traces begun in the last hour, day, …")
    user: str = Field(default="", max_length=MAX_FILTER, description="For admins: whose traces.")
    after: UUID | None = Field(default=None, description="`next_after` of the previous page.")


class ErrorSpan(BaseModel):
    kind: str = Field(description="turn, round, generation, tool, …")
    name: str
    round: int | None = None
    number: int = Field(description="Of the attempt, or of the call in its round.")
    status: str
    error: str
    url: str


class TraceErrors(BaseModel):
    trace: TraceHead
    errors: list[ErrorSpan]


class ErrorsResult(Result):
    traces: list[TraceErrors]
    next_after: str | None = None


def _list_errors(caller: Caller, arguments: ErrorsArguments) -> ErrorsResult:
    asked = SearchArguments(
        since=arguments.since, user=arguments.user, with_error=True, after=arguments.after
    )
    page = query.page(caller.user, narrowed(caller, _filter(asked)))
    kept = page.traces[:MAX_MCP_ENTRIES]
    failed: dict[int, list[Span]] = {trace.pk: [] for trace in kept}
    wrong = ~Q(error="") | Q(status__in=[Span.Status.FAILED, Span.Status.OUTCOME_UNKNOWN])
    spans = Span.objects.filter(wrong, trace__in=list(failed)).exclude(kind=Span.Kind.ROUND)
    for span in spans.select_related("trace", "parent").order_by("-pk")[: MAX_MCP_ENTRIES * 20]:
        failed[span.trace_id].append(span)
    states = phases.states(kept)
    listed = [
        TraceErrors(
            trace=head(caller, trace, states.get(trace.pk)),
            errors=[_error(caller, span) for span in reversed(failed[trace.pk][:_ERRORS_SHOWN])],
        )
        for trace in kept
    ]
    has_more = page.more or len(page.traces) > len(kept)
    after = listed[-1].trace.id if has_more and listed else None
    note = "There are more: call again with after = next_after." if after else None
    return ErrorsResult(traces=listed, next_after=after, note=note)


def _error(caller: Caller, span: Span) -> ErrorSpan:
    return ErrorSpan(
        kind=span.kind,
        name=span.name,
        round=round_of(span),
        number=span.number,
        status=span.status,
        error=cut(span.error or f"It took {_elapsed(span)} and {span.status}.", 500),
        url=caller.base + address(span),
    )


def _elapsed(span: Span) -> str:
    elapsed = span.elapsed(timezone.now())
    return duration(elapsed) if elapsed is not None else "no time"


async def search(caller: Caller, arguments: SearchArguments) -> SearchResult:
    return await caller.in_thread(_search, caller, arguments)


async def read(caller: Caller, arguments: ReadTraceArguments) -> ReadTraceResult:
    return await caller.in_thread(_read, caller, arguments)


async def list_errors(caller: Caller, arguments: ErrorsArguments) -> ErrorsResult:
    return await caller.in_thread(_list_errors, caller, arguments)


SEARCH = ServerTool(
    "search_traces",
    "Search traces",
    "Lists traces (turns of conversations, recorded runs of agents, playground runs, …), newest "
    "first, that match all filters that are given.",
    SearchArguments,
    SearchResult,
    search,
)
READ = ServerTool(
    "read_trace",
    "Read a trace",
    "The head of a trace: status, error, figures, where the time went, and a line for each round "
    "(one call of the model and the calls of tools that it asked for). Then read_round.",
    ReadTraceArguments,
    ReadTraceResult,
    read,
)
ERRORS = ServerTool(
    "list_errors",
    "List errors",
    "Traces in which something failed lately, even if they succeeded in the end, each with its "
    "failed model calls and tool calls.",
    ErrorsArguments,
    ErrorsResult,
    list_errors,
)
