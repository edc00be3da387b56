"""The refusal of what would exceed a limit: its sentence, and its count for `/metrics`."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import redis
from django.contrib.auth.models import User
from django.db import connection
from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.models import PersonalSettings, QuotaRule
from chat.quotas import kinds
from chat.quotas.errors import QuotaExceeded
from chat.quotas.figures import Refusal
from chat.webhooks import outbox
from db.redis_pool import client

COUNTS = "rt:quota:refused"


def exceeded(refused: Refusal, user: User, zone: str, now: datetime) -> QuotaExceeded:
    """The error to raise, which is counted. `zone`: the name of the person's time zone, "" for that
    of the person's settings, else UTC."""
    _count(refused.kind)
    opens_at = refused.opens_at
    # A transaction that is refused takes what it has stored with it: then nobody is told.
    if not connection.in_atomic_block:
        outbox.limit_reached(user.pk, refused.kind, refused.amount, opens_at)
    return QuotaExceeded(
        sentence(refused, zone_of(user, zone), now),
        limit=refused.kind,
        amount=refused.amount,
        left=refused.left,
        opens_at=opens_at,
        retry_after=None if opens_at is None else seconds_until(opens_at, now),
    )


def full_storage(sentence: str, limit: int, stored: int) -> QuotaExceeded:
    """The same for stored bytes, of which `chat.storage` writes the sentence."""
    kind = QuotaRule.Kind.STORED_BYTES
    _count(kind)
    left = max(0, limit - stored)
    return QuotaExceeded(
        sentence, limit=kind, amount=limit, left=left, opens_at=None, retry_after=None
    )


def sentence(refused: Refusal, zone: tzinfo, now: datetime) -> str:
    """Which limit, how much is left, and when it opens again."""
    reached = gettext(
        "Your limit is reached: %(limit)s. %(used)s of %(amount)s are used, %(left)s left."
    ) % {
        "limit": QuotaRule.Kind(refused.kind).label,
        "used": kinds.text(refused.kind, refused.used),
        "amount": kinds.text(refused.kind, refused.amount),
        "left": kinds.text(refused.kind, refused.left),
    }
    return f"{reached} {_when(refused, zone, now)}"


def _when(refused: Refusal, zone: tzinfo, now: datetime) -> str:
    if refused.is_reserved:
        return gettext(
            "The answers that are being written may need what is left: try again when they have "
            "ended."
        )
    if refused.kind == QuotaRule.Kind.OPEN_TURNS and refused.amount:
        return gettext("It opens again when one of your answers has ended.")
    if refused.opens_at is None or not refused.amount:
        return gettext("An admin can raise it.")
    return gettext("It opens again at %(time)s.") % {"time": time_text(refused.opens_at, zone, now)}


def time_text(at: datetime, zone: tzinfo, now: datetime) -> str:
    """A moment for people in their time zone, with the date if it is not today."""
    there = at.astimezone(zone)
    is_soon = (at - now).total_seconds() < 3600
    clock = there.strftime("%H:%M:%S" if is_soon else "%H:%M")
    named = f"{clock} ({getattr(zone, 'key', 'UTC')})"
    if there.date() == now.astimezone(zone).date():
        return named
    return f"{date_format(there, 'DATE_FORMAT')}, {named}"


def zone_of(user: User, zone: str) -> tzinfo:
    name = zone or PersonalSettings.zone_of(user, {})
    return ZoneInfo(name) if name else UTC


def seconds_until(at: datetime, now: datetime) -> int:
    """Whole seconds, at least one, after which the moment has passed."""
    return max(1, math.ceil((at - now).total_seconds()))


def counts() -> Mapping[str, int]:
    """How many were refused, by kind; since Redis was last empty. Raises RedisError."""
    found = client().hgetall(COUNTS)
    return {kind.decode(): int(count) for kind, count in found.items()}  # type: ignore[union-attr]


def _count(kind: str) -> None:
    try:
        client().hincrby(COUNTS, kind, 1)
    except redis.RedisError:
        return  # the figure is for operators: it is not worth more
