"""What commands and the engine ask before something is used. All raise `QuotaExceeded`.

Without rules that limit a person nothing is counted, and neither Redis nor the database is asked.
With Redis a turn is admitted before its transaction, by one script (`windows`). While Redis is
down, the database decides: inside the transaction that stores the turn, under a lock of the person,
so that what others have stored is counted and nothing is admitted twice.
"""

import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import redis
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from chat.quotas import consumption, counters, refusals, rules, windows
from chat.quotas.errors import QuotaExceeded
from chat.quotas.figures import Figures, Refusal, refusal, spent
from chat.quotas.kinds import Kind
from chat.quotas.windows import Answer, Outcome
from chat.webhooks import outbox
from db.threads import after_commit

logger = logging.getLogger(__name__)

# Figures that are younger decide a refusal without being read again.
FRESH = timedelta(milliseconds=500)
# How often figures are read that are old again before they are used; then the database decides.
READINGS = 3
# Of the advisory locks of PostgreSQL: "quot".
_LOCKS = 0x71756F74


@dataclass
class Admission:
    """Turns that may begin. `keys` are those of their client; `confirm` is called first in the
    transaction that stores them, and `take_back` if they are not stored."""

    user: User
    keys: Sequence[str]
    payer_id: int
    amounts: Mapping[str, int] = field(default_factory=dict)
    zone: str = ""
    # Whether the database is to decide; whether these turns are counted because of this admission.
    is_open: bool = False
    is_counted: bool = False

    def confirm(self, now: datetime | None = None) -> None:
        """Decides by the database, if nothing else has: inside a transaction. Raises
        `QuotaExceeded`."""
        if not self.is_open:
            return
        now = now or timezone.now()
        _lock(self.user.pk)
        usage = consumption.read(self.user.pk, now, self.payer_id)
        if not {*usage.open_turns, *usage.recent_turns}.isdisjoint(self.keys):
            return  # the same message once more
        _refuse_beyond(self, usage.figures, now)

    def take_back(self) -> None:
        """The turns did not begin."""
        self._take_back(has_begun=False)

    def end(self) -> None:
        """What was admitted without a turn is over; a turn's own end needs no call."""
        self._take_back(has_begun=True)

    def _take_back(self, *, has_begun: bool) -> None:
        if not self.is_counted:
            return
        self.is_counted = False
        try:
            windows.take_back(self.user.pk, self.keys, has_begun=has_begun)
        except redis.RedisError as error:
            logger.info("What %s has open is counted later: %s", self.user.pk, error)


def admit_turn(user: User, now: datetime | None = None) -> Admission:
    """Admits one call of a model that has no turn of its own, such as a request that is passed on
    to a provider. It counts as a turn, which is open until `end` is called. Raises
    `QuotaExceeded`."""
    admission = admit_turns(user, [f"~{uuid.uuid4()}"], now=now)
    if admission.is_open:
        try:
            with transaction.atomic():
                admission.confirm(now)
        except QuotaExceeded as error:  # told outside of what is rolled back
            outbox.limit_reached(user.pk, error.limit, error.amount, error.opens_at)
            raise
    return admission


def admit_turns(
    user: User,
    keys: Sequence[str],
    *,
    payer_id: int | None = None,
    zone: str = "",
    now: datetime | None = None,
) -> Admission:
    """Admits the turns with these keys, all or none; the same keys again are admitted again, and
    counted once. Tokens and costs are those of the payer, the conversation's owner, by whose limits
    they are measured. Raises `QuotaExceeded`."""
    now = now or timezone.now()
    payer_id = payer_id or user.pk
    amounts = _amounts(user.pk, payer_id)
    admission = Admission(user, keys, payer_id, amounts, zone)
    if not amounts:
        return admission
    try:
        outcome = _ask_redis(admission, now)
    except redis.RedisError as error:
        logger.info("The database decides what %s may use: %s", user.pk, error)
        admission.is_open = True
        return admission
    if outcome.answer is Answer.REFUSED:
        _refuse_beyond(admission, outcome.figures, now)
    admission.is_counted = outcome.answer is Answer.ADMITTED
    return admission


