"""Ceilings: no turn goes on for ever. Each ends it with a plain sentence, and nothing is lost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from chat.agent.limits import Limits, limits
from chat.engine.turn.journal import Journal
from chat.llm.errors import span_of_time
from chat.models import Turn
from limits.turns import (
    MAX_ALL_CALLS,
    MAX_ALL_ROUNDS,
    MAX_RESPONSE_BYTES,
    MAX_ROUND_CALLS,
    MAX_ROUND_RESULT_BYTES,
    MAX_TURN_S,
    MAX_TURN_TOKENS,
)
from tracing.models import Span
from tracing.models.attributes import call_attributes


@dataclass(frozen=True)
class Broken:
    """A ceiling that ends a turn: its name, and the sentence for people."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Ceilings:
    """The most that one turn may use. But for `calls_a_round` and the bytes, all of it is used by
    the turn and its subagents together; the time in which a person is waited for does not count.
    How many rounds a single one may take is a number of the agent (`chat.agent.limits`)."""

    all_rounds: int = MAX_ALL_ROUNDS
    all_calls: int = MAX_ALL_CALLS
    calls_a_round: int = MAX_ROUND_CALLS
    tokens: int = MAX_TURN_TOKENS
    seconds: float = MAX_TURN_S
    response_bytes: int = MAX_RESPONSE_BYTES
    result_bytes: int = MAX_ROUND_RESULT_BYTES

    def broken(self, journal: Journal) -> Broken | None:
        """The first ceiling that another round would break."""
        turn = journal.turn
        own = _limits(turn)
        most = own.subagent_rounds if is_nested(turn) else own.rounds
        if journal.number >= most:
            sentence = f"Stopped after {most} rounds, the most that one turn may take."
            return Broken("rounds", sentence)
        tree = _tree(turn)
        return (
            self._broken_by(tree, own.rounds)
            or self._broken_by_time(tree)
            or self._too_large(journal)
        )

    def _broken_by(self, tree: "_Tree", rounds: int) -> Broken | None:
        together = "together, the most that a turn and its subagents may"
        most = max(self.all_rounds, rounds)
        if tree.rounds >= most:
            return Broken("all_rounds", f"Stopped after {most:,} rounds {together} take.")
        if tree.tokens >= self.tokens:
            sentence = f"Stopped after {self.tokens:,} tokens {together} use."
            return Broken("tokens", sentence)
        may_be_many = tree.rounds * self.calls_a_round >= self.all_calls
        if may_be_many and tree.calls() >= self.all_calls:
            return Broken(
                "all_calls", f"Stopped after {self.all_calls:,} tool calls {together} make."
            )
        return None

    def _broken_by_time(self, tree: "_Tree") -> Broken | None:
        wall = timedelta(seconds=self.seconds)
        ran = _ran_for(tree.root)
        if ran <= wall or ran - waited(tree.root) <= wall:
            return None
        longest = span_of_time(self.seconds)
        return Broken("seconds", f"Stopped after {longest}, the longest that one turn may take.")

    def _too_large(self, journal: Journal) -> Broken | None:
        returned = sum(call_attributes(call).get("result_bytes", 0) for call in journal.calls)
        if returned <= self.result_bytes:
            return None
        sentence = (
            f"Stopped: the tools of one round returned {returned / 1048576:,.0f} MB, "
            f"more than the {self.result_bytes / 1048576:,.0f} MB allowed."
        )
        return Broken("result_bytes", sentence)


def _limits(turn: Turn) -> Limits:
    """A subagent's conversation has those of its parent's."""
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    return limits(turn.conversation, turn.model)


def is_nested(turn: Turn) -> bool:
    return turn.conversation.parent_call_id is not None


@dataclass(frozen=True)
class _Tree:
    """The turn that a person asked for, and what it and its subagents have used by now."""

    root: Turn
    rounds: int
    tokens: int
    traces: Sequence[int | None]

    def calls(self) -> int:
        return Span.objects.filter(trace__in=self.traces, kind=Span.Kind.TOOL).count()


def _tree(turn: Turn) -> _Tree:
    call = turn.conversation.parent_call_id
    root = (Turn.objects.of_call(call) if call is not None else None) or turn
    nested = Turn.objects.usage_of_subagents(root.trace_id)
    return _Tree(
        root,
        root.rounds + sum(rounds for _, rounds, _, _ in nested),
        root.tokens_in + root.tokens_out + sum(read + wrote for _, _, read, wrote in nested),
        [root.trace_id, *(trace for trace, *_ in nested)],
    )


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
    noted = call_attributes(call)
    if noted.get("needs_approval"):
        decided = noted.get("decision", {}).get("at")
        yield call.created, _moment(decided) or call.ended or now
    for began, ended in noted.get("waits", ()):
        yield _moment(began) or now, _moment(ended) or call.ended or now


def _moment(written: str | None) -> datetime | None:
    return parse_datetime(written) if written else None


def ceilings() -> Ceilings:
    """The deployment's ceilings: `TURN_CEILINGS` (settings) overrides the defaults."""
    return Ceilings(**settings.TURN_CEILINGS)
