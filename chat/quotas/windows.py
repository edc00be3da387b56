"""What people use right now, in Redis, for all processes: the turns of the last minute, the open
turns, and what the database knew of tokens and costs a moment ago.

    rt:quota:<user>:minute  sorted set: keys of admitted turns by their time in ms
    rt:quota:<user>:open    sorted set: the same of those that are not known to have ended
    rt:quota:<user>:used:<payer>  hash: figures of the database, and when they were read
    rt:quota:<payer>:changed  a mark: what the payer has used is no longer what was read before it

A turn is admitted by one script, which counts and adds in one step. Nothing is taken out when a
turn ends: what the database knows is read again once a model has been paid for, after some seconds,
and before a refusal. Redis that comes back empty knows nothing, which is what the script answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from chat.quotas import kinds
from chat.quotas.consumption import Usage
from chat.quotas.figures import Figures, milliseconds, moment
from chat.quotas.kinds import Kind
from db.redis_pool import client
from limits.quotas import MAX_PASSED_ON_S, MAX_UNSTORED_S, MAX_USAGE_AGE_S

RATES = (Kind.TURNS_MINUTE, Kind.OPEN_TURNS)
CONSUMED = (Kind.TOKENS_DAY, Kind.TOKENS_MONTH, Kind.COST_DAY, Kind.COST_MONTH)
KEPT = timedelta(seconds=MAX_USAGE_AGE_S)
# Of `Figures`, in the order in which the script answers them.
_STATE = ("tokens_day", "tokens_month", "cost_day", "cost_month", "turn_tokens", "turn_cost")
USED_TTL_S = 60
# Longer than any figures are kept, so that none of them outlives the mark that it lacks.
CHANGED_TTL_S = 2 * USED_TTL_S


class Answer(StrEnum):
    UNKNOWN = "unknown"
    ADMITTED = "admitted"
    KNOWN = "known"
    REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """Of a refusal, `figures` that it was made by, and when the database was asked for them."""

    answer: Answer
    figures: Figures = field(default_factory=Figures)
    read: datetime | None = None


def admit(
    user_id: int,
    payer_id: int,
    keys: Sequence[str],
    amounts: Mapping[str, int],
    now: datetime,
    within: timedelta = KEPT,
) -> Outcome:
    """Counts and adds turns with these keys, by figures that are at most so old. Raises
    RedisError."""
    given = [amounts.get(kind, "") for kind in (*RATES, *CONSUMED)]
    day = kinds.begin_of_day(now).date().isoformat()
    oldest = milliseconds(now - within)
    arguments = [milliseconds(now), day, oldest, len(keys), *given, *keys]
    answer, *state = _script("admit")(keys=_keys(user_id, payer_id), args=arguments)
    outcome = Answer(answer.decode())
    if outcome is not Answer.REFUSED:
        return Outcome(outcome)
    read, open_turns, *rest = state
    figures = dict(zip(_STATE, map(int, rest), strict=False))
    minute = tuple(moment(float(at)) for at in rest[len(_STATE) :])
    return Outcome(outcome, Figures(minute, int(open_turns), **figures), moment(float(read)))


def load(
    user_id: int, payer_id: int, usage: Usage, now: datetime, changed: str | bytes = ""
) -> None:
    """Takes over what the database knows; `changed`: what `changed_mark` answered before the
    database was asked. Raises RedisError."""
    day = kinds.begin_of_day(now).date().isoformat()
    fields: list[Any] = ["at", milliseconds(now), "day", day, "changed", changed]
    for name in _STATE:
        fields += [name, getattr(usage.figures, name)]
    arguments: list[Any] = [
        *(milliseconds(now), USED_TTL_S),
        *(round(MAX_UNSTORED_S * 1000), round(MAX_PASSED_ON_S * 1000)),
        *(len(fields) // 2, *fields),
        *(len(usage.open_turns), *_times(usage.open_turns)),
        *_times(usage.recent_turns),
    ]
    _script("load")(keys=_keys(user_id, payer_id), args=arguments)


def mark_changed(payer_id: int) -> None:
    """What the database knows of tokens and costs of this person is read again before the next turn
    begins. Raises RedisError."""
    client().set(_changed(payer_id), uuid4().hex, ex=CHANGED_TTL_S)


def changed_mark(payer_id: int) -> bytes:
    """Raises RedisError."""
    mark: Any = client().get(_changed(payer_id))
    return mark or b""


def take_back(user_id: int, keys: Sequence[str], *, has_begun: bool) -> None:
    """Of turns that are over, or (`has_begun` false) never began. Raises RedisError."""
    minute, open_turns, *_ = _keys(user_id, user_id)
    with client().pipeline(transaction=False) as commands:
        commands.zrem(open_turns, *keys)
        if not has_begun:
            commands.zrem(minute, *keys)
        commands.execute()


def _times(turns: Mapping[str, datetime]) -> list[str | int]:
    return [part for key, at in turns.items() for part in (key, milliseconds(at))]


def _keys(user_id: int, payer_id: int) -> list[str]:
    own = [f"rt:quota:{user_id}:{name}" for name in ("minute", "open", f"used:{payer_id}")]
    return [*own, _changed(payer_id)]


def _changed(payer_id: int) -> str:
    return f"rt:quota:{payer_id}:changed"


@cache
def _script(name: str) -> Any:
    source = (Path(__file__).parent / "lua" / f"{name}.lua").read_text(encoding="utf-8")
    return client().register_script(source)
