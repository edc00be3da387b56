"""Traces and rounds for the tools: found by the one door for access, described by what the pages
read.

A token sees the traces of its person. Those of everybody it sees if the person may read them
(`tracing.permissions.VIEW_TRACE`) and the token has the scope `admin`, which only a person can give
it, in the settings: a program that is connected by OAuth never has it.
"""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from django.utils import timezone
from pydantic import BaseModel, Field

from api.mcp_server.texts import cut
from api.mcp_server.tool import Caller, ToolError
from tokens.models import Scope
from tracing import readings
from tracing.journal import phases, trace_rounds
from tracing.journal.trace_rounds import Round
from tracing.list.trace_filter import TraceFilter
from tracing.models import Trace
from tracing.models.attributes import trace_attributes
from tracing.models.trace import TraceQuerySet

TRACE_ID = Field(description="Id of a trace, as search_traces gives it.")
ROUND = Field(ge=1, le=1_000_000, description="Number of a round, from 1.")


class TraceHead(BaseModel):
    """Figures are known a moment after the end of a trace."""

    id: str
    name: str
    kind: str
    status: str = Field(description="running, succeeded, failed or stopped")
    doing: str | None = Field(default=None, description="What a running trace does or waits for.")
    model: str | None = None
    user: str | None = None
    started: str
    seconds: float
    rounds: int | None = None
    calls: int | None = Field(default=None, description="Calls of tools.")
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: str | None = None
    has_error: bool
    has_retry: bool
    url: str = Field(description="Its page, for a person.")


def traces(caller: Caller) -> TraceQuerySet:
    """The traces that the token may see."""
    visible = Trace.objects.for_user(caller.user)
    if Scope.ADMIN in caller.access.scopes:
        return visible
    return visible.filter(owner_id=caller.user.pk)


def narrowed(caller: Caller, trace_filter: TraceFilter) -> TraceFilter:
    """The same for the list, whose door asks for the person alone."""
    if Scope.ADMIN in caller.access.scopes:
        return trace_filter
    return replace(trace_filter, user=caller.user.get_username())


def find_trace(caller: Caller, public_id: UUID) -> Trace:
    """Raises `ToolError`."""
    found = traces(caller).select_related("archive", "parent", "owner").filter(public_id=public_id)
    trace = found.first()
    if trace is None:
        raise ToolError(
            f"There is no trace {public_id} that this token may read. search_traces lists them."
        )
    return readings.note(caller.user, trace)


def find_round(trace: Trace, number: int) -> Round:
    """Raises `ToolError`."""
    round_ = trace_rounds.find_round(trace, number)
    if round_ is None:
        numbers = trace_rounds.round_numbers(trace)
        if trace.removed:
            raise ToolError("The rounds of this trace were removed because of their age.")
        has = f"has the rounds {numbers[0]} to {numbers[-1]}" if numbers else "has no rounds"
        raise ToolError(f"There is no round {number}: this trace {has}.")
    return round_


def head(caller: Caller, trace: Trace, state: phases.TraceState | None = None) -> TraceHead:
    model = trace_attributes(trace).get("model")
    return TraceHead(
        id=str(trace.public_id),
        name=cut(trace.name, 200),
        kind=trace.kind,
        status=trace.status,
        doing=state.word if state else None,
        model=model if isinstance(model, str) else None,
        user=trace.owner.get_username(),
        started=moment(trace.started) or "",
        seconds=round(trace.elapsed(timezone.now()).total_seconds(), 3),
        rounds=trace.rounds,
        calls=trace.calls,
        tokens_in=trace.tokens_in,
        tokens_out=trace.tokens_out,
        cost_usd=None if trace.cost is None else f"{trace.cost:f}",
        has_error=trace.has_error,
        has_retry=trace.has_retry,
        url=caller.base + trace.get_absolute_url(),
    )


def moment(at: datetime | None) -> str | None:
    """ISO 8601 in UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds") if at else None
