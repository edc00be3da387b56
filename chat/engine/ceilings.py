"""Ceilings: no turn goes on for ever. Each ends it with a plain sentence, and nothing is lost."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from chat.engine.journal import Journal


@dataclass(frozen=True)
class Ceilings:
    """The most that one turn may use."""

    rounds: int = 50
    calls_a_round: int = 64
    tokens: int = 2_000_000
    wall: timedelta = timedelta(hours=1)
    response_bytes: int = 16 * 1024 * 1024
    result_bytes: int = 64 * 1024 * 1024

    def broken(self, journal: Journal) -> str:
        """The sentence of the first ceiling that another round would break, or ""."""
        turn = journal.turn
        if journal.number >= self.rounds:
            return f"Stopped after {self.rounds} rounds, the most that one turn may take."
        if turn.tokens_in + turn.tokens_out >= self.tokens:
            return f"Stopped after {self.tokens:,} tokens, the most that one turn may use."
        if turn.started and timezone.now() - turn.started - waited(journal) > self.wall:
            return f"Stopped after {self.wall}, the longest that one turn may take."
        returned = sum(call.attributes.get("result_bytes", 0) for call in journal.calls)
        if returned > self.result_bytes:
            return (
                f"Stopped: the tools of one round returned {returned / 1048576:,.0f} MB, "
                f"more than the {self.result_bytes / 1048576:,.0f} MB allowed."
            )
        return ""


def waited(journal: Journal) -> timedelta:
    """How long people took to decide: it does not count against the turn."""
    seconds = float(journal.root.attributes.get("person_seconds", 0))
    return timedelta(seconds=seconds)


def ceilings() -> Ceilings:
    """The deployment's ceilings: `TURN_CEILINGS` in the settings overrides the defaults."""
    return Ceilings(**getattr(settings, "TURN_CEILINGS", {}))