def _amounts(user_id: int, payer_id: int) -> dict[str, int]:
    """The limits that count when a turn begins."""
    own = rules.amounts_of(user_id)
    paid = own if payer_id == user_id else rules.amounts_of(payer_id)
    amounts: dict[str, int] = {kind: own[kind] for kind in windows.RATES if kind in own}
    return amounts | {str(kind): paid[kind] for kind in windows.CONSUMED if kind in paid}


def _ask_redis(admission: Admission, now: datetime) -> Outcome:
    """Raises RedisError."""
    outcome = _admit(admission, now, windows.KEPT)
    is_old = outcome.read is not None and now - outcome.read > FRESH
    if outcome.answer is Answer.REFUSED and is_old:
        outcome = _ask_again(admission, now)
    for _ in range(READINGS):
        if outcome.answer is Answer.UNKNOWN:
            outcome = _ask_again(admission, now)
    if outcome.answer is Answer.UNKNOWN:
        raise redis.RedisError("what was loaded is not there, or changes all the time")
    return outcome


def _ask_again(admission: Admission, now: datetime) -> Outcome:
    """Asks with what the database knows now. Raises RedisError."""
    user_id, payer_id = admission.user.pk, admission.payer_id
    changed = windows.changed_mark(payer_id)
    usage = consumption.read(user_id, now, payer_id)
    windows.load(user_id, payer_id, usage, now, changed)
    return _admit(admission, now, windows.KEPT)


def _admit(admission: Admission, now: datetime, within: timedelta) -> Outcome:
    user_id, payer_id = admission.user.pk, admission.payer_id
    return windows.admit(user_id, payer_id, admission.keys, admission.amounts, now, within)


def _refuse_beyond(admission: Admission, figures: Figures, now: datetime) -> None:
    refused = refusal(figures, admission.amounts, len(admission.keys), now)
    if refused is not None:
        raise refusals.exceeded(refused, admission.user, admission.zone, now)


def _lock(user_id: int) -> None:
    """Until the transaction ends nobody else decides for this person. SQLite's transactions have
    the write lock from the beginning."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCKS, user_id])


def count_usage(payer_id: int) -> None:
    """A generation of this person ends in this transaction, or with it a turn: from its commit on
    the next turn is admitted by what it used. Without a limit of tokens or costs nothing is done.
    """
    if not rules.amounts_of(payer_id).keys().isdisjoint(windows.CONSUMED):
        after_commit(partial(_mark_changed, payer_id))


def _mark_changed(payer_id: int) -> None:
    try:
        windows.mark_changed(payer_id)
    except redis.RedisError as error:
        logger.info("What %s used counts when it is read again: %s", payer_id, error)


def used_up(payer_id: int) -> Refusal | None:
    """The limit of tokens or costs of which nothing is left, as the database knows it: what was
    admitted and has waited since does not begin. Without such a limit nothing is read."""
    amounts = rules.amounts_of(payer_id)
    if amounts.keys().isdisjoint(windows.CONSUMED):
        return None
    now = timezone.now()
    return spent(consumption.read(payer_id, now).figures, amounts, now)


def admit_tool_call(user: User, key: str = "", now: datetime | None = None) -> None:
    """Counts a tool call of this user; the same key again is counted once. Raises
    `QuotaExceeded`."""
    _admit_one(user, Kind.CALLS_MINUTE, key, consumption.calls_since, now)


def admit_upload(user: User, now: datetime | None = None) -> None:
    """Counts an upload. The room of its bytes is a matter of `chat.storage`. Raises
    `QuotaExceeded`."""
    _admit_one(user, Kind.UPLOADS_DAY, "", consumption.uploads_since, now)


def _admit_one(
    user: User,
    kind: str,
    key: str,
    stored: Callable[[int, datetime], Mapping[str, datetime]],
    now: datetime | None,
) -> None:
    amount = rules.amounts_of(user.pk).get(kind)
    if amount is None:
        return
    now = now or timezone.now()
    of_user = partial(stored, user.pk)
    refused = counters.refusal(user.pk, kind, amount, key or str(uuid.uuid4()), of_user, now)
    if refused is not None:
        raise refusals.exceeded(refused, user, "", now)
