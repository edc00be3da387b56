"""Ceilings: no turn goes on for ever. Each ends it with a plain sentence, and nothing is lost."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.agent.limits import limits
from chat.engine.journal import Journal
from chat.models import Turn
from tracing.models import Span
from tracing.prepared import Given, Select

_PARENT = Select(
    lambda: Turn.objects.filter(trace__in=Span.objects.filter(pk=Given("call")).values("trace"))
)
_NESTED = Select(
    lambda: Turn.objects.filter(conversation__parent_call__trace=Given("trace")).values_list(
        "tokens_in", "tokens_out"
    )
)


@dataclass(frozen=True)
class Ceilings:
    """The most that one turn may use; tokens and time are those of it and its subagents, and the
    time in which a person is waited for does not count. How many rounds it may take is a number of
    the agent (`chat.agent.limits`)."""

    calls_a_round: int = 64
    tokens: int = 2_000_000
    wall: timedelta = timedelta(hours=1)
    response_bytes: int = 16 * 1024 * 1024
    result_bytes: int = 64 * 1024 * 1024

    def broken(self, journal: Journal) -> str:
        """The sentence of the first ceiling that another round would break, or ""."""
        turn = journal.turn
        most = _rounds(turn)
        if journal.number >= most:
            return f"Stopped after {most} rounds, the most that one turn may take."
        root = _root(turn)
        if _tokens(root) >= self.tokens:
            return f"Stopped after {self.tokens:,} tokens, the most that one turn may use."
        ran = _ran_for(root)
        if ran > self.wall and ran - waited(root) > self.wall:
            return f"Stopped after {self.wall}, the longest that one turn may take."
        returned = sum(call.attributes.get("result_bytes", 0) for call in journal.calls)
        if returned > self.result_bytes:
            return (
                f"Stopped: the tools of one round returned {returned / 1048576:,.0f} MB, "
                f"more than the {self.result_bytes / 1048576:,.0f} MB allowed."
            )
        return ""


def _rounds(turn: Turn) -> int:
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    most = limits(turn.conversation, turn.model)
    is_nested = turn.conversation.parent_call_id is not None
    return most.subagent_rounds if is_nested else most.rounds


def _root(turn: Turn) -> Turn:
    """The turn that a person asked for: itself, or that of the agent that it works for."""
    return _PARENT.first(call=turn.conversation.parent_call_id) or turn


def _tokens(root: Turn) -> int:
    """Those of a turn and its subagents."""
    nested = _NESTED.all(trace=root.trace_id)
    return sum(read + written for read, written in nested) + root.tokens_in + root.tokens_out


def _ran_for(root: Turn) -> timedelta:
    return timezone.now() - root.started if root.started else timedelta()


def waited(root: Turn) -> timedelta:
    """How long people were waited for, in this turn and its subagents, whatever ran meanwhile."""
    of_the_tree = Q(trace=root.trace_id) | Q(trace__parent__trace=root.trace_id)
    calls = Span.objects.filter(of_the_tree, kind=Span.Kind.TOOL)
    waits = sorted(wait for call in calls.iterator() for wait in _waits(call))
    total, until = timedelta(), None
    for began, ended in waits:
        since = max(began, until) if until else began
        if ended > since:
            total, until = total + (ended - since), ended
    return total


def _waits(call: Span) -> Iterator[tuple[datetime, datetime]]:
    """From when and until when this call waited for a person."""
    now = timezone.now()
    noted = call.attributes
    if noted.get("needs_approval"):
        decided = noted.get("decision", {}).get("at")
        yield call.created, _moment(decided) or call.ended or now
    for began, ended in noted.get("waits", ()):
        yield _moment(began) or now, _moment(ended) or call.ended or now


def _moment(written: str | None) -> datetime | None:
    return parse_datetime(written) if written else None


def ceilings() -> Ceilings:
    """The deployment's ceilings: `TURN_CEILINGS` in the settings overrides the defaults."""
    said = getattr(settings, "TURN_CEILINGS", {})
    own = {field.name for field in fields(Ceilings)}
    return Ceilings(**{name: value for name, value in said.items() if name in own})
