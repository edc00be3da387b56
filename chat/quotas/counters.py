"""What is counted one by one in a stretch of time: tool calls of a minute, uploads of a day.

    rt:quota:<user>:<kind>  sorted set: keys of what was counted, by their time in ms

One script counts and adds. Where Redis knows nothing, it is given what the database knows first;
while Redis is down, the database alone decides.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import redis

from chat.quotas import kinds
from chat.quotas.figures import Refusal, free_at, milliseconds, moment
from chat.quotas.kinds import Kind
from chat.quotas.windows import Answer
from db.redis_pool import client

logger = logging.getLogger(__name__)

# What the database knows: when each thing was done, by its key.
Stored = Callable[[datetime], Mapping[str, datetime]]


def refusal(
    user_id: int, kind: str, amount: int, key: str, stored: Stored, now: datetime
) -> Refusal | None:
    """Counts one more, once a key; or the limit that is reached. `stored` is asked for what was
    done since a moment."""
    since = now - kinds.MINUTE if kind == Kind.CALLS_MINUTE else kinds.begin_of_day(now)
    try:
        answer, times = _count(user_id, kind, amount, key, since, now, None)
        if answer is Answer.UNKNOWN:
            known = {at: when for at, when in stored(since).items() if at != key}
            answer, times = _count(user_id, kind, amount, key, since, now, known)
    except redis.RedisError as error:
        logger.info("The database decides what %s may do: %s", user_id, error)
        before = _before(stored(since), key, now)
        answer = Answer.REFUSED if len(before) >= amount else Answer.ADMITTED
        times = tuple(sorted(before))
    if answer is not Answer.REFUSED:
        return None
    opens_at = kinds.opens_at(kind, now)
    if kind == Kind.CALLS_MINUTE:
        opens_at = free_at(times, amount, 1)
    return Refusal(kind, amount, len(times), opens_at)


def forget(user_id: int, kind: str) -> None:
    """The next question asks the database. Raises RedisError."""
    client().delete(_key(user_id, kind))


def count(user_id: int, kind: str, since: datetime) -> int | None:
    """How many were counted; None if Redis does not know. Raises RedisError."""
    key = _key(user_id, kind)
    if client().zscore(key, "") is None:
        return None
    number: Any = client().zcount(key, milliseconds(since), "(+inf")
    return int(number)


def _before(stored: Mapping[str, datetime], key: str, now: datetime) -> list[datetime]:
    """What was done earlier than this: of things that are done at once each has its place."""
    place = (stored.get(key, now), key)
    return [at for one, at in stored.items() if (at, one) < place and one != key]


def _count(
    user_id: int,
    kind: str,
    amount: int,
    key: str,
    since: datetime,
    now: datetime,
    known: Mapping[str, datetime] | None,
) -> tuple[Answer, tuple[datetime, ...]]:
    ttl_s = 2 * 60 if kind == Kind.CALLS_MINUTE else 25 * 3600
    seeds = [part for one, at in (known or {}).items() for part in (one, milliseconds(at))]
    arguments = [milliseconds(now), milliseconds(since), amount, ttl_s, key]
    arguments += ["" if known is None else "1", *seeds]
    answer, *times = _script()(keys=[_key(user_id, kind)], args=arguments)
    return Answer(answer.decode()), tuple(moment(float(at)) for at in times)


def _key(user_id: int, kind: str) -> str:
    return f"rt:quota:{user_id}:{kind}"


@cache
def _script() -> Any:
    source = (Path(__file__).parent / "lua" / "count.lua").read_text(encoding="utf-8")
    return client().register_script(source)
