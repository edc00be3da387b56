"""Claiming a turn, writing as its owner, releasing it.

Every function is one short transaction that begins with an UPDATE of the turn's row: a row lock on
PostgreSQL, the write lock on SQLite.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from chat.engine.worker.identity import process_name
from chat.errors import Fenced
from chat.models import Turn
from limits.turns import MAX_LEASE


@dataclass(frozen=True)
class Claim:
    """The right to write a turn, until another owner raises the epoch."""

    turn_id: int
    owner: str
    epoch: int


def claim(turn_id: int, owner: str | None = None) -> Claim | None:
    """Takes a runnable turn over. None: it is over, not the first of its conversation, or owned."""
    owner = owner or process_name()
    try:
        with transaction.atomic():
            if not take(turn_id, owner):
                return None
            return Claim(turn_id, owner, Turn.objects.epoch_of(turn_id))
    except IntegrityError:
        return None


def take(turn_id: int, owner: str | None = None) -> bool:
    """Takes a runnable turn over, inside the caller's transaction; the claim has its new epoch."""
    now = timezone.now()
    return Turn.objects.take(turn_id, owner or process_name(), now, now + MAX_LEASE) == 1


@contextmanager
def fenced(claim: Claim, **changes: Any) -> Iterator[None]:
    """A transaction of the owner, or its part of the caller's. It begins by writing these columns
    of the turn (values).

    Raises `Fenced` if the turn is over or has another owner.
    """
    with transaction.atomic(savepoint=False):
        changes["lease_expires"] = timezone.now() + MAX_LEASE
        if not Turn.objects.change_owned(claim.turn_id, claim.owner, claim.epoch, **changes):
            raise Fenced(f"turn {claim.turn_id} is no longer at epoch {claim.epoch}")
        yield


def release(claim: Claim, wakeups: int, status: str) -> bool:
    """Releases the turn if it was not rung since `wakeups` was read. False: read again."""
    is_released = Turn.objects.release(claim.turn_id, claim.owner, claim.epoch, wakeups, status)
    if not is_released and not _owned(claim).exists():
        raise Fenced(f"turn {claim.turn_id} is no longer at epoch {claim.epoch}")
    return bool(is_released)


def hand_over(claim: Claim) -> None:
    """Releases the turn with its step undone, and rings it: another process may go on at once."""
    _owned(claim).update(owner="", lease_expires=None, wakeups=F("wakeups") + 1)


def renew(claims: list[Claim]) -> None:
    """Extends the leases of this process, by one UPDATE."""
    if claims:
        turns = Turn.objects.open().filter(
            pk__in=[claim.turn_id for claim in claims], owner=claims[0].owner
        )
        turns.update(lease_expires=timezone.now() + MAX_LEASE)


def _owned(claim: Claim) -> QuerySet[Turn]:
    return Turn.objects.open().filter(pk=claim.turn_id, owner=claim.owner, epoch=claim.epoch)
