"""Ceilings: no turn goes on for ever. Each ends it with a plain sentence, and nothing is lost."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

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
    """The most that one turn may use; tokens and time are those of it and its subagents. How many
    rounds it may take is a number of the agent (`chat.agent.limits`)."""

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
        spent, began = _of_the_tree(turn)
        if spent >= self.tokens:
            return f"Stopped after {self.tokens:,} tokens, the most that one turn may use."
        if began and timezone.now() - began - waited(journal) > self.wall:
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


def _of_the_tree(turn: Turn) -> tuple[int, datetime | None]:
    """The tokens of a turn and all subagents around it, and when the first of them began."""
    root = _PARENT.first(call=turn.conversation.parent_call_id) or turn
    nested = _NESTED.all(trace=root.trace_id)
    return sum(tokens_in + tokens_out for tokens_in, tokens_out in nested) + (
        root.tokens_in + root.tokens_out
    ), root.started


def waited(journal: Journal) -> timedelta:
    """How long people took to decide: it does not count against the turn."""
    seconds = float(journal.root.attributes.get("person_seconds", 0))
    return timedelta(seconds=seconds)


def ceilings() -> Ceilings:
    """The deployment's ceilings: `TURN_CEILINGS` in the settings overrides the defaults."""
    said = getattr(settings, "TURN_CEILINGS", {})
    own = {field.name for field in fields(Ceilings)}
    return Ceilings(**{name: value for name, value in said.items() if name in own})
