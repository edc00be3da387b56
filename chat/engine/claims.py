"""Claiming a turn, writing as its owner, letting it go.

Every function is one short transaction that begins with an UPDATE of the turn's row: a row lock on
PostgreSQL, the write lock on SQLite.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from chat.engine.identity import process_name
from chat.errors import Fenced
from chat.models import Turn
from db.prepared import Given, Select, Update

LEASE = timedelta(seconds=10)

_TAKE = Update(
    lambda: Turn.objects.runnable(Given("now")).filter(pk=Given("turn_id")),
    owner=Given("owner"),
    epoch=F("epoch") + 1,
    lease_expires=Given("until"),
)
_EPOCH = Select(lambda: Turn.objects.filter(pk=Given("turn_id")).values_list("epoch", flat=True))


@dataclass(frozen=True)
class Claim:
    """The right to write a turn, until another owner raises the epoch."""

    turn_id: int
    owner: str
    epoch: int


def claim(turn_id: int, owner: str | None = None) -> Claim | None:
    """Takes a runnable turn over. None: it is over, not its conversation's first, or owned."""
    owner = owner or process_name()
    now = timezone.now()
    try:
        with transaction.atomic():
            if _TAKE.run(turn_id=turn_id, owner=owner, now=now, until=now + LEASE) != 1:
                return None
            return Claim(turn_id, owner, _EPOCH.get(turn_id=turn_id))
    except IntegrityError:
        return None


@contextmanager
def fenced(claim: Claim, **changes: Any) -> Iterator[None]:
    """A transaction of the owner's, which begins with these changes of its turn (values).

    Raises `Fenced` if the turn is over or has another owner.
    """
    with transaction.atomic():
        changes["lease_expires"] = timezone.now() + LEASE
        if not _change_of(*changes).run(**changes, **_named(claim)):
            raise Fenced(f"turn {claim.turn_id} is no longer at epoch {claim.epoch}")
        yield


@cache
def _change_of(*names: str) -> Update:
    """The owner's UPDATE of these columns."""
    owned = Turn.objects.open().filter(
        pk=Given("claimed_turn"), owner=Given("claimed_by"), epoch=Given("claimed_epoch")
    )
    return Update(lambda: owned, **{name: Given(name) for name in names})


def _named(claim: Claim) -> dict[str, Any]:
    return {
        "claimed_turn": claim.turn_id,
        "claimed_by": claim.owner,
        "claimed_epoch": claim.epoch,
    }


def release(claim: Claim, wakeups: int, status: str) -> bool:
    """Lets go, unless something came in since `wakeups` was read: False means read again."""
    resting = _owned(claim).filter(wakeups=wakeups)
    let_go = resting.update(owner="", lease_expires=None, seen=wakeups, status=status)
    if not let_go and not _owned(claim).exists():
        raise Fenced(f"turn {claim.turn_id} is no longer at epoch {claim.epoch}")
    return bool(let_go)


def hand_over(claim: Claim) -> None:
    """Lets go in the middle of the work: the next owner may begin at once."""
    _owned(claim).update(owner="", lease_expires=None, wakeups=F("wakeups") + 1)


def renew(claims: list[Claim]) -> None:
    """Extends the leases of this process, by one UPDATE."""
    if claims:
        turns = Turn.objects.open().filter(
            pk__in=[claim.turn_id for claim in claims], owner=claims[0].owner
        )
        turns.update(lease_expires=timezone.now() + LEASE)


def _owned(claim: Claim) -> Any:
    return Turn.objects.open().filter(pk=claim.turn_id, owner=claim.owner, epoch=claim.epoch)
