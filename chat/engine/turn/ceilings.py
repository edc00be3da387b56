"""Ceilings: upper bounds of what a turn uses. Breaking one ends the turn with a sentence for
people; what it has written stays."""

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
from chat.models import QuotaRule, Turn
from chat.quotas import admission
from languages.stored import stored
from limits.turns import (
    MAX_ALL_CALLS,
    MAX_ALL_ROUNDS,
    MAX_RESPONSE_BYTES,
    MAX_ROUND_CALLS,
    MAX_ROUND_RESULT_BYTES,
    MAX_TURN_S,
    MAX_TURN_TOKENS,
)
from tracing.models import Span, Trace
from tracing.models.attributes import call_attributes


@dataclass(frozen=True)
class BrokenCeiling:
    """A ceiling that ends a turn: its name, and the sentence for people."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Ceilings:
    """Upper bounds of one turn. All but `calls_a_round` and the bytes bound the turn together with
    its subagents; `seconds` are without the time in which people are waited for. The rounds of a
    single turn are bounded by `chat.agent.limits`."""

    all_rounds: int = MAX_ALL_ROUNDS
    all_calls: int = MAX_ALL_CALLS
    calls_a_round: int = MAX_ROUND_CALLS
    tokens: int = MAX_TURN_TOKENS
    seconds: float = MAX_TURN_S
    response_bytes: int = MAX_RESPONSE_BYTES
    result_bytes: int = MAX_ROUND_RESULT_BYTES

    def broken(self, journal: Journal) -> BrokenCeiling | None:
        """The first ceiling that another round would break."""
        turn = journal.turn
        numbers = _limits(turn)
        max_rounds = numbers.subagent_rounds if is_nested(turn) else numbers.rounds
        if journal.number >= max_rounds:
            sentence = stored(
                "Stopped after %(most)s rounds, the most that one turn may take.", most=max_rounds
            )
            return BrokenCeiling("rounds", sentence)
        tree = _tree(turn)
        return (
            self._broken_by_tree(tree, numbers.rounds)
            or self._broken_by_time(tree)
            or self._broken_by_results(journal)
        )

    def _broken_by_tree(self, tree: "_Tree", rounds: int) -> BrokenCeiling | None:
        together = stored("together, the most that a turn and its subagents may")
        max_rounds = max(self.all_rounds, rounds)
        if tree.rounds >= max_rounds:
            sentence = stored(
                "Stopped after %(most)s rounds %(together)s take.",
                most=f"{max_rounds:,}",
                together=together,
            )
            return BrokenCeiling("all_rounds", sentence)
        if tree.tokens >= self.tokens:
            sentence = stored(
                "Stopped after %(tokens)s tokens %(together)s use.",
                tokens=f"{self.tokens:,}",
                together=together,
            )
            return BrokenCeiling("tokens", sentence)
        # So many rounds may have so many calls; fewer need no query.
        is_possible = tree.rounds * self.calls_a_round >= self.all_calls
        if is_possible and tree.calls() >= self.all_calls:
            return BrokenCeiling(
                "all_calls",
                stored(
                    "Stopped after %(all_calls)s tool calls %(together)s make.",
                    all_calls=f"{self.all_calls:,}",
                    together=together,
                ),
            )
        return None

    def _broken_by_time(self, tree: "_Tree") -> BrokenCeiling | None:
        wall = timedelta(seconds=self.seconds)
        ran = _ran_for(tree.root)
        if ran <= wall or ran - waited(tree.root) <= wall:
            return None
        longest = span_of_time(self.seconds)
        return BrokenCeiling(
            "seconds",
            stored(
                "Stopped after %(longest)s, the longest that one turn may take.", longest=longest
            ),
        )

    def _broken_by_results(self, journal: Journal) -> BrokenCeiling | None:
        returned = sum(call_attributes(call).get("result_bytes", 0) for call in journal.calls)
        if returned <= self.result_bytes:
            return None
        sentence = stored(
            "Stopped: the tools of one round returned %(returned)s MB, more than the "
            "%(result_bytes)s MB allowed.",
            returned=f"{returned / 1048576:,.0f}",
            result_bytes=f"{self.result_bytes / 1048576:,.0f}",
        )
        return BrokenCeiling("result_bytes", sentence)


_SPENT = {
    QuotaRule.Kind.TOKENS_DAY: stored("tokens a day"),
    QuotaRule.Kind.TOKENS_MONTH: stored("tokens a month"),
    QuotaRule.Kind.COST_DAY: stored("cost a day"),
    QuotaRule.Kind.COST_MONTH: stored("cost a month"),
}


def spent_limit(turn: Turn) -> BrokenCeiling | None:
    """The limit of the turn's payer that was used up by others since it was admitted."""
    refused = admission.used_up(turn.conversation.owner_id)
    if refused is None:
        return None
    sentence = stored(
        "The limit of %(what)s was used up before this message could be answered. It is kept: try "
        "again when the limit opens again.",
        what=_SPENT[QuotaRule.Kind(refused.kind)],
    )
    return BrokenCeiling("limit", sentence)


def _limits(turn: Turn) -> Limits:
    """A subagent's conversation has the limits of its parent's."""
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    return limits(turn.conversation, turn.model)


def is_nested(turn: Turn) -> bool:
    return turn.conversation.parent_call_id is not None


@dataclass(frozen=True)
class _Tree:
    """The turn that a person asked for, and what it and its subagents have used so far."""

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
    """The time in which this turn and its subagents waited for people; overlaps count once."""
    of_subagents = Trace.objects.filter(parent__trace=root.trace_id).values("pk")
    of_the_tree = Q(trace=root.trace_id) | Q(trace__in=of_subagents)
    calls = Span.objects.filter(of_the_tree, kind=Span.Kind.TOOL)
    waits = sorted(wait for call in calls.iterator() for wait in _waits(call))
    total, until = timedelta(), None
    for began, ended in waits:
        since = max(began, until) if until else began
        if ended > since:
            total, until = total + (ended - since), ended
    return total


def _waits(call: Span) -> Iterator[tuple[datetime, datetime]]:
    """The periods in which this call waited for a person: beginning and end."""
    now = timezone.now()
    attributes = call_attributes(call)
    if attributes.get("needs_approval"):
        decision_at = attributes.get("decision", {}).get("at")
        yield call.created, _moment(decision_at) or call.ended or now
    for began, ended in attributes.get("waits", ()):
        yield _moment(began) or now, _moment(ended) or call.ended or now


def _moment(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None


def ceilings() -> Ceilings:
    """The deployment's ceilings: `TURN_CEILINGS` (settings) overrides the defaults."""
    return Ceilings(**settings.TURN_CEILINGS)
