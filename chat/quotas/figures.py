"""What a person has used beside what the person may use: whether turns may begin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from chat.models import QuotaRule
from chat.quotas import kinds
from chat.quotas.kinds import MINUTE, Kind

# What a turn is thought to use before anything is known of the person's: tokens, and millionths of
# a US dollar.
FIRST_TURN_TOKENS = 2_000
FIRST_TURN_COST = 10_000


@dataclass(frozen=True)
class Figures:
    """What one person has used. `minute`: when the turns of the last minute began, in order;
    `tokens_day` to `cost_month` are ended and running generations, costs in millionths of a US
    dollar; `turn_tokens` and `turn_cost`: what an open turn is thought to use still."""

    minute: tuple[datetime, ...] = ()
    open_turns: int = 0
    tokens_day: int = 0
    tokens_month: int = 0
    cost_day: int = 0
    cost_month: int = 0
    turn_tokens: int = FIRST_TURN_TOKENS
    turn_cost: int = FIRST_TURN_COST

    def used(self, kind: str) -> int:
        if kind in (Kind.TURNS_MINUTE, Kind.CALLS_MINUTE):
            return len(self.minute)
        count: int = getattr(self, kind)
        return count

    def reserved(self, kind: str) -> int:
        """What the open turns are thought to use still."""
        is_cost = kind in kinds.COSTS
        return self.open_turns * (self.turn_cost if is_cost else self.turn_tokens)


@dataclass(frozen=True)
class Refusal:
    """A limit that is reached. `opens_at`: None if that depends on what people do; `is_reserved`:
    what is left may be used up by the turns that run."""

    kind: str
    amount: int
    used: int
    opens_at: datetime | None
    is_reserved: bool = False

    @property
    def left(self) -> int:
        return max(0, self.amount - self.used)


def refusal(
    figures: Figures, amounts: Mapping[str, int], turns: int, now: datetime
) -> Refusal | None:
    """The limit that so many more turns would exceed; the first one of those, in the order of the
    kinds, which is that of the script of `windows`."""
    for kind in (Kind.TURNS_MINUTE, Kind.OPEN_TURNS):
        amount = amounts.get(kind)
        if amount is not None and figures.used(kind) + turns > amount:
            opens = free_at(figures.minute, amount, turns) if kind == Kind.TURNS_MINUTE else None
            return Refusal(kind, amount, figures.used(kind), opens)
    for kind in QuotaRule.CONSUMPTION:
        if (amount := amounts.get(kind)) is None:
            continue
        if refused := spent(figures, {kind: amount}, now):
            return refused
        used = figures.used(kind)
        each = figures.turn_cost if kind in kinds.COSTS else figures.turn_tokens
        if used + figures.reserved(kind) + (turns - 1) * each >= amount:
            return Refusal(kind, amount, used, None, is_reserved=True)
    return None


def spent(figures: Figures, amounts: Mapping[str, int], now: datetime) -> Refusal | None:
    """The first limit of tokens or costs of which nothing is left."""
    for kind in QuotaRule.CONSUMPTION:
        amount = amounts.get(kind)
        if amount is not None and figures.used(kind) >= amount:
            return Refusal(kind, amount, figures.used(kind), kinds.opens_at(kind, now))
    return None


def free_at(minute: tuple[datetime, ...], amount: int, more: int) -> datetime | None:
    """When so many more fit into a minute; None if they never do."""
    if more > amount:
        return None
    return minute[len(minute) + more - amount - 1] + MINUTE


def expected(turns: int, total: int, largest: int, otherwise: int) -> int:
    """What a turn is thought to use: the mean of those before, and no less than one that runs has
    used already."""
    mean = math.ceil(total / turns) if turns else otherwise
    return max(mean, largest, 1)


def moment(ms: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


def milliseconds(at: datetime) -> int:
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
